// Plan as the dispatcher does with a cuBLAS at hand, and launch only what it gives to a kernel.
#include "src/cublas_hook/own_device.h"

#include <algorithm>
#include <cstdint>

#include "src/base/log.h"
#include "src/dispatch/fallback_rules.h"
#include "src/exec/cuda_status.h"
#include "src/exec/device.h"

namespace fastgemm::hook {
namespace {

constexpr std::size_t kWorkspaceAlignment = 256;

bool is_plain(const GemmProblem& p) {
  const bool apart = p.c.data != nullptr && !is_in_place(p);
  return p.alpha.device == nullptr && p.beta.device == nullptr && !has_epilogue(p) && !apart;
}

// The plain product of the same size. The dispatcher's picture of cuBLAS is that of the library's fallback, which takes
// no scalars in device memory and makes passes of its own for bias, activation and a D apart from C; the program's own
// call does all that in one.
GemmProblem plain_product(GemmProblem p) {
  if (p.alpha.device != nullptr) p.alpha = {.value = 1.0f, .device_type = p.alpha.device_type};
  if (p.beta.device != nullptr) p.beta = {.value = 1.0f, .device_type = p.beta.device_type};
  if (p.c.data != nullptr) p.c = {.data = p.d.data, .ld = p.d.ld, .batch_stride = p.d.batch_stride};
  p.bias = nullptr;
  p.bias_stride = 0;
  p.activation = Activation::kNone;
  return p;
}

// Of cublasLtMatmul; none for other calls.
WorkspaceSpan callers_memory(const Offer& offer) {
  if (reinterpret_cast<std::uintptr_t>(offer.workspace) % kWorkspaceAlignment != 0) return {};
  return {.data = offer.workspace, .bytes = offer.workspace != nullptr ? offer.workspace_bytes : 0};
}

bool wants_memory(const Plan& plan) {
  return plan.workspace_bytes != 0 || plan.splits > 1 || plan.entry->chained;
}

}  // namespace

int OwnDevice::planned_sms(const Offer& offer) const {
  const int all = handle_->device.sm_count;
  return offer.sm_count_target > 0 ? std::min(offer.sm_count_target, all) : all;
}

// Null where the plan is cuBLAS or nothing at all.
std::shared_ptr<const Plan> OwnDevice::plan_with(const WorkspaceSpan& memory, const GemmProblem& problem,
                                                 int sm_count) {
  SelectOptions options = select_options(*handle_, memory.bytes, memory.flag_count);
  options.sm_count = sm_count;
  options.fallback_available = true;
  auto plan = handle_->plans.find_or_select(problem, handle_->device, handle_->available, options);
  return plan->refused || plan->entry == nullptr ? nullptr : plan;
}

// False where there is none to be had: so many streams, no memory left, or a capture, in which later replays of the
// graph would use it beside the stream's other work.
bool OwnDevice::add_memory_of(cudaStream_t stream) {
  const std::lock_guard lock(streams_mutex_);
  if (streams_.size() >= kMaxStreams || std::find(streams_.begin(), streams_.end(), stream) != streams_.end()) {
    return false;
  }
  if (capture_of_(stream) != Capture::kNo) return false;
  streams_.push_back(stream);
  std::string error;
  const RelaxedCaptureScope another_streams_capture_may_go_on;
  const fg_status_t status = handle_->workspace.add_stream(stream, &error);
  if (status != FG_STATUS_SUCCESS) log_line(LogLevel::kInfo, "cublas: " + error);
  return status == FG_STATUS_SUCCESS;
}

WorkspaceSpan OwnDevice::memory_of(const Offer& offer) {
  if (offer.stream == cudaStreamPerThread) return callers_memory(offer);  // one name, as many streams as threads
  WorkspaceSpan memory = handle_->workspace.find(offer.stream);
  if (memory.flags == nullptr && add_memory_of(offer.stream)) memory = handle_->workspace.find(offer.stream);
  return memory.flags != nullptr ? memory : callers_memory(offer);
}

OwnDevice::Chosen OwnDevice::choose(const GemmProblem& problem, const Offer& offer) {
  const int sms = planned_sms(offer);
  const auto choose_with = [&](const WorkspaceSpan& memory) -> Chosen {
    if (!is_plain(problem) && plan_with(memory, plain_product(problem), sms) == nullptr) return {};
    Chosen chosen{plan_with(memory, problem, sms), memory};
    chosen.uses_memory = chosen.plan != nullptr && wants_memory(*chosen.plan);
    return chosen;
  };
  Chosen chosen = choose_with(memory_of(offer));
  if (!chosen.uses_memory || chosen.memory.flags == nullptr) return chosen;
  switch (capture_of_(offer.stream)) {
    case Capture::kNo: return chosen;
    case Capture::kYes: return choose_with(callers_memory(offer));
    case Capture::kUnknown: break;
  }
  return {};
}

cublasStatus_t OwnDevice::launch(const Chosen& chosen, const GemmProblem& problem, const Offer& offer) {
  const Plan& plan = *chosen.plan;
  const WorkspaceSpan memory = chosen.uses_memory ? chosen.memory : WorkspaceSpan{};
  const LaunchContext context = {.device = &handle_->device,
                                 .stream = offer.stream,
                                 .workspace = memory.data,
                                 .workspace_bytes = memory.bytes,
                                 .sm_count = planned_sms(offer),
                                 .flags = memory.flags,
                                 .flag_count = memory.flag_count,
                                 .splits = plan.splits};
  if (log_enabled(LogLevel::kTrace)) {
    log_line(LogLevel::kTrace, format_gemm_line(problem, plan_name(plan), plan.predicted_us));
  }
  // Threads that share a stream share its memory: a plan of several launches must not be torn apart.
  std::unique_lock<std::mutex> turn;
  if (chosen.uses_memory) {
    turn = std::unique_lock(turns_[reinterpret_cast<std::uintptr_t>(offer.stream) / 64 % kTurns]);
  }
  const ExecuteResult result = execute(plan, problem, context, nullptr);
  if (result.status != FG_STATUS_SUCCESS) log_line(LogLevel::kError, "cublas: " + result.error);
  return static_cast<cublasStatus_t>(result.status);  // the values are the same
}

std::optional<cublasStatus_t> OwnDevice::run(const Offer& offer) {
  GemmArguments arguments = offer.arguments;
  arguments.math_mode = static_cast<MathMode>(handle_->math_mode);
  const ProblemResult checked = make_problem(arguments);
  if (checked.status != FG_STATUS_SUCCESS || checked.empty) return std::nullopt;
  const Chosen chosen = choose(checked.problem, offer);
  if (chosen.plan == nullptr) return std::nullopt;
  return launch(chosen, checked.problem, offer);
}

std::unique_ptr<fg_handle> make_own_handle() {
  const DeviceResult found = query_current_device();
  Outcome outcome{found.status, found.error};
  std::unique_ptr<fg_handle> handle;
  if (outcome.status == FG_STATUS_SUCCESS) {
    const RelaxedCaptureScope capture_may_go_on;
    std::vector<const KernelEntry*> kernels = load_kernels(found.device, kernel_table(), &outcome);
    if (outcome.status == FG_STATUS_SUCCESS && kernels.empty()) {
      outcome = {FG_STATUS_ARCH_MISMATCH, "no kernel for this GPU"};
    }
    handle = std::make_unique<fg_handle>(found.device, std::move(kernels), environment().workspace_bytes);
  }
  if (outcome.status == FG_STATUS_SUCCESS) outcome = apply_environment(*handle, environment());
  if (outcome.status == FG_STATUS_SUCCESS) return handle;
  log_line(LogLevel::kInfo, "cublas: every call is passed on: " + outcome.error);
  return nullptr;
}

Capture capture_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (answered(cudaStreamIsCapturing(stream, &status)) != cudaSuccess) return Capture::kUnknown;
  return status == cudaStreamCaptureStatusNone ? Capture::kNo : Capture::kYes;
}

}  // namespace fastgemm::hook
