// Sliced FFMA SGEMM for Hopper. The longer side's operand must have columns at multiples of 16 bytes, for bulk copies.
// Rates as in src/dispatch/calibration.cpp.
#include "kernels/families.h"
#include "kernels/sgemm_sliced/launch.cuh"

namespace fastgemm {

using namespace sliced;

std::span<const KernelEntry> sgemm_sliced_f32_sm90() {
  static constexpr KernelEntry kEntries[] = {
      Launcher<64, 64>::entry("sliced_f32_64x64x32_s6", 199.0),
      Launcher<128, 64>::entry("sliced_f32_128x64x32_s4", 203.0),
      Launcher<64, 128>::entry("sliced_f32_64x128x32_s4", 204.0),
      Launcher<128, 32>::entry("sliced_f32_128x32x32_s5", 198.0),
      Launcher<32, 128>::entry("sliced_f32_32x128x32_s5", 191.0),
      Launcher<128, 16>::entry("sliced_f32_128x16x32_s4", 180.0),
      Launcher<16, 128>::entry("sliced_f32_16x128x32_s4", 188.0),
      Launcher<256, 8>::entry("sliced_f32_256x8x32_s3", 162.0),
      Launcher<8, 256>::entry("sliced_f32_8x256x32_s3", 146.0),
  };
  return kEntries;
}

}  // namespace fastgemm
