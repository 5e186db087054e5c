// What the offload engine asks of CUDA and of the library's own products, behind one seam: tests put a GPU in its place
// that copies and multiplies on the host, and fails when told to.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace fastgemm::dropin {

struct GpuDescription {
  std::string id;  // tells this GPU from every other one: what a calibration is filed under
  int sm_count = 1;
};

enum class Place {
  kPageable,  // ordinary memory: goes through the pinned ring
  kPinned,    // the GPU copies it directly
  kDevice,    // device or managed memory: used where it lies
};

struct PlaceResult {
  Place place = Place::kPageable;
  int device = -1;              // of kDevice; -1: any (managed)
  bool host_can_read = true;    // false for plain device memory
};

// A matrix in rectangles of `rows` by `columns`; strides in elements between columns.
struct CopyRect {
  float* to = nullptr;
  std::int64_t to_ld = 0;
  const float* from = nullptr;
  std::int64_t from_ld = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool past_cache = false;  // by the CPU: with streaming stores, which read no line before they write it
};

// C := alpha * op(A) * op(B) + beta * C in device memory.
struct DeviceGemm {
  char transa = 'N';
  char transb = 'N';
  std::int64_t m = 0, n = 0, k = 0;
  float alpha = 1.0f;
  const float* a = nullptr;
  std::int64_t lda = 0;
  const float* b = nullptr;
  std::int64_t ldb = 0;
  float beta = 0.0f;
  float* c = nullptr;
  std::int64_t ldc = 0;
};

// All calls for one device come from the one thread that entered it, save describe_device and count_devices. Streams
// and events are of that device. Nothing blocks but what says so.
class GpuRuntime {
 public:
  virtual ~GpuRuntime() = default;

  virtual cudaError_t count_devices(int* count) = 0;
  // Binds the calling thread to a device, for good.
  virtual cudaError_t enter_device(int device) = 0;
  virtual cudaError_t describe_device(int device, GpuDescription* description) = 0;
  virtual cudaError_t memory_info(std::size_t* free_bytes, std::size_t* total_bytes) = 0;
  virtual cudaError_t allocate_device(void** memory, std::size_t bytes) = 0;  // may wait for the device
  virtual cudaError_t release_device(void* memory) = 0;                       // may wait for the device
  virtual cudaError_t allocate_pinned(void** memory, std::size_t bytes) = 0;
  virtual cudaError_t create_stream(cudaStream_t* stream) = 0;
  virtual cudaError_t create_event(cudaEvent_t* event) = 0;
  virtual cudaError_t record(cudaEvent_t event, cudaStream_t stream) = 0;
  virtual cudaError_t wait(cudaStream_t stream, cudaEvent_t event) = 0;  // `stream` goes on when `event` has passed
  virtual cudaError_t query(cudaEvent_t event) = 0;                      // cudaErrorNotReady: not passed yet
  virtual cudaError_t copy_in(const CopyRect& rect, cudaStream_t stream) = 0;
  virtual cudaError_t copy_out(const CopyRect& rect, cudaStream_t stream) = 0;
  // Where `bytes` from `data` lie. What is only partly pinned is pageable.
  virtual cudaError_t locate(const void* data, std::size_t bytes, PlaceResult* result) = 0;
  // Waits until nothing of this process runs on the device any more.
  virtual cudaError_t synchronize() = 0;

  // The library's products on the entered device: made once, then told every stream that will be used. Each of those
  // gets so much device memory for what products need beside their matrices.
  virtual cudaError_t open_products(std::size_t workspace_bytes, std::string* error) = 0;
  virtual cudaError_t add_product_stream(cudaStream_t stream, std::string* error) = 0;
  virtual cudaError_t multiply(const DeviceGemm& gemm, cudaStream_t stream, std::string* error) = 0;
};

// The real one. `tensor`: products in FP32_TENSOR mode instead of FP32_SEQUENTIAL.
GpuRuntime& cuda_gpu_runtime();

}  // namespace fastgemm::dropin
