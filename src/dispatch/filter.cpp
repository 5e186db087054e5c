// The conditions a row must meet, one a line.
#include "src/dispatch/filter.h"

namespace fastgemm {

bool needs_sequential(const GemmProblem& problem) {
  return problem.type_ab == DataType::kFloat32 && problem.math_mode == MathMode::kFp32Sequential && problem.k > 0;
}

bool wants_tf32(const GemmProblem& problem) {
  return problem.type_ab == DataType::kFloat32 && problem.math_mode == MathMode::kTf32 && problem.k > 0;
}

std::string refusal(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device,
                    std::size_t workspace_bytes) {
  if (entry.type_ab != problem.type_ab) {
    return entry.type_ab == DataType::kFloat32 ? "multiplies FP32 only" : "multiplies FP16 only";
  }
  if (device.compute_capability < entry.min_compute_capability ||
      device.compute_capability > entry.max_compute_capability) {
    return "not for compute capability " + std::to_string(device.compute_capability);
  }
  if (entry.shared_bytes > device.shared_bytes_per_block) {
    return "needs " + std::to_string(entry.shared_bytes) + " bytes of shared memory, the device gives " +
           std::to_string(device.shared_bytes_per_block);
  }
  if (needs_sequential(problem) && !entry.sequential) return "does not sum in ascending k, as the math mode asks";
  if (entry.fp32_tensor && problem.math_mode != MathMode::kFp32Tensor) return "is for math mode FP32_TENSOR";
  if (entry.launch == nullptr) return "cannot be launched";
  if (entry.supports != nullptr && !entry.supports(problem)) return "declines this shape";
  const WorkspaceNeed need = entry.workspace != nullptr ? entry.workspace(problem) : WorkspaceNeed{};
  if (need.least > workspace_bytes) return "needs " + std::to_string(need.least) + " bytes of workspace";
  return {};
}

}  // namespace fastgemm
