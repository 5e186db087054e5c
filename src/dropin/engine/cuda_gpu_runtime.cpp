// CUDA behind GpuRuntime, and the library's own kernels without the parts that a product of host matrices never needs:
// no cuBLAS (half a second to load), no FP16 kernels.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "fastgemm/fastgemm.h"
#include "src/api/handle.h"
#include "src/base/last_error.h"
#include "src/dropin/engine/gpu_runtime.h"
#include "src/exec/cuda_status.h"
#include "src/exec/device.h"

namespace fastgemm::dropin {

namespace {

// The handle of the device that this thread is bound to.
thread_local fg_handle* thread_products = nullptr;

std::vector<const KernelEntry*> fp32_kernels() {
  std::vector<const KernelEntry*> entries = kernel_table();
  std::erase_if(entries, [](const KernelEntry* entry) { return entry->type_ab != DataType::kFloat32; });
  return entries;
}

bool wants_tensor() { return environment().math == kMathModeNames[static_cast<int>(MathMode::kFp32Tensor)]; }

// Any failure of our own calls as an error code: the engine looks only at success.
cudaError_t code_of(fg_status_t status) { return status == FG_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown; }

cudaError_t copy(const CopyRect& rect, cudaMemcpyKind kind, cudaStream_t stream) {
  const auto bytes = [](std::int64_t elements) { return static_cast<std::size_t>(elements) * sizeof(float); };
  if (rect.columns == 1) return answered(cudaMemcpyAsync(rect.to, rect.from, bytes(rect.rows), kind, stream));
  return answered(cudaMemcpy2DAsync(rect.to, bytes(rect.to_ld), rect.from, bytes(rect.from_ld), bytes(rect.rows),
                                    static_cast<std::size_t>(rect.columns), kind, stream));
}

class CudaGpuRuntime final : public GpuRuntime {
 public:
  cudaError_t count_devices(int* count) override { return answered(cudaGetDeviceCount(count)); }

  cudaError_t enter_device(int device) override {
    // The program may be capturing a graph in another thread: allocations here are none of its business.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    if (const cudaError_t error = answered(cudaThreadExchangeStreamCaptureMode(&mode)); error != cudaSuccess) {
      return error;
    }
    return answered(cudaSetDevice(device));
  }

  cudaError_t describe_device(int device, GpuDescription* description) override {
    const auto properties = std::make_unique<cudaDeviceProp>();
    if (const cudaError_t error = answered(cudaGetDeviceProperties(properties.get(), device)); error != cudaSuccess) {
      return error;
    }
    static constexpr char kDigits[] = "0123456789abcdef";
    description->id = properties->name;
    description->id += ' ';
    for (const char byte : properties->uuid.bytes) {
      description->id += kDigits[(static_cast<unsigned char>(byte) >> 4) & 15];
      description->id += kDigits[static_cast<unsigned char>(byte) & 15];
    }
    description->sm_count = properties->multiProcessorCount;
    return cudaSuccess;
  }

