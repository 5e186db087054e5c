// Host version of kernels/ptx/wgmma_f16.cuh.
#pragma once

#include "kernels/ptx/wgmma.cuh"

namespace fastgemm::ptx {

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n8k16_f16(float (&d)[4], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<8, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n8k16_f16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n16k16_f16(float (&d)[8], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<16, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n16k16_f16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n32k16_f16(float (&d)[16], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<32, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n32k16_f16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n64k16_f16(float (&d)[32], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<64, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n64k16_f16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n96k16_f16(float (&d)[48], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<96, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n96k16_f16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n128k16_f16(float (&d)[64], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<128, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n128k16_f16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n160k16_f16(float (&d)[80], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<160, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n160k16_f16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n176k16_f16(float (&d)[88], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<176, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n176k16_f16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n192k16_f16(float (&d)[96], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<192, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n192k16_f16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n256k16_f16(float (&d)[128], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<256, kMajorA, kMajorB>(d, a, b, accumulate, false, "wgmma_m64n256k16_f16");
}

}  // namespace fastgemm::ptx
