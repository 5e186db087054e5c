// Sliced FFMA SGEMM for Hopper: operands come by bulk tensor copies, so that columns must begin at multiples of 16
// bytes.
#include "kernels/families.h"
#include "kernels/sgemm_sliced/launch.cuh"

namespace fastgemm {

using namespace sliced;

std::span<const KernelEntry> sgemm_sliced_f32_sm90() {
  static constexpr KernelEntry kEntries[] = {
      Launcher<64, 64>::entry("sliced_f32_64x64x32_s6", 190.0),
      Launcher<128, 64>::entry("sliced_f32_128x64x32_s4", 190.0),
      Launcher<64, 128>::entry("sliced_f32_64x128x32_s4", 190.0),
      Launcher<128, 32>::entry("sliced_f32_128x32x32_s5", 180.0),
      Launcher<32, 128>::entry("sliced_f32_32x128x32_s5", 180.0),
      Launcher<128, 16>::entry("sliced_f32_128x16x32_s4", 160.0),
      Launcher<16, 128>::entry("sliced_f32_16x128x32_s4", 160.0),
      Launcher<256, 8>::entry("sliced_f32_256x8x32_s3", 140.0),
      Launcher<8, 256>::entry("sliced_f32_8x256x32_s3", 140.0),
  };
  return kEntries;
}

}  // namespace fastgemm
