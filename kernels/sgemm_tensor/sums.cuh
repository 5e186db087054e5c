// FP32 sums in registers: how short sums are added up, and what scaled parts have multiplied to made a product again.
#pragma once

#include "kernels/ptx/convert.cuh"

namespace fastgemm::sgemm_tensor {

// Adds kAdded of r_more, from kFirst on, to r_acc; what that rounds away stays in r_more (T. Dekker's sum). The first
// two additions have their own r_acc + r_more, with other signs: from the third's, the compiler would keep all old and
// new values at once.
template <int kFirst, int kAdded, int kCount>
FG_DEVICE void add_keeping_rests(float (&r_acc)[kCount], float (&r_more)[kCount]) {
#pragma unroll
  for (int i = kFirst; i < kFirst + kAdded; ++i) {
    const float minus_taken = ptx::add_rn(ptx::add_rn(-r_acc[i], -r_more[i]), r_acc[i]);
    r_acc[i] = ptx::add_rn(r_acc[i], r_more[i]);
    r_more[i] = ptx::add_rn(r_more[i], minus_taken);
  }
}

// Adds r_more to those of r_acc from `first` on.
template <int kCount, int kAdded>
FG_DEVICE void add_sums(float (&r_acc)[kCount], const float (&r_more)[kAdded], int first = 0) {
#pragma unroll
  for (int i = 0; i < kAdded; ++i) r_acc[first + i] = ptx::add_rn(r_acc[first + i], r_more[i]);
}

template <int kCount>
FG_DEVICE void clear(float (&r_acc)[kCount]) {
#pragma unroll
  for (float& accumulator : r_acc) accumulator = 0.0f;
}

// A sum of products of scaled parts without the scales of its row of the left and the right operand. The smaller factor
// first: nothing overflows that will not be as large in the end.
FG_DEVICE float unscaled(float sum, float left, float right) {
  return ptx::mul_rn(ptx::mul_rn(sum, left < right ? left : right), left < right ? right : left);
}

}  // namespace fastgemm::sgemm_tensor
