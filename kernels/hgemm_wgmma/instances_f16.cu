// WGMMA kernels for Hopper. Throughputs: TFLOP/s on one H200, CUDA 13.0, N(0,1), interleaved with the other rows and
// cuBLAS, whose best had 230-246 at 1024, 610 at 2048, 723 at 3072, 770 at 4096 and 670 at 8192, where 700 W bind. FLOP
// per clock count 1.98 GHz and leave out the last wave's idle SMs.
#include "kernels/families.h"
#include "kernels/hgemm_wgmma/launch.cuh"

namespace fastgemm {
namespace {

using namespace hgemm_wgmma;

struct Tile192x128 : TileDefaults {
  static constexpr int kTileM = 192, kTileN = 128, kStages = 5, kBoxBuffers = 1;
  static constexpr bool kPairs = true;
};

// Tiles for sizes that leave the last wave of others nearly empty. With 192, 176, 160 rows, and the best of cuBLAS, in us:
// 28672 x 512 x 8192 TN 325, 305, 332, 308; 5120 x 1500 x 2560 NN 63.3, 60.9, 57.8, 56.7; 1536 x 1536 x 4096 NN 36.2,
// 35.5, 33.5, 32.4; 14336 x 512 x 4096 TN 102.5, 95.6, 89.1 (256: 94.6), 88.6; 1536 x 1536 x 1536 TN 18.4, 17.2, 16.7, 15.6.
// 144 rows gained nothing over these: 40 us, not 34, at 1536 x 1536 x 4096 NN. They are for plain products alone, to spare
// the library 32 large kernels.
struct Tile160x128 : TileDefaults {
  static constexpr int kTileM = 160, kTileN = 128, kStages = 5, kBoxBuffers = 1;
  static constexpr bool kPairs = true;
};

struct Tile176x128 : TileDefaults {
  static constexpr int kTileM = 176, kTileN = 128, kStages = 5, kBoxBuffers = 1;
  static constexpr bool kPairs = true;
};

struct Tile128x128 : TileDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kStages = 6, kBoxBuffers = 2;
  static constexpr bool kSplits = true;
  static constexpr bool kPairs = true;
};

struct Tile128x64 : TileDefaults {
  static constexpr int kTileM = 128, kTileN = 64, kStages = 8, kBoxBuffers = 2;
  static constexpr bool kSplits = true;
};

struct Tile64x128 : TileDefaults {
  static constexpr int kTileM = 64, kTileN = 128, kStages = 8, kBoxBuffers = 2;
  static constexpr bool kSplits = true;
};

struct Tile256x128 : TileDefaults {
  static constexpr int kTileM = 256, kTileN = 128, kStages = 4, kBoxBuffers = 2;
  static constexpr bool kPairs = true;
  static constexpr Schedule kSchedule = Schedule::kCooperative;
};

// What all rows have in common.
template <class Shape, class Launch = Launcher<Shape>>
constexpr KernelEntry row(const char* name, double flops_per_clock_sm) {
  return {.name = name,
          .type_ab = DataType::kFloat16,
          .min_compute_capability = 90,
          .max_compute_capability = 90,
          .tile = {Shape::kTileM, Shape::kTileN, kTileK},
          .stages = Shape::kStages,
          .threads = kThreads,
          .blocks_per_sm = 1,
          .shared_bytes = Launch::kSharedBytes,
          .max_splits = Shape::kSplits ? kMaxSplitsOfK : 1,
          .flops_per_clock_sm = flops_per_clock_sm,
          .unaligned_factor = 0.89,  // an unaligned D: 4096 in 205 us instead of 182; operands are repacked
          .supports = Launch::takes,
          .workspace = Launch::workspace,
          .prepare = Launch::prepare,
          .launch = Launch::launch};
}

constexpr KernelEntry kRows[] = {
    row<Tile256x128>("wgmma_f16_256x128x64_s4", 2930),  // 2048: 606, 4096: 763, 8192: 672
    row<Tile192x128>("wgmma_f16_192x128x64_s5", 2960),  // 3072: 730, 6144: 760, 8192: 694
    row<Tile176x128, Launcher<Tile176x128, true>>("wgmma_f16_176x128x64_s5", 2960),
    row<Tile160x128, Launcher<Tile160x128, true>>("wgmma_f16_160x128x64_s5", 2950),
    row<Tile128x128>("wgmma_f16_128x128x64_s6", 2880),  // 2048: 610, 4096: 745, 8192: 668
    row<Tile128x64>("wgmma_f16_128x64x64_s8", 2250),    // 1024: 231, 2048: 552
    row<Tile64x128>("wgmma_f16_64x128x64_s8", 2250),    // 16 x 4096 x 4096: 20 us, 35 x 8457 x 4096: 41 us
};

}  // namespace

std::span<const KernelEntry> hgemm_wgmma_f16_sm90() { return kRows; }

}  // namespace fastgemm
