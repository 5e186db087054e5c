// WGMMA kernels for Hopper. Throughputs: TFLOP/s on one H200, CUDA 13.0, N(0,1), interleaved with the other rows and
// cuBLAS, whose best had 230-246 at 1024, 610 at 2048, 723 at 3072, 770 at 4096 and 670 at 8192, where 700 W bind. FLOP
// per clock count 1.98 GHz and leave out the last wave's idle SMs.
#include "kernels/families.h"
#include "kernels/hgemm_wgmma/launch.cuh"

namespace fastgemm {
namespace {

using namespace hgemm_wgmma;

struct Tile192x128 {
  static constexpr int kTileM = 192, kTileN = 128, kStages = 5, kBoxBuffers = 1;
  static constexpr bool kSplits = false;
  static constexpr bool kPairs = true;
  static constexpr Schedule kSchedule = Schedule::kPingPong;
};

struct Tile128x128 {
  static constexpr int kTileM = 128, kTileN = 128, kStages = 6, kBoxBuffers = 2;
  static constexpr bool kSplits = true;
  static constexpr bool kPairs = true;
  static constexpr Schedule kSchedule = Schedule::kPingPong;
};

struct Tile128x64 {
  static constexpr int kTileM = 128, kTileN = 64, kStages = 8, kBoxBuffers = 2;
  static constexpr bool kSplits = true;
  static constexpr bool kPairs = false;
  static constexpr Schedule kSchedule = Schedule::kPingPong;
};

struct Tile64x128 {
  static constexpr int kTileM = 64, kTileN = 128, kStages = 8, kBoxBuffers = 2;
  static constexpr bool kSplits = true;
  static constexpr bool kPairs = false;
  static constexpr Schedule kSchedule = Schedule::kPingPong;
};

struct Tile256x128 {
  static constexpr int kTileM = 256, kTileN = 128, kStages = 4, kBoxBuffers = 2;
  static constexpr bool kSplits = false;
  static constexpr bool kPairs = true;
  static constexpr Schedule kSchedule = Schedule::kCooperative;
};

// What all rows have in common.
template <class Shape>
constexpr KernelEntry row(const char* name, double flops_per_clock_sm) {
  return {.name = name,
          .type_ab = DataType::kFloat16,
          .min_compute_capability = 90,
          .max_compute_capability = 90,
          .tile = {Shape::kTileM, Shape::kTileN, kTileK},
          .stages = Shape::kStages,
          .threads = kThreads,
          .blocks_per_sm = 1,
          .shared_bytes = Launcher<Shape>::kSharedBytes,
          .max_splits = Shape::kSplits ? kMaxSplitsOfK : 1,
          .flops_per_clock_sm = flops_per_clock_sm,
          .unaligned_factor = 0.89,  // an unaligned D: 4096 in 205 us instead of 182; operands are repacked
          .supports = supports,
          .workspace = Launcher<Shape>::workspace,
          .prepare = Launcher<Shape>::prepare,
          .launch = Launcher<Shape>::launch};
}

constexpr KernelEntry kRows[] = {
    row<Tile256x128>("wgmma_f16_256x128x64_s4", 2930),  // 2048: 606, 4096: 763, 8192: 672
    row<Tile192x128>("wgmma_f16_192x128x64_s5", 2960),  // 3072: 730, 6144: 760, 8192: 694
    row<Tile128x128>("wgmma_f16_128x128x64_s6", 2880),  // 2048: 610, 4096: 745, 8192: 668
    row<Tile128x64>("wgmma_f16_128x64x64_s8", 2250),    // 1024: 231, 2048: 552
    row<Tile64x128>("wgmma_f16_64x128x64_s8", 2250),    // 16 x 4096 x 4096: 20 us, 35 x 8457 x 4096: 41 us
};

}  // namespace

std::span<const KernelEntry> hgemm_wgmma_f16_sm90() { return kRows; }

}  // namespace fastgemm
