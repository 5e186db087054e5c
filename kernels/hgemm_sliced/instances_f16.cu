// Sliced HGEMM for Hopper. Both operands must have columns at multiples of 16 bytes, for bulk copies. Times: us on one
// H200, CUDA 13.0, N(0,1), interleaved with the other rows and cuBLAS, whose best stands in brackets; /n: k in n parts.
#include "kernels/families.h"
#include "kernels/hgemm_sliced/launch.cuh"

namespace fastgemm {
namespace {

using namespace hgemm_sliced;

template <int kM, int kN, int kK, int kStagesValue, int kBlocks>
struct Shape {
  static constexpr int kTileM = kM, kTileN = kN, kTileK = kK, kStages = kStagesValue, kBlocksPerSm = kBlocks;
};

}  // namespace

// Stages of 128 or 256 of k gain over those of 64 where rows of k are read: 32 x 32 x 65536 TN took 11.7 with stages of
// 64, and 10.8 with those of 128.
std::span<const KernelEntry> hgemm_sliced_f16_sm90() {
  static constexpr KernelEntry kEntries[] = {
      // 64 x 64 x 262144 TN: /64 30.3 [33.3]
      Launcher<Shape<64, 64, 256, 3, 1>>::entry("sliced_f16_64x64x256_s3", 1000.0),
      // 4096 x 32 x 4096 TN: /2 17.8 [18.5]; 64 x 4096 x 4096: /2 18.4 [17.6]
      Launcher<Shape<64, 32, 128, 4, 2>>::entry("sliced_f16_64x32x128_s4", 800.0),
      // 64 x 64 x 65536 TN: /64 14.3 [14.5]
      Launcher<Shape<32, 64, 128, 4, 2>>::entry("sliced_f16_32x64x128_s4", 800.0),
      // 4096 x 16 x 4096: /2 17.4 [18.4]; 128256 x 16 x 4096 TN: 256 [251]; 1760 x 16 x 1760: /4 9.0 [8.7]
      Launcher<Shape<64, 16, 128, 5, 2>>::entry("sliced_f16_64x16x128_s5", 500.0),
      // 16 x 4096 x 4096: /2 18.5 [18.3]
      Launcher<Shape<16, 64, 128, 5, 2>>::entry("sliced_f16_16x64x128_s5", 500.0),
      // 32 x 32 x 65536 TN: /64 10.9 [12.3]; 4096 x 32 x 4096 TN: /2 17.7 [18.5]
      Launcher<Shape<32, 32, 128, 6, 2>>::entry("sliced_f16_32x32x128_s6", 700.0),
  };
  return kEntries;
}

}  // namespace fastgemm
