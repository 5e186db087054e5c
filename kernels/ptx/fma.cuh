// A fused multiply-add that stays where the source puts it: for kernels that choose the order of their operations by
// register banks.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

// sum += a * b, one rounding; never moved past another such operation or a memory access.
FG_DEVICE void fma_rn_in_place(float& sum, float a, float b) {
  asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a), "f"(b));
}

}  // namespace fastgemm::ptx
