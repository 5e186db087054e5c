// What a GEMV kernel is handed.
#pragma once

#include "kernels/split_params.h"

namespace fastgemm::gemv {

// Block `i` works on part i % splits of tile first_tile + i / splits; tiles are counted along the long side, then over
// the batch.
struct GemvParams {
  GemmProblem problem;
  SplitParams split;
  std::int64_t first_tile = 0;
  std::int64_t tiles = 0;  // a batch entry
  bool long_is_n = false;  // the long side of D is n, that of op(B); else m, of op(A)
};

// The product as the kernel sees it: a long operand and a short one, either stored along its side or along k.
struct LongAndShort {
  const Operand* g_long = nullptr;
  const Operand* g_short = nullptr;
  std::int64_t extent_long = 0;
  int extent_short = 0;
  bool short_along_depth = false;
};

__host__ __device__ inline LongAndShort long_and_short(const GemmProblem& problem, bool long_is_n) {
  if (long_is_n) {
    return {&problem.b, &problem.a, problem.n, static_cast<int>(problem.m), problem.op_a == Op::kT};
  }
  return {&problem.a, &problem.b, problem.m, static_cast<int>(problem.n), problem.op_b == Op::kN};
}

}  // namespace fastgemm::gemv
