// A product that a program asked cuBLAS for, on its way to this library's kernels.
#pragma once

#include <cublas_v2.h>

#include <cstddef>
#include <optional>

#include "src/problem/make_problem.h"

namespace fastgemm::hook {

struct Offer {
  GemmArguments arguments;  // math_mode is left alone: FASTGEMM_MATH decides
  cudaStream_t stream = nullptr;
  int sm_count_target = 0;  // 0: all
  // What the call itself brought (cublasLtMatmul). Ordered by the caller, also in a graph, unlike memory of our own.
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

// Runs it on the current device where the dispatcher takes one of this library's kernels. Nothing: it does not, the
// arguments are wrong or there is nothing to do; then nothing was touched, and cuBLAS is to answer.
std::optional<cublasStatus_t> run_own(const Offer& offer);

}  // namespace fastgemm::hook
