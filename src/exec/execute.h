// Runs a plan on a stream: our kernel's launch, or the cuBLAS fallback.
#pragma once

#include "fastgemm/fastgemm.h"
#include "kernels/contract.h"
#include "src/dispatch/select.h"
#include "src/exec/cublas_fallback.h"

namespace fastgemm {

// Status and, when it is not SUCCESS, the text for fg_last_error.
struct ExecuteResult {
  fg_status_t status = FG_STATUS_SUCCESS;
  std::string error;
};

// Asynchronous; allocates no device memory and synchronises nothing. `fallback` may be null (cuBLAS not found).
ExecuteResult execute(const Plan& plan, const GemmProblem& problem, const LaunchContext& context,
                      CublasFallback* fallback);

}  // namespace fastgemm
