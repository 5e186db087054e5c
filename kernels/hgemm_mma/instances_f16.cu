// mma.sync m16n8k16 kernels for sm_80 and up. Throughputs: TFLOP/s on one H200, CUDA 13.0, N(0,1), interleaved with the
// other rows and cuBLAS (760 at 8192, 145-155 at 4095 x 4097 x 4093); NN unless said. FLOP per clock count 1.98 GHz.
#include "kernels/families.h"
#include "kernels/hgemm_mma/launch.cuh"

namespace fastgemm {
namespace {

using namespace hgemm_mma;

struct Tile64x64Odd : AmpereDefaults {
  static constexpr int kTileM = 64, kTileN = 64, kTileK = 64, kWarpM = 32, kWarpN = 16, kStages = 2;
  static constexpr int kBlocksPerSm = 2;
  static constexpr bool kSplits = true;
  static constexpr bool kHasPlain = true;
  static constexpr bool kDoubleFragments = false;
};

// Copies of 4 bytes and stores of single elements are many instructions: twice the warps for them.
struct Tile64x64Even : AmpereDefaults {
  static constexpr int kTileM = 64, kTileN = 64, kTileK = 64, kWarpM = 32, kWarpN = 16, kStages = 4;
  static constexpr int kBlocksPerSm = 2;
  static constexpr bool kSplits = true;
  static constexpr bool kHasPlain = true;
};

struct Tile64x64 : AmpereDefaults {
  static constexpr int kTileM = 64, kTileN = 64, kTileK = 64, kWarpM = 32, kWarpN = 32, kStages = 4;
  static constexpr int kBlocksPerSm = 3;
  static constexpr bool kSplits = true;
  static constexpr bool kHasPlain = true;
  using Even = Tile64x64Even;
  using Odd = Tile64x64Odd;
};

struct Tile128x64 : AmpereDefaults {
  static constexpr int kTileM = 128, kTileN = 64, kTileK = 64, kWarpM = 64, kWarpN = 32, kStages = 4;
  static constexpr int kBlocksPerSm = 2;
  static constexpr bool kSplits = true;
  static constexpr bool kHasPlain = true;
  using Even = Tile64x64Even;
  using Odd = Tile64x64Odd;
};

struct Tile128x128Even : AmpereDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kTileK = 32, kWarpM = 64, kWarpN = 64, kStages = 4;
  static constexpr int kBlocksPerSm = 2;
  static constexpr bool kHasPlain = true;
};

// 2-byte loads wait in registers, so the warps are more and their parts smaller. A loop over strips, whose elements are
// stored one by one, took 3.5 us more a tile.
struct Tile256x128Odd : AmpereDefaults {
  static constexpr int kTileM = 256, kTileN = 128, kTileK = 32, kWarpM = 64, kWarpN = 32, kStages = 2;
  static constexpr bool kDoubleFragments = false;
  static constexpr bool kUnrolledStrips = true;
};

struct Tile128x128 : AmpereDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kTileK = 64, kWarpM = 64, kWarpN = 64, kStages = 3;
  static constexpr int kBlocksPerSm = 2;
  using Even = Tile128x128Even;
  using Odd = Tile256x128Odd;
};

// 144 KB of shared memory: sm_80 and sm_90, not sm_86 or sm_89.
struct Tile256x128x64 : AmpereDefaults {
  static constexpr int kTileM = 256, kTileN = 128, kTileK = 64, kWarpM = 64, kWarpN = 64, kStages = 3;
  using Even = Tile128x128Even;
  using Odd = Tile256x128Odd;
};

struct Tile256x128x32 : Tile256x128x64 {
  static constexpr int kTileK = 32, kStages = 4;
};

// Threads and shared memory do not depend on the transpositions.
template <class Config>
using Aligned = Variant<Config, Op::kN, Op::kN, 16>;

constexpr KernelEntry kRows[] = {
    {.name = "mma_f16_256x128x64_s3",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 80,
     .tile = {256, 128, 64},
     .stages = 3,
     .threads = Aligned<Tile256x128x64>::kThreads,
     .blocks_per_sm = 1,
     .shared_bytes = Aligned<Tile256x128x64>::kSharedBytes,
     .fast_alignment = 16,
     .flops_per_clock_sm = 1830,
     .unaligned_factor = 0.38,
     .supports = supports,
     .prepare = prepare<Tile256x128x64>,
     .launch = launch<Tile256x128x64>},  // 8192: 478, TN 475; 4095 x 4097 x 4093: 183
    {.name = "mma_f16_256x128x32_s4",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 80,
     .tile = {256, 128, 32},
     .stages = 4,
     .threads = Aligned<Tile256x128x32>::kThreads,
     .blocks_per_sm = 1,
     .shared_bytes = Aligned<Tile256x128x32>::kSharedBytes,
     .fast_alignment = 16,
     .flops_per_clock_sm = 1700,
     .unaligned_factor = 0.41,
     .supports = supports,
     .prepare = prepare<Tile256x128x32>,
     .launch = launch<Tile256x128x32>},  // 8192: 444, TN 401
    {.name = "mma_f16_128x128x64_s3",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 80,
     .tile = {128, 128, 64},
     .stages = 3,
     .threads = Aligned<Tile128x128>::kThreads,
     .blocks_per_sm = 2,
     .shared_bytes = Aligned<Tile128x128>::kSharedBytes,
     .fast_alignment = 16,
     .flops_per_clock_sm = 1770,
     .unaligned_factor = 0.39,
     .supports = supports,
     .prepare = prepare<Tile128x128>,
     .launch = launch<Tile128x128>},  // 8192: 463, TN 463; 4095 x 4097 x 4093: 183
    {.name = "mma_f16_128x64x64_s4",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 80,
     .tile = {128, 64, 64},
     .stages = 4,
     .threads = Aligned<Tile128x64>::kThreads,
     .blocks_per_sm = 2,
     .shared_bytes = Aligned<Tile128x64>::kSharedBytes,
     .fast_alignment = 16,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 1475,
     .unaligned_factor = 0.27,
     .supports = supports,
     .prepare = prepare<Tile128x64>,
     .launch = launch<Tile128x64>},  // 8192: 387; 1024: 159 (13.5 us)
    {.name = "mma_f16_64x64x64_s4",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 80,
     .tile = {64, 64, 64},
     .stages = 4,
     .threads = Aligned<Tile64x64>::kThreads,
     .blocks_per_sm = 3,
     .shared_bytes = Aligned<Tile64x64>::kSharedBytes,
     .fast_alignment = 16,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 1200,
     .unaligned_factor = 0.34,
     .supports = supports,
     .prepare = prepare<Tile64x64>,
     .launch = launch<Tile64x64>},  // 8192: 315; 512: 31.5 (8.5 us); 35 x 8457 x 4096: 27.8
};

}  // namespace

std::span<const KernelEntry> hgemm_mma_f16_sm80() { return kRows; }

}  // namespace fastgemm
