// Check, plan, launch. Nothing here allocates device memory, loads a module or waits: every call can be captured.
#include "src/api/run_product.h"

#include "src/api/device_scope.h"
#include "src/api/guard.h"
#include "src/exec/cuda_status.h"

namespace fastgemm {
namespace {

Outcome run_problem(fg_handle& handle, const GemmProblem& problem) {
  const DeviceScope scope(handle.device.ordinal);
  if (scope.error() != cudaSuccess) {
    return {status_from_cuda(scope.error()), cuda_error_text("cannot switch to the handle's device", scope.error())};
  }
  const WorkspaceSpan workspace = handle.workspace.find(handle.stream);
  const auto plan = handle.plans.find_or_select(problem, handle.device, handle.available,
                                                select_options(handle, workspace.bytes, workspace.flag_count));
  if (log_enabled(LogLevel::kTrace) && !plan->refused) {
    log_line(LogLevel::kTrace, format_gemm_line(problem, plan_name(*plan), plan->predicted_us));
  }
  const LaunchContext context = {.device = &handle.device,
                                 .stream = handle.stream,
                                 .workspace = workspace.data,
                                 .workspace_bytes = workspace.bytes,
                                 .sm_count = planned_sm_count(handle),
                                 .flags = workspace.flags,
                                 .flag_count = workspace.flag_count,
                                 .splits = plan->splits};
  // Threads that share a stream share its slot: no other product's launch may come between a pass into it and the
  // product that reads it.
  std::unique_lock<std::mutex> turn;
  if (plan->entry == nullptr || plan->workspace_bytes > 0) turn = std::unique_lock(handle.workspace_turn);
  return execute(*plan, problem, context, handle.fallback.get());
}

}  // namespace

SelectOptions select_options(const fg_handle& handle, std::size_t workspace_bytes, int flag_count) {
  return {.sm_count = planned_sm_count(handle),
          .workspace_bytes = workspace_bytes,
          .flag_count = flag_count,
          .fallback_available = handle.fallback != nullptr,
          .forced = handle.forced,
          .forced_splits = handle.forced_splits,
          .force_fallback = handle.force_fallback};
}

Outcome run_arguments(fg_handle& handle, const GemmArguments& arguments) {
  ProblemResult checked = make_problem(arguments);
  if (checked.status != FG_STATUS_SUCCESS) return {checked.status, std::move(checked.error)};
  if (checked.empty) return {};
  Outcome outcome = run_problem(handle, checked.problem);
  if (outcome.status == FG_STATUS_NOT_SUPPORTED && handle.fallback == nullptr && !handle.fallback_error.empty()) {
    outcome.error += ": " + handle.fallback_error;
  }
  return outcome;
}

fg_status_t run_product(const char* entry, fg_handle_t handle, GemmArguments arguments) {
  return with_handle(entry, handle, [&](fg_handle& h) {
    arguments.pointer_mode = h.pointer_mode;
    arguments.math_mode = static_cast<MathMode>(h.math_mode);
    return run_arguments(h, arguments);
  });
}

}  // namespace fastgemm
