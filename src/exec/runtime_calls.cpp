// The CUDA runtime behind RuntimeCalls, and the test whether a context still stands.
#include "src/exec/runtime_calls.h"

#include <cudaTypedefs.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

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
      cudaGetDriverEntryPointByVersion("cuCtxGetId", &entry, 12000, cudaEnableDefault, &found);
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess || entry == nullptr) {
    cudaGetLastError();
    return 0;
  }
  unsigned long long id = 0;
  const auto get_id = reinterpret_cast<PFN_cuCtxGetId_v12000>(entry);
  return get_id(nullptr, &id) == CUDA_SUCCESS ? id : 0;
}

ContextMark mark_context() {
  watch_for_exit();
  ContextMark mark;
  if (cudaGetDevice(&mark.device) != cudaSuccess) cudaGetLastError();
  mark.context = current_context_id();
  mark.process = getpid();
  return mark;
}

bool context_alive(const ContextMark& mark) {
  if (process_exits || mark.process != getpid()) return false;
  int current = 0;
  // cudaSetDevice makes the device's primary context current, a new one after cudaDeviceReset: then the id differs.
  if (cudaGetDevice(&current) != cudaSuccess || cudaSetDevice(mark.device) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  const bool alive = current_context_id() == mark.context;
  cudaSetDevice(current);
  return alive;
}

cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode) {
  if (cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess) cudaGetLastError();
  return mode;
}

// Another thread's stream may be capturing in global mode, which forbids allocation to all: relaxed for this call.
cudaError_t allocate(void** memory, std::size_t bytes) {
  const cudaStreamCaptureMode before = exchange_capture_mode(cudaStreamCaptureModeRelaxed);
  const cudaError_t error = cudaMalloc(memory, bytes);
  if (error != cudaSuccess) cudaGetLastError();
  exchange_capture_mode(before);
  return error;
}

cudaError_t release(void* memory) {
  const cudaStreamCaptureMode before = exchange_capture_mode(cudaStreamCaptureModeRelaxed);
  const cudaError_t error = cudaFree(memory);
  if (error != cudaSuccess) cudaGetLastError();
  exchange_capture_mode(before);
  return error;
}

// On a stream of its own: the legacy stream would wait for whatever else runs, and may not be used during a capture.
cudaError_t zero(void* memory, std::size_t bytes) {
  const cudaStreamCaptureMode before = exchange_capture_mode(cudaStreamCaptureModeRelaxed);
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error == cudaSuccess) {
    error = cudaMemsetAsync(memory, 0, bytes, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  if (error != cudaSuccess) cudaGetLastError();
  exchange_capture_mode(before);
  return error;
}

#ifdef FASTGEMM_HAS_EPILOGUE_APPLY
constexpr auto prepare_apply = prepare_epilogue_apply;
constexpr auto launch_apply = launch_epilogue_apply;
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
