// Sliced HGEMM for Hopper. Both operands must have columns at multiples of 16 bytes, for bulk copies.
#include "kernels/families.h"
#include "kernels/hgemm_sliced/launch.cuh"

namespace fastgemm {
namespace {

using namespace hgemm_sliced;

// Four warps, each of which multiplies the whole tile over its quarter of a stage's k.
template <int kM, int kN, int kK, int kStagesValue, int kBlocks>
struct Quarters {
  static constexpr int kTileM = kM, kTileN = kN, kTileK = kK, kWarpM = kM, kWarpN = kN, kSlices = 4;
  static constexpr int kStages = kStagesValue, kBlocksPerSm = kBlocks;
};

// Eight warps, each of which multiplies a quarter of the tile over half of a stage's k. Both operands come once where D
// is that small; one block an SM.
struct Tile128x128 {
  static constexpr int kTileM = 128, kTileN = 128, kTileK = 64, kWarpM = 64, kWarpN = 64, kSlices = 2, kStages = 6;
  static constexpr int kBlocksPerSm = 1;
};

// Eight warps in pairs, each pair over a quarter of a stage's k.
struct Tile64x64Pairs {
  static constexpr int kTileM = 64, kTileN = 64, kTileK = 128, kWarpM = 32, kWarpN = 64, kSlices = 4, kStages = 3;
  static constexpr int kBlocksPerSm = 2;
};

}  // namespace

std::span<const KernelEntry> hgemm_sliced_f16_sm90() {
  static constexpr KernelEntry kEntries[] = {
      Launcher<Tile128x128>::entry("sliced_f16_128x128x64_s6", 1500.0),
      Launcher<Quarters<64, 64, 256, 3, 1>>::entry("sliced_f16_64x64x256_s3", 1200.0),
      Launcher<Tile64x64Pairs>::entry("sliced_f16_64x64x128_s3", 1200.0),
      Launcher<Quarters<128, 16, 64, 6, 2>>::entry("sliced_f16_128x16x64_s6", 600.0),
      Launcher<Quarters<16, 128, 128, 3, 2>>::entry("sliced_f16_16x128x128_s3", 600.0),
      Launcher<Quarters<64, 32, 128, 4, 2>>::entry("sliced_f16_64x32x128_s4", 1000.0),
      Launcher<Quarters<32, 64, 128, 4, 2>>::entry("sliced_f16_32x64x128_s4", 1000.0),
      Launcher<Quarters<64, 16, 128, 5, 2>>::entry("sliced_f16_64x16x128_s5", 600.0),
      Launcher<Quarters<16, 64, 128, 5, 2>>::entry("sliced_f16_16x64x128_s5", 600.0),
      Launcher<Quarters<32, 32, 128, 6, 2>>::entry("sliced_f16_32x32x128_s6", 600.0),
  };
  return kEntries;
}

}  // namespace fastgemm
