// The CUDA runtime behind RuntimeCalls, and the test whether a context still stands.
#include "src/exec/runtime_calls.h"

#include <cudaTypedefs.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "src/exec/cuda_status.h"

namespace fastgemm {

namespace {

std::atomic<bool> process_exits{false};

// Registered after CUDA and cuBLAS have come up, so it runs before their own exit code.
void watch_for_exit() {
  static const int registered = std::atexit([] { process_exits = true; });
  static_cast<void>(registered);
}

// The identity of the current context, through the driver: the runtime has no call for it. 0 when it cannot be had.
unsigned long long current_context_id() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error =
      answered(cudaGetDriverEntryPointByVersion("cuCtxGetId", &entry, 12000, cudaEnableDefault, &found));
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess || entry == nullptr) return 0;
  unsigned long long id = 0;
  const auto get_id = reinterpret_cast<PFN_cuCtxGetId_v12000>(entry);
  return get_id(nullptr, &id) == CUDA_SUCCESS ? id : 0;
}

ContextMark mark_context() {
  watch_for_exit();
  ContextMark mark;
  answered(cudaGetDevice(&mark.device));
  mark.context = current_context_id();
  mark.process = getpid();
  return mark;
}

bool context_alive(const ContextMark& mark) {
  if (process_exits || mark.process != getpid()) return false;
  int current = 0;
  // cudaSetDevice makes the device's primary context current, a new one after cudaDeviceReset: then the id differs.
  if (answered(cudaGetDevice(&current)) != cudaSuccess) return false;
  if (mark.device >= 0 && answered(cudaSetDevice(mark.device)) != cudaSuccess) return false;
  // Where no id could be had for the mark, as with old drivers, the context is taken to stand.
  const bool alive = mark.context == 0 || current_context_id() == mark.context;
  answered(cudaSetDevice(current));
  return alive;
}

bool exchange_capture_mode(cudaStreamCaptureMode* mode) {
  return answered(cudaThreadExchangeStreamCaptureMode(mode)) == cudaSuccess;
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  const RelaxedCaptureScope capture_may_go_on;
  return answered(cudaMalloc(memory, bytes));
}

cudaError_t release(void* memory) {
  const RelaxedCaptureScope capture_may_go_on;
  return answered(cudaFree(memory));
}

// On a stream of its own: the legacy stream would wait for whatever else runs, and may not be used during a capture.
cudaError_t zero(void* memory, std::size_t bytes) {
  const RelaxedCaptureScope capture_may_go_on;
  cudaStream_t stream = nullptr;
  if (const cudaError_t error = answered(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      error != cudaSuccess) {
    return error;
  }
  cudaError_t error = answered(cudaMemsetAsync(memory, 0, bytes, stream));
  if (error == cudaSuccess) error = answered(cudaStreamSynchronize(stream));
  answered(cudaStreamDestroy(stream));  // the memory is zero whatever becomes of the stream
  return error;
}

#ifdef FASTGEMM_HAS_EPILOGUE_APPLY
cudaError_t prepare_apply() { return answered(prepare_epilogue_apply()); }
cudaError_t launch_apply(const ApplyParams& params, cudaStream_t stream) {
  return answered(launch_epilogue_apply(params, stream));
}
#else
// This build has no device code at all: the same answer as from a device that none of it was built for.
cudaError_t prepare_apply() { return cudaErrorNoKernelImageForDevice; }
cudaError_t launch_apply(const ApplyParams&, cudaStream_t) { return cudaErrorNoKernelImageForDevice; }
#endif

}  // namespace

const RuntimeCalls& cuda_runtime() {
  static constexpr RuntimeCalls kCalls{
      .allocate = allocate,
      .release = release,
      .zero = zero,
      .mark_context = mark_context,
      .context_alive = context_alive,
      .exchange_capture_mode = exchange_capture_mode,
      .prepare_apply = prepare_apply,
      .launch_apply = launch_apply,
  };
  return kCalls;
}

}  // namespace fastgemm
