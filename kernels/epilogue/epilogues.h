// Which epilogues a kernel has code for, and which of its kernels a problem takes.
#pragma once

#include "kernels/contract.h"

namespace fastgemm {

// alpha alone, known to the host, or all. A small product waits for the code of its kernel to come from memory: with
// code for all epilogues (80 KB in place of 28) 128 x 128 x 128 through hgemm_wgmma took 7.5 us on one H200, not 5.6,
// and 1024 x 1024 x 1024 12.4, not 9.4.
// kAddC lies between: alpha and beta, known to the host, and C.
enum class Epilogues { kPlain, kAll, kAddC };

// D = alpha * op(A) * op(B) with a product to compute: what kernels for plain epilogues do.
inline bool is_scaled_product(const GemmProblem& problem) {
  return problem.k > 0 && problem.alpha.device == nullptr && problem.beta.device == nullptr &&
         problem.beta.value == 0.0f && problem.bias == nullptr && problem.activation == Activation::kNone;
}

}  // namespace fastgemm
