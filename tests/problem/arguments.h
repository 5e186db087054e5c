// Valid arguments for tests to break: C(5 x 7) = 2 * op(A)(5 x 3) * op(B)(3 x 7) + 0.5 * C, in memory that is never
// read.
#pragma once

#include <cstdint>

#include "src/problem/make_problem.h"

namespace fastgemm::test {

inline constexpr float kAlpha = 2.0f;
inline constexpr float kBeta = 0.5f;

inline void* address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

inline GemmArguments valid_arguments() {
  GemmArguments x;
  x.m = 5;
  x.n = 7;
  x.k = 3;
  x.alpha = &kAlpha;
  x.beta = &kBeta;
  x.a = address(0x1000);
  x.b = address(0x2000);
  x.c = address(0x3000);
  x.lda = 5;
  x.ldb = 3;
  x.ldc = 5;
  return x;
}

inline GemmArguments valid_strided_arguments() {
  GemmArguments x = valid_arguments();
  x.batched = true;
  x.batch_count = 4;
  x.stride_a = 15;
  x.stride_b = 21;
  x.stride_c = 35;
  return x;
}

}  // namespace fastgemm::test
