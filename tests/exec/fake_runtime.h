// The CUDA calls of src/exec/runtime_calls.h, played by host memory and a record.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "src/exec/runtime_calls.h"

namespace fastgemm::test {

struct FakeAllocation {
  void* data = nullptr;
  std::size_t bytes = 0;
};

struct FakeRuntime {
  std::vector<FakeAllocation> live;
  int releases = 0;
  cudaError_t allocate_error = cudaSuccess;
  cudaError_t zero_error = cudaSuccess;
  bool alive = true;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  std::vector<cudaStreamCaptureMode> capture_modes;  // every change, in order
  cudaError_t prepare_error = cudaSuccess;
  cudaError_t apply_error = cudaSuccess;
  std::vector<ApplyParams> passes;
  std::vector<cudaStream_t> pass_streams;
  cudaError_t (*apply)(const ApplyParams&, cudaStream_t) = nullptr;  // really runs a pass, where set
};

inline FakeRuntime& fake_runtime_state() {
  static FakeRuntime state;
  return state;
}

inline cudaError_t fake_allocate(void** memory, std::size_t bytes) {
  FakeRuntime& state = fake_runtime_state();
  if (state.allocate_error != cudaSuccess) return state.allocate_error;
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*memory, 0xa5, bytes);  // as device memory comes: with whatever was there
  state.live.push_back({*memory, bytes});
  return cudaSuccess;
}

inline cudaError_t fake_release(void* memory) {
  FakeRuntime& state = fake_runtime_state();
  ++state.releases;
  const auto found = std::find_if(state.live.begin(), state.live.end(),
                                  [&](const FakeAllocation& allocation) { return allocation.data == memory; });
  if (found == state.live.end()) return cudaErrorInvalidValue;
  state.live.erase(found);
  std::free(memory);
  return cudaSuccess;
}

inline cudaError_t fake_zero(void* memory, std::size_t bytes) {
  if (fake_runtime_state().zero_error == cudaSuccess) std::memset(memory, 0, bytes);
  return fake_runtime_state().zero_error;
}

inline cudaError_t fake_launch_apply(const ApplyParams& params, cudaStream_t stream) {
  FakeRuntime& state = fake_runtime_state();
  if (state.apply_error != cudaSuccess) return state.apply_error;
  state.passes.push_back(params);
  state.pass_streams.push_back(stream);
  return state.apply != nullptr ? state.apply(params, stream) : cudaSuccess;
}

inline bool fake_exchange_capture_mode(cudaStreamCaptureMode* mode) {
  FakeRuntime& state = fake_runtime_state();
  state.capture_modes.push_back(*mode);
  *mode = std::exchange(state.capture_mode, *mode);
  return true;
}

inline const RuntimeCalls& fake_runtime() {
  static const RuntimeCalls calls{
      .allocate = fake_allocate,
      .release = fake_release,
      .zero = fake_zero,
      .mark_context = [] { return ContextMark{.device = 0, .context = 7, .process = 1}; },
      .context_alive = [](const ContextMark& mark) { return fake_runtime_state().alive && mark.context == 7; },
      .exchange_capture_mode = fake_exchange_capture_mode,
      .prepare_apply = [] { return fake_runtime_state().prepare_error; },
      .launch_apply = fake_launch_apply,
  };
  return calls;
}

// Starts a test from a clean record, and gives back what a test left allocated on purpose.
inline FakeRuntime& reset_fake_runtime() {
  FakeRuntime& state = fake_runtime_state();
  for (const FakeAllocation& allocation : state.live) std::free(allocation.data);
  state = FakeRuntime{};
  return state;
}

}  // namespace fastgemm::test
