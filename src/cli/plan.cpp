#include "src/cli/plan.h"

#include <algorithm>
#include <vector>

#include "src/base/environment.h"
#include "src/dispatch/explain.h"
#include "src/exec/workspace.h"
#include "src/problem/make_problem.h"

namespace fastgemm::cli {
namespace {

// Without the GPU a kernel cannot be asked whether it loads, so its range of architectures decides.
std::vector<const KernelEntry*> kernels_for(const DeviceInfo& device) {
  std::vector<const KernelEntry*> kernels;
  for (const KernelEntry* entry : kernel_table()) {
    if (entry->min_compute_capability <= device.compute_capability &&
        device.compute_capability <= entry->max_compute_capability) {
      kernels.push_back(entry);
    }
  }
  return kernels;
}

SelectOptions planning_options(const Gpu& gpu, const std::string& kernel, std::size_t workspace_bytes) {
  SelectOptions options;
  options.sm_count = gpu.device.sm_count;
  options.workspace_bytes = workspace_bytes;
  options.flag_count = kSlotFlags;
  options.fallback_available = true;
  options.force_fallback = kernel == "cublas";
  if (kernel.empty() || options.force_fallback) return options;
  const NamedKernel named = find_kernel(kernel, kernel_table());
  options.forced = named.entry;
  options.forced_splits = named.splits;
  if (options.forced == nullptr) throw ParseError("no kernel is named \"" + kernel + "\" (see fastgemm info)");
  return options;
}

}  // namespace

MathMode parse_math(const std::string& text) {
  const auto name = std::find(kMathModeNames.begin(), kMathModeNames.end(), text);
  if (name != kMathModeNames.end()) return static_cast<MathMode>(name - kMathModeNames.begin());
  throw ParseError("math mode \"" + text + "\" is not one of default, fp32_sequential, fp32_tensor, tf32");
}

const char* math_name(MathMode mode) { return kMathModeNames[static_cast<std::size_t>(mode)].data(); }

// The public values are the names' order, too.
fg_math_mode_t public_math(MathMode mode) { return static_cast<fg_math_mode_t>(mode); }

void* planning_address(int which) { return reinterpret_cast<void*>(std::uintptr_t{1} << (32 + which)); }

GemmProblem planning_problem(const Shape& shape, MathMode math) {
  GemmArguments arguments;
  arguments.math_mode = math;
  arguments.type_ab = arguments.type_cd = shape.type;
  arguments.transa = shape.op_a == Op::kN ? FG_OP_N : FG_OP_T;
  arguments.transb = shape.op_b == Op::kN ? FG_OP_N : FG_OP_T;
  arguments.m = shape.m;
  arguments.n = shape.n;
  arguments.k = shape.k;
  arguments.alpha = &shape.alpha;
  arguments.beta = &shape.beta;
  arguments.a = planning_address(0);
  arguments.b = planning_address(1);
  arguments.c = planning_address(2);
  arguments.lda = shape.lda;
  arguments.ldb = shape.ldb;
  arguments.ldc = shape.ldc;
  const ProblemResult result = make_problem(arguments);
  if (result.status != FG_STATUS_SUCCESS) throw ParseError(result.error);
  return result.problem;
}

Plan plan_for(const Shape& shape, MathMode math, const Gpu& gpu, const std::string& kernel,
              std::size_t workspace_bytes) {
  return select(planning_problem(shape, math), gpu.device, kernels_for(gpu.device),
                planning_options(gpu, kernel, workspace_bytes));
}

std::string explain_for(const Shape& shape, MathMode math, const Gpu& gpu, const std::string& kernel) {
  return explain(planning_problem(shape, math), gpu.device, kernels_for(gpu.device),
                 planning_options(gpu, kernel, kPlannedWorkspaceBytes));
}

}  // namespace fastgemm::cli
