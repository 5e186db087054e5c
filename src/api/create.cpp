// fg_create and fg_destroy.
#include <algorithm>

#include "src/api/device_scope.h"
#include "src/api/guard.h"
#include "src/exec/cuda_status.h"
#include "src/exec/device.h"

namespace fastgemm {

std::vector<const KernelEntry*> load_kernels(const DeviceInfo& device, std::span<const KernelEntry* const> table) {
  std::vector<const KernelEntry*> available;
  for (const KernelEntry* entry : table) {
    if (device.compute_capability < entry->min_compute_capability) continue;
    if (device.compute_capability > entry->max_compute_capability) continue;
    const cudaError_t error = entry->prepare();
    if (error == cudaSuccess) {
      available.push_back(entry);
      continue;
    }
    cudaGetLastError();  // answered here; the program must not find it later
    log_line(LogLevel::kInfo, cuda_error_text(std::string(entry->name) + " is not available", error));
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
  const fg_status_t status = handle.workspace.add_stream(nullptr);
  if (status == FG_STATUS_SUCCESS) return {};
  return {status, "no device memory for " + std::to_string(handle.workspace.slot_bytes()) +
                      " bytes of workspace (FASTGEMM_WORKSPACE_MB sets how much is asked for)"};
}

Outcome create(fg_handle_t* result) {
  const DeviceResult found = query_current_device();
  if (found.status != FG_STATUS_SUCCESS) return {found.status, found.error};
  const RelaxedCaptureScope capture_may_go_on;
  auto handle = std::make_unique<fg_handle>(found.device, load_kernels(found.device, kernel_table()),
                                            environment().workspace_bytes);
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
