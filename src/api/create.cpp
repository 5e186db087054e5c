// fg_create and fg_destroy.
#include <algorithm>

#include "src/api/device_scope.h"
#include "src/api/guard.h"
#include "src/exec/cuda_status.h"
#include "src/exec/device.h"

namespace fastgemm {

namespace {

// Errors by which a kernel may be missing on a device: no code for it (or none that this driver can compile), or not as
// much shared memory as the kernel wants. Any other one says that something is wrong, and not what the kernel lacks.
bool means_not_available(cudaError_t error) {
  const fg_status_t status = status_from_cuda(error);
  return status == FG_STATUS_ARCH_MISMATCH || status == FG_STATUS_NOT_SUPPORTED || error == cudaErrorInvalidValue;
}

}  // namespace

std::vector<const KernelEntry*> load_kernels(const DeviceInfo& device, std::span<const KernelEntry* const> table,
                                             Outcome* outcome) {
  std::vector<const KernelEntry*> available;
  for (const KernelEntry* entry : table) {
    if (device.compute_capability < entry->min_compute_capability) continue;
    if (device.compute_capability > entry->max_compute_capability) continue;
    const cudaError_t error = answered(entry->prepare());
    if (error == cudaSuccess) {
      available.push_back(entry);
      continue;
    }
    const std::string text = cuda_error_text(std::string(entry->name) + " is not available", error);
    log_line(LogLevel::kInfo, text);
    if (means_not_available(error)) continue;
    *outcome = {status_from_cuda(error), text};
    break;
  }
  return available;
}

Outcome apply_environment(fg_handle& handle, const Environment& settings) {
  const auto name = std::find(kMathModeNames.begin(), kMathModeNames.end(), settings.math);
  if (name != kMathModeNames.end()) handle.math_mode = static_cast<fg_math_mode_t>(name - kMathModeNames.begin());
  Outcome forced = force_kernel(handle, settings.kernel);
  if (forced.status != FG_STATUS_SUCCESS) forced.error = "FASTGEMM_KERNEL: " + forced.error;
  return forced;
}

namespace {

std::unique_ptr<CublasFallback> open_fallback(std::string* error) {
  std::unique_ptr<CublasFallback> fallback = CublasFallback::open(error);
  log_line(LogLevel::kInfo, fallback != nullptr ? "cuBLAS from " + fallback->path() : "no cuBLAS: " + *error);
  return fallback;
}

Outcome make_workspace(fg_handle& handle) {
  Outcome outcome;
  outcome.status = handle.workspace.add_stream(nullptr, &outcome.error);
  return outcome;
}

Outcome create(fg_handle_t* result) {
  const DeviceResult found = query_current_device();
  if (found.status != FG_STATUS_SUCCESS) return {found.status, found.error};
  const RelaxedCaptureScope capture_may_go_on;
  Outcome loaded;
  std::vector<const KernelEntry*> kernels = load_kernels(found.device, kernel_table(), &loaded);
  if (loaded.status != FG_STATUS_SUCCESS) return loaded;
  auto handle = std::make_unique<fg_handle>(found.device, std::move(kernels), environment().workspace_bytes);
  handle->fallback = open_fallback(&handle->fallback_error);
  if (handle->available.empty() && handle->fallback == nullptr) {
    return {FG_STATUS_ARCH_MISMATCH, "this build has no kernel for compute capability " +
                                         std::to_string(found.device.compute_capability) +
                                         ", and no cuBLAS: " + handle->fallback_error};
  }
  if (Outcome outcome = make_workspace(*handle); outcome.status != FG_STATUS_SUCCESS) return outcome;
  if (Outcome outcome = apply_environment(*handle, environment()); outcome.status != FG_STATUS_SUCCESS) return outcome;
  *result = handle.release();
  return {};
}

}  // namespace
}  // namespace fastgemm

using namespace fastgemm;

fg_status_t fg_create(fg_handle_t* handle) {
  return guarded(__func__, [&]() -> Outcome {
    if (handle == nullptr) return {FG_STATUS_INVALID_VALUE, "handle is null"};
    *handle = nullptr;
    return create(handle);
  });
}

fg_status_t fg_destroy(fg_handle_t handle) {
  return with_handle(__func__, handle, [](fg_handle& owned) -> Outcome {
    const DeviceScope scope(owned.device.ordinal);  // an error here means that CUDA is gone, and its memory with it
    delete &owned;
    return {};
  });
}
