// What the tests of the FP32_TENSOR families begin with.
#pragma once

#include <cstdint>

#include "tests/emulation/kernels/gemm_case.h"

namespace fastgemm::emulation {

inline constexpr Op kOps[] = {Op::kN, Op::kT};

// Each case under another one: another order of blocks, warps, lanes and copies.
inline std::uint64_t next_seed() {
  static std::uint64_t seed = 0;
  return ++seed;
}

// With all the workspace that a row has use for.
inline GemmCase make_case(Op op_a, Op op_b, int m, int n, int k) {
  GemmCase gemm = product_case(op_a, op_b, m, n, k);
  gemm.row_workspace = RowWorkspace::kFastest;
  return gemm;
}

}  // namespace fastgemm::emulation
