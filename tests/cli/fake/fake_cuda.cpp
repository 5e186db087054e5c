// The CUDA runtime of the fake GPU: what the bench calls of it.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "tests/cli/fake/fake_gpu.h"

namespace {

std::map<void*, std::int64_t> allocations;
cudaError_t last_error = cudaSuccess;

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

double& event_time(cudaEvent_t event) { return *reinterpret_cast<double*>(event); }

}  // namespace

namespace fastgemm::test {

FakeGpu& fake_gpu() {
  static FakeGpu gpu;
  return gpu;
}

}  // namespace fastgemm::test

using fastgemm::test::fake_gpu;

extern "C" {

void fake_gpu_advance(double ms) { fake_gpu().clock_ms += ms; }
void fake_gpu_cublas_workspace(std::size_t bytes) { fake_gpu().cublas_workspace = bytes; }

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  if (fake_gpu().live_bytes + static_cast<std::int64_t>(bytes) > fake_gpu().memory_limit) {
    return remember(cudaErrorMemoryAllocation);
  }
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  allocations[*memory] = static_cast<std::int64_t>(bytes);
  fake_gpu().live_bytes += static_cast<std::int64_t>(bytes);
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  const auto found = allocations.find(memory);
  if (found != allocations.end()) {
    fake_gpu().live_bytes -= found->second;
    allocations.erase(found);
  }
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = reinterpret_cast<cudaStream_t>(new char);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete reinterpret_cast<char*>(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return fake_gpu().broken ? remember(cudaErrorIllegalAddress) : cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new double(0.0));
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<double*>(event);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event_time(event) = fake_gpu().clock_ms;
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop) {
  *ms = static_cast<float>(event_time(stop) - event_time(start));
  return cudaSuccess;
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "a CUDA error";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strcpy(properties->name, "Fake GPU");
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const std::map<cudaDeviceAttr, int> values = {
      {cudaDevAttrComputeCapabilityMajor, 9}, {cudaDevAttrComputeCapabilityMinor, 0},
      {cudaDevAttrMultiProcessorCount, 10},   {cudaDevAttrClockRate, 1000000},
      {cudaDevAttrMemoryClockRate, 2000000},  {cudaDevAttrGlobalMemoryBusWidth, 512}};
  const auto found = values.find(attribute);
  *value = found != values.end() ? found->second : 0;
  return cudaSuccess;
}

}  // extern "C"
