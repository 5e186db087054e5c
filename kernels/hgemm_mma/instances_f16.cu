// mma.sync m16n8k16 kernels for sm_80 and up. Throughputs: one H200, CUDA 13.0, N(0,1), all contenders interleaved.
#include "kernels/families.h"
#include "kernels/hgemm_mma/launch.cuh"

namespace fastgemm {
namespace {

using namespace hgemm_mma;

struct Tile64x64Odd : AmpereDefaults {
  static constexpr int kTileM = 64, kTileN = 64, kTileK = 64, kWarpM = 32, kWarpN = 16, kStages = 2;
  static constexpr int kBlocksPerSm = 2;
  static constexpr bool kDoubleFragments = false;
};

struct Tile64x64 : AmpereDefaults {
  static constexpr int kTileM = 64, kTileN = 64, kTileK = 64, kWarpM = 32, kWarpN = 32, kStages = 4;
  static constexpr int kBlocksPerSm = 3;
  using Even = Tile64x64;
  using Odd = Tile64x64Odd;
};

struct Tile128x64 : AmpereDefaults {
  static constexpr int kTileM = 128, kTileN = 64, kTileK = 64, kWarpM = 64, kWarpN = 32, kStages = 4;
  static constexpr int kBlocksPerSm = 2;
  using Even = Tile64x64;
  using Odd = Tile64x64Odd;
};

struct Tile128x128Even : AmpereDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kTileK = 32, kWarpM = 64, kWarpN = 64, kStages = 4;
  static constexpr int kBlocksPerSm = 2;
};

// 2-byte loads wait in registers, so the warps are more and their parts smaller.
struct Tile128x128Odd : AmpereDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kTileK = 32, kWarpM = 64, kWarpN = 32, kStages = 2;
  static constexpr bool kDoubleFragments = false;
};

struct Tile256x128Odd : Tile128x128Odd {
  static constexpr int kTileM = 256;
};

struct Tile128x128 : AmpereDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kTileK = 64, kWarpM = 64, kWarpN = 64, kStages = 3;
  static constexpr int kBlocksPerSm = 2;
  using Even = Tile128x128Even;
  using Odd = Tile128x128Odd;
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
     .flops_per_clock_sm = 2700,
     .unaligned_factor = 0.4,
     .supports = supports,
     .prepare = prepare<Tile256x128x64>,
     .launch = launch<Tile256x128x64>},
    {.name = "mma_f16_256x128x32_s4",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 80,
     .tile = {256, 128, 32},
     .stages = 4,
     .threads = Aligned<Tile256x128x32>::kThreads,
     .blocks_per_sm = 1,
     .shared_bytes = Aligned<Tile256x128x32>::kSharedBytes,
     .fast_alignment = 16,
     .flops_per_clock_sm = 2500,
     .unaligned_factor = 0.4,
     .supports = supports,
     .prepare = prepare<Tile256x128x32>,
     .launch = launch<Tile256x128x32>},
    {.name = "mma_f16_128x128x64_s3",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 80,
     .tile = {128, 128, 64},
     .stages = 3,
     .threads = Aligned<Tile128x128>::kThreads,
     .blocks_per_sm = 2,
     .shared_bytes = Aligned<Tile128x128>::kSharedBytes,
     .fast_alignment = 16,
     .flops_per_clock_sm = 2600,
     .unaligned_factor = 0.4,
     .supports = supports,
     .prepare = prepare<Tile128x128>,
     .launch = launch<Tile128x128>},
    {.name = "mma_f16_128x64x64_s4",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 80,
     .tile = {128, 64, 64},
     .stages = 4,
     .threads = Aligned<Tile128x64>::kThreads,
     .blocks_per_sm = 2,
     .shared_bytes = Aligned<Tile128x64>::kSharedBytes,
     .fast_alignment = 16,
     .flops_per_clock_sm = 2150,
     .unaligned_factor = 0.3,
     .supports = supports,
     .prepare = prepare<Tile128x64>,
     .launch = launch<Tile128x64>},
    {.name = "mma_f16_64x64x64_s4",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 80,
     .tile = {64, 64, 64},
     .stages = 4,
     .threads = Aligned<Tile64x64>::kThreads,
     .blocks_per_sm = 3,
     .shared_bytes = Aligned<Tile64x64>::kSharedBytes,
     .fast_alignment = 16,
     .flops_per_clock_sm = 1750,
     .unaligned_factor = 0.35,
     .supports = supports,
     .prepare = prepare<Tile64x64>,
     .launch = launch<Tile64x64>},
};

}  // namespace

std::span<const KernelEntry> hgemm_mma_f16_sm80() { return kRows; }

}  // namespace fastgemm