  cudaError_t memory_info(std::size_t* free_bytes, std::size_t* total_bytes) override {
    return answered(cudaMemGetInfo(free_bytes, total_bytes));
  }
  cudaError_t allocate_device(void** memory, std::size_t bytes) override { return answered(cudaMalloc(memory, bytes)); }
  cudaError_t release_device(void* memory) override { return answered(cudaFree(memory)); }
  cudaError_t allocate_pinned(void** memory, std::size_t bytes) override {
    return answered(cudaHostAlloc(memory, bytes, cudaHostAllocDefault));
  }
  cudaError_t create_stream(cudaStream_t* stream) override {
    return answered(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  }
  cudaError_t create_event(cudaEvent_t* event) override {
    return answered(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  cudaError_t record(cudaEvent_t event, cudaStream_t stream) override {
    return answered(cudaEventRecord(event, stream));
  }
  cudaError_t wait(cudaStream_t stream, cudaEvent_t event) override {
    return answered(cudaStreamWaitEvent(stream, event, cudaEventWaitDefault));
  }
  cudaError_t query(cudaEvent_t event) override { return answered(cudaEventQuery(event)); }
  cudaError_t copy_in(const CopyRect& rect, cudaStream_t stream) override {
    return copy(rect, cudaMemcpyHostToDevice, stream);
  }
  cudaError_t copy_out(const CopyRect& rect, cudaStream_t stream) override {
    return copy(rect, cudaMemcpyDeviceToHost, stream);
  }

  cudaError_t locate(const void* data, std::size_t bytes, PlaceResult* result) override {
    const auto* const last = static_cast<const char*>(data) + bytes - 1;
    cudaPointerAttributes first_is{}, last_is{};
    if (const cudaError_t error = answered(cudaPointerGetAttributes(&first_is, data)); error != cudaSuccess) {
      return error;
    }
    if (first_is.type == cudaMemoryTypeUnregistered) return cudaSuccess;
    if (first_is.type == cudaMemoryTypeHost) {
      if (const cudaError_t error = answered(cudaPointerGetAttributes(&last_is, last)); error != cudaSuccess) {
        return error;
      }
      const bool one_range = last_is.type == cudaMemoryTypeHost;
      *result = {one_range ? Place::kPinned : Place::kPageable, -1, true};
      return cudaSuccess;
    }
    const bool managed = first_is.type == cudaMemoryTypeManaged;
    *result = {Place::kDevice, managed ? -1 : first_is.device, managed};
    return cudaSuccess;
  }

  cudaError_t synchronize() override { return answered(cudaDeviceSynchronize()); }

  cudaError_t open_products(std::size_t workspace_bytes, std::string* error) override {
    const fastgemm::DeviceResult found = query_current_device();
    if (found.status != FG_STATUS_SUCCESS) return fail(found.status, found.error, error);
    fastgemm::Outcome outcome;
    std::vector<const KernelEntry*> kernels = load_kernels(found.device, fp32_kernels(), &outcome);
    if (outcome.status != FG_STATUS_SUCCESS) return fail(outcome.status, outcome.error, error);
    if (kernels.empty()) return fail(FG_STATUS_ARCH_MISMATCH, "this build has no FP32 kernel for the device", error);
    const bool tensor = wants_tensor() && std::any_of(kernels.begin(), kernels.end(), [](const KernelEntry* entry) {
      return entry->fp32_tensor;  // others ask for no more than every handle has
    });
    if (!tensor) workspace_bytes = environment().workspace_bytes;
    thread_products = new fg_handle(found.device, std::move(kernels), workspace_bytes);
    thread_products->math_mode = wants_tensor() ? FG_MATH_FP32_TENSOR : FG_MATH_FP32_SEQUENTIAL;
    force_kernel(*thread_products, environment().kernel);  // where it is not one of these, it is for other products
    return cudaSuccess;
  }

  cudaError_t add_product_stream(cudaStream_t stream, std::string* error) override {
    return fail(fg_set_stream(thread_products, stream), last_error(), error);
  }

  cudaError_t multiply(const DeviceGemm& g, cudaStream_t stream, std::string* error) override {
    const auto op = [](char letter) { return letter == 'T' ? FG_OP_T : FG_OP_N; };
    fg_status_t status = fg_set_stream(thread_products, stream);
    if (status == FG_STATUS_SUCCESS) {
      status = fg_sgemm_64(thread_products, op(g.transa), op(g.transb), g.m, g.n, g.k, &g.alpha, g.a, g.lda, g.b, g.ldb,
                           &g.beta, g.c, g.ldc);
    }
    return fail(status, last_error(), error);
  }

 private:
  static cudaError_t fail(fg_status_t status, const std::string& text, std::string* error) {
    if (status != FG_STATUS_SUCCESS) *error = text;
    return code_of(status);
  }
};

}  // namespace

GpuRuntime& cuda_gpu_runtime() {
  static CudaGpuRuntime* const runtime = new CudaGpuRuntime;  // used by threads that outlive static objects
  return *runtime;
}

}  // namespace fastgemm::dropin
