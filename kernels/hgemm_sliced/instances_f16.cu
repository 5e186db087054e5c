// Sliced HGEMM for Hopper. Both operands must have columns at multiples of 16 bytes, for bulk copies.
#include "kernels/families.h"
#include "kernels/hgemm_sliced/launch.cuh"

namespace fastgemm {
namespace {

using namespace hgemm_sliced;

// Both operands once where D is that small; one block an SM.
struct Tile128x128 {
  static constexpr int kTileM = 128, kTileN = 128, kWarpM = 64, kWarpN = 64, kSlices = 2, kStages = 5;
  static constexpr int kBlocksPerSm = 1;
};

struct Tile64x64 {
  static constexpr int kTileM = 64, kTileN = 64, kWarpM = 64, kWarpN = 64, kSlices = 4, kStages = 5;
  static constexpr int kBlocksPerSm = 2;
};

struct Tile128x32 {
  static constexpr int kTileM = 128, kTileN = 32, kWarpM = 128, kWarpN = 32, kSlices = 4, kStages = 4;
  static constexpr int kBlocksPerSm = 2;
};

struct Tile32x128 {
  static constexpr int kTileM = 32, kTileN = 128, kWarpM = 32, kWarpN = 128, kSlices = 4, kStages = 4;
  static constexpr int kBlocksPerSm = 2;
};

struct Tile128x16 {
  static constexpr int kTileM = 128, kTileN = 16, kWarpM = 128, kWarpN = 16, kSlices = 4, kStages = 5;
  static constexpr int kBlocksPerSm = 2;
};

struct Tile16x128 {
  static constexpr int kTileM = 16, kTileN = 128, kWarpM = 16, kWarpN = 128, kSlices = 4, kStages = 5;
  static constexpr int kBlocksPerSm = 2;
};

struct Tile32x32 {
  static constexpr int kTileM = 32, kTileN = 32, kWarpM = 32, kWarpN = 32, kSlices = 4, kStages = 8;
  static constexpr int kBlocksPerSm = 3;
};

}  // namespace

std::span<const KernelEntry> hgemm_sliced_f16_sm90() {
  static constexpr KernelEntry kEntries[] = {
      Launcher<Tile128x128>::entry("sliced_f16_128x128x64_s5", 1500.0),
      Launcher<Tile64x64>::entry("sliced_f16_64x64x64_s5", 1200.0),
      Launcher<Tile128x32>::entry("sliced_f16_128x32x64_s4", 1000.0),
      Launcher<Tile32x128>::entry("sliced_f16_32x128x64_s4", 1000.0),
      Launcher<Tile128x16>::entry("sliced_f16_128x16x64_s5", 600.0),
      Launcher<Tile16x128>::entry("sliced_f16_16x128x64_s5", 600.0),
      Launcher<Tile32x32>::entry("sliced_f16_32x32x64_s8", 600.0),
  };
  return kEntries;
}

}  // namespace fastgemm
