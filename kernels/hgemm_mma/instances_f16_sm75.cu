// mma.sync m16n8k8 kernels for sm_75: no cp.async, at most 64 KB of shared memory. The rates are estimates, from 1024
// FLOP a clock and SM at the most; results were checked through the PTX on a newer chip.
#include "kernels/families.h"
#include "kernels/hgemm_mma/launch.cuh"

namespace fastgemm {
namespace {

using namespace hgemm_mma;

struct Tile64x64Turing : TuringDefaults {
  static constexpr int kTileM = 64, kTileN = 64, kTileK = 32, kWarpM = 32, kWarpN = 32;
  static constexpr int kBlocksPerSm = 3;
  static constexpr bool kSplits = true;
  using Even = Tile64x64Turing;
  using Odd = Tile64x64Turing;
};

struct Tile128x64Turing : TuringDefaults {
  static constexpr int kTileM = 128, kTileN = 64, kTileK = 32, kWarpM = 64, kWarpN = 32;
  static constexpr int kBlocksPerSm = 2;
  static constexpr bool kSplits = true;
  using Even = Tile64x64Turing;
  using Odd = Tile64x64Turing;
};

// 2-byte loads wait in twice the registers, so the warps are more and their parts smaller.
struct Tile128x128TuringUnaligned : TuringDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kTileK = 32, kWarpM = 64, kWarpN = 32;
};

struct Tile128x128Turing : TuringDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kTileK = 32, kWarpM = 64, kWarpN = 64;
  static constexpr int kBlocksPerSm = 2;
  using Even = Tile128x128TuringUnaligned;
  using Odd = Tile128x128TuringUnaligned;
};

struct Tile256x128Turing : TuringDefaults {
  static constexpr int kTileM = 256, kTileN = 128, kTileK = 32, kWarpM = 64, kWarpN = 64;
  using Even = Tile128x128TuringUnaligned;
  using Odd = Tile128x128TuringUnaligned;
};

template <class Config>
using Aligned = Variant<Config, Op::kN, Op::kN, 16>;

static_assert(Aligned<Tile256x128Turing>::kSharedBytes <= 64 * 1024, "what a block may use on sm_75");

constexpr KernelEntry kRows[] = {
    {.name = "mma1688_f16_256x128x32_s2",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = {256, 128, 32},
     .stages = 2,
     .threads = Aligned<Tile256x128Turing>::kThreads,
     .blocks_per_sm = 1,
     .shared_bytes = Aligned<Tile256x128Turing>::kSharedBytes,
     .fast_alignment = 16,
     .flops_per_clock_sm = 800,
     .unaligned_factor = 0.4,
     .supports = supports,
     .prepare = prepare<Tile256x128Turing>,
     .launch = launch<Tile256x128Turing>},
    {.name = "mma1688_f16_128x128x32_s2",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = {128, 128, 32},
     .stages = 2,
     .threads = Aligned<Tile128x128Turing>::kThreads,
     .blocks_per_sm = 2,
     .shared_bytes = Aligned<Tile128x128Turing>::kSharedBytes,
     .fast_alignment = 16,
     .flops_per_clock_sm = 750,
     .unaligned_factor = 0.4,
     .supports = supports,
     .prepare = prepare<Tile128x128Turing>,
     .launch = launch<Tile128x128Turing>},
    {.name = "mma1688_f16_128x64x32_s2",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = {128, 64, 32},
     .stages = 2,
     .threads = Aligned<Tile128x64Turing>::kThreads,
     .blocks_per_sm = 2,
     .shared_bytes = Aligned<Tile128x64Turing>::kSharedBytes,
     .fast_alignment = 16,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 700,
     .unaligned_factor = 0.4,
     .supports = supports,
     .prepare = prepare<Tile128x64Turing>,
     .launch = launch<Tile128x64Turing>},
    {.name = "mma1688_f16_64x64x32_s2",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = {64, 64, 32},
     .stages = 2,
     .threads = Aligned<Tile64x64Turing>::kThreads,
     .blocks_per_sm = 3,
     .shared_bytes = Aligned<Tile64x64Turing>::kSharedBytes,
     .fast_alignment = 16,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 600,
     .unaligned_factor = 0.4,
     .supports = supports,
     .prepare = prepare<Tile64x64Turing>,
     .launch = launch<Tile64x64Turing>},
};

}  // namespace

std::span<const KernelEntry> hgemm_mma_f16_sm75() { return kRows; }

}  // namespace fastgemm
