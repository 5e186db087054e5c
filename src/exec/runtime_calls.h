// The few CUDA runtime calls that workspaces and the cuBLAS fallback make, as a table that tests replace.
#pragma once

#include <cuda_runtime_api.h>
#include <sys/types.h>

#include <cstddef>

#include "kernels/epilogue/apply.h"

namespace fastgemm {

// Which CUDA context of which process some memory or library handle belongs to.
struct ContextMark {
  int device = -1;
  unsigned long long context = 0;  // never the same twice in a process; 0: the driver did not tell
  pid_t process = 0;
};

struct RuntimeCalls {
  cudaError_t (*allocate)(void** memory, std::size_t bytes) = nullptr;
  cudaError_t (*release)(void* memory) = nullptr;
  // Zeros memory that is not in use; done, for every stream, when it returns.
  cudaError_t (*zero)(void* memory, std::size_t bytes) = nullptr;
  // The calling thread's current context, and whether a marked one still stands. It does not after cudaDeviceReset, in
  // a forked child, or once the process has begun to exit: what it owned is then gone and must not be touched.
  ContextMark (*mark_context)() = nullptr;
  bool (*context_alive)(const ContextMark& mark) = nullptr;
  // Sets this thread's capture mode and *mode to the former one; false where it could not, and both are as before.
  bool (*exchange_capture_mode)(cudaStreamCaptureMode* mode) = nullptr;
  // kernels/epilogue/apply.h; cudaErrorNoKernelImageForDevice where the build holds no code for this device.
  cudaError_t (*prepare_apply)() = nullptr;
  cudaError_t (*launch_apply)(const ApplyParams& params, cudaStream_t stream) = nullptr;
};

// The real ones.
const RuntimeCalls& cuda_runtime();

// Lets this thread's CUDA calls through while some stream is being captured: a capture in the default (global) mode
// forbids allocation and module loading to every thread. For calls that touch no stream of the caller's, or only such
// as a capture may hold.
class RelaxedCaptureScope {
 public:
  explicit RelaxedCaptureScope(const RuntimeCalls& runtime = cuda_runtime())
      : runtime_(runtime), exchanged_(runtime.exchange_capture_mode(&mode_)) {}
  ~RelaxedCaptureScope() {
    if (exchanged_) runtime_.exchange_capture_mode(&mode_);
  }
  RelaxedCaptureScope(const RelaxedCaptureScope&) = delete;
  RelaxedCaptureScope& operator=(const RelaxedCaptureScope&) = delete;

 private:
  const RuntimeCalls& runtime_;
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  bool exchanged_;
};

}  // namespace fastgemm
