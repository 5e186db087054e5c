// Setters and getters of a handle.
#include "src/api/device_scope.h"
#include "src/api/guard.h"
#include "src/exec/cuda_status.h"
#include "src/problem/raw_enum.h"

namespace fastgemm {
namespace {

constexpr std::size_t kWorkspaceAlignment = 256;  // cuBLAS's rule, and what cudaMalloc gives

// The getters: *result takes a setting.
template <class Value>
fg_status_t get(const char* entry, fg_handle_t handle, Value fg_handle::*setting, Value* result, const char* name) {
  return with_handle(entry, handle, [&](fg_handle& h) -> Outcome {
    if (result == nullptr) return {FG_STATUS_INVALID_VALUE, std::string(name) + " is null"};
    *result = h.*setting;
    return {};
  });
}

Outcome bad_mode(int value, const char* choices) {
  return {FG_STATUS_INVALID_VALUE, "mode = " + std::to_string(value) + " is not " + choices};
}

// The handle's own memory for `stream`, unless the caller has lent some.
Outcome add_slot(fg_handle& handle, fg_stream_t stream) {
  const DeviceScope scope(handle.device.ordinal);
  if (scope.error() != cudaSuccess) {
    return {status_from_cuda(scope.error()), cuda_error_text("cannot switch to the handle's device", scope.error())};
  }
  const RelaxedCaptureScope capture_may_go_on;
  Outcome outcome;
  outcome.status = handle.workspace.add_stream(stream, &outcome.error);
  return outcome;
}

}  // namespace
}  // namespace fastgemm

using namespace fastgemm;

fg_status_t fg_set_stream(fg_handle_t handle, fg_stream_t stream) {
  return with_handle(__func__, handle, [&](fg_handle& h) -> Outcome {
    Outcome outcome;
    if (!h.has_user_workspace) outcome = add_slot(h, stream);
    if (outcome.status == FG_STATUS_SUCCESS) h.stream = stream;
    return outcome;
  });
}

fg_status_t fg_get_stream(fg_handle_t handle, fg_stream_t* stream) {
  return get(__func__, handle, &fg_handle::stream, stream, "stream");
}

fg_status_t fg_set_pointer_mode(fg_handle_t handle, fg_pointer_mode_t mode) {
  return with_handle(__func__, handle, [&](fg_handle& h) -> Outcome {
    const int value = raw_enum(mode);
    if (value != FG_POINTER_MODE_HOST && value != FG_POINTER_MODE_DEVICE) {
      return bad_mode(value, "FG_POINTER_MODE_HOST (0) or FG_POINTER_MODE_DEVICE (1)");
    }
    h.pointer_mode = mode;
    return {};
  });
}

fg_status_t fg_get_pointer_mode(fg_handle_t handle, fg_pointer_mode_t* mode) {
  return get(__func__, handle, &fg_handle::pointer_mode, mode, "mode");
}

fg_status_t fg_set_math_mode(fg_handle_t handle, fg_math_mode_t mode) {
  return with_handle(__func__, handle, [&](fg_handle& h) -> Outcome {
    const int value = raw_enum(mode);
    if (value < FG_MATH_DEFAULT || value > FG_MATH_TF32) {
      return bad_mode(value, "one of FG_MATH_DEFAULT (0) to FG_MATH_TF32 (3)");
    }
    h.math_mode = mode;
    return {};
  });
}

fg_status_t fg_get_math_mode(fg_handle_t handle, fg_math_mode_t* mode) {
  return get(__func__, handle, &fg_handle::math_mode, mode, "mode");
}

fg_status_t fg_set_workspace(fg_handle_t handle, void* workspace, size_t bytes) {
  return with_handle(__func__, handle, [&](fg_handle& h) -> Outcome {
    if (workspace == nullptr && bytes != 0) {
      return {FG_STATUS_INVALID_VALUE, "workspace is null, but bytes = " + std::to_string(bytes)};
    }
    if (reinterpret_cast<std::uintptr_t>(workspace) % kWorkspaceAlignment != 0) {
      return {FG_STATUS_INVALID_VALUE, "workspace is not a multiple of 256 bytes"};
    }
    if (workspace == nullptr) {
      if (Outcome outcome = add_slot(h, h.stream); outcome.status != FG_STATUS_SUCCESS) return outcome;
    }
    h.workspace.set_user(workspace, bytes);
    h.has_user_workspace = workspace != nullptr;
    return {};
  });
}

fg_status_t fg_set_sm_count_target(fg_handle_t handle, int sm_count) {
  return with_handle(__func__, handle, [&](fg_handle& h) -> Outcome {
    if (sm_count < 0 || sm_count > h.device.sm_count) {
      return {FG_STATUS_INVALID_VALUE, "sm_count = " + std::to_string(sm_count) +
                                           " is not between 0 and the device's " + std::to_string(h.device.sm_count)};
    }
    h.sm_count_target = sm_count;
    return {};
  });
}

fg_status_t fg_get_sm_count_target(fg_handle_t handle, int* sm_count) {
  return get(__func__, handle, &fg_handle::sm_count_target, sm_count, "sm_count");
}
