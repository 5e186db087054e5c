// Host version of kernels/ptx/wgmma_bf16.cuh.
#pragma once

#include "kernels/ptx/wgmma.cuh"

namespace fastgemm::ptx {

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n64k16_bf16(float (&d)[32], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<64, kMajorA, kMajorB>(d, a, b, accumulate, true, "wgmma_m64n64k16_bf16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n96k16_bf16(float (&d)[48], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<96, kMajorA, kMajorB>(d, a, b, accumulate, true, "wgmma_m64n96k16_bf16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n128k16_bf16(float (&d)[64], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<128, kMajorA, kMajorB>(d, a, b, accumulate, true, "wgmma_m64n128k16_bf16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n176k16_bf16(float (&d)[88], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<176, kMajorA, kMajorB>(d, a, b, accumulate, true, "wgmma_m64n176k16_bf16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n192k16_bf16(float (&d)[96], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<192, kMajorA, kMajorB>(d, a, b, accumulate, true, "wgmma_m64n192k16_bf16");
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void wgmma_m64n256k16_bf16(float (&d)[128], std::uint64_t a, std::uint64_t b, bool accumulate) {
  wgmma_any<256, kMajorA, kMajorB>(d, a, b, accumulate, true, "wgmma_m64n256k16_bf16");
}

}  // namespace fastgemm::ptx
