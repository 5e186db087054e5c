// Launches the plan and turns what went wrong into a status.
#include "src/exec/execute.h"

#include <cuda_runtime_api.h>

#include "src/exec/cuda_status.h"

namespace fastgemm {

namespace {

ExecuteResult launch(const KernelEntry& entry, const GemmProblem& problem, const LaunchContext& context) {
  const cudaError_t error = answered(entry.launch(problem, context));
  if (error == cudaSuccess) return {};
  return {status_from_cuda(error), cuda_error_text(std::string("launching ") + entry.name, error)};
}

}  // namespace

ExecuteResult execute(const Plan& plan, const GemmProblem& problem, const LaunchContext& context,
                      CublasFallback* fallback) {
  if (plan.entry != nullptr) return launch(*plan.entry, problem, context);
  if (plan.refused) return {FG_STATUS_NOT_SUPPORTED, plan.reason};
  if (fallback == nullptr) {
    return {FG_STATUS_NOT_SUPPORTED,
            "no kernel takes this product; cuBLAS is not available (FASTGEMM_CUBLAS may name its file)"};
  }
  return fallback->run(problem, context);
}

}  // namespace fastgemm
