#include "tests/faults/fake_cuda.h"

#include <cudaTypedefs.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "tests/faults/call_counter.h"
#include "tests/faults/documented_errors.h"

namespace fastgemm::test {

FakeCuda& fake_cuda() {
  static FakeCuda state;
  return state;
}

int FakeCuda::allocations() const {
  const auto is_live = [](const void* at) { return at != nullptr; };
  return static_cast<int>(std::count_if(std::begin(live), std::end(live), is_live));
}

namespace {

constexpr std::uintptr_t kFirstAddress = std::uintptr_t{1} << 46;  // not mapped in any process
constexpr std::uintptr_t kAddressStep = std::uintptr_t{1} << 32;

cudaError_t keep(cudaError_t error) {
  if (error != cudaSuccess) fake_cuda().pending = error;
  return error;
}

cudaError_t wrong(cudaError_t error) {
  ++fake_cuda().faults;
  return keep(error);
}

// The error that this call was made to fail with.
cudaError_t injected(const char* function, const void* site) {
  const auto error = static_cast<cudaError_t>(count_call(function, site));
  if (error == cudaSuccess) return error;
  fake_cuda().device_at_failure = fake_cuda().device;
  fake_cuda().mode_at_failure = fake_cuda().mode;
  return keep(error);
}

CUresult get_context_id(CUcontext, unsigned long long* id) {
  const auto error = static_cast<CUresult>(count_call("cuCtxGetId", __builtin_return_address(0)));
  if (error == CUDA_SUCCESS) *id = 100u + static_cast<unsigned long long>(fake_cuda().device);
  return error;
}

CUresult encode_tensor_map(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                           const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return static_cast<CUresult>(count_call("cuTensorMapEncodeTiled", __builtin_return_address(0)));
}

void* driver_function(std::string_view symbol) {
  if (symbol == "cuCtxGetId") return reinterpret_cast<void*>(get_context_id);
  if (symbol == "cuTensorMapEncodeTiled") return reinterpret_cast<void*>(encode_tensor_map);
  return nullptr;
}

int attribute_value(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: return fake_cuda().compute_capability / 10;
    case cudaDevAttrComputeCapabilityMinor: return fake_cuda().compute_capability % 10;
    case cudaDevAttrMultiProcessorCount: return kFakeSmCount;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return fake_cuda().compute_capability >= 80 ? 232448 : 65536;
    case cudaDevAttrL2CacheSize: return 50 << 20;
    case cudaDevAttrClockRate: return 1980000;
    case cudaDevAttrMemoryClockRate: return 3201000;
    case cudaDevAttrGlobalMemoryBusWidth: return 6144;
    default: return 1;
  }
}

}  // namespace
}  // namespace fastgemm::test

using namespace fastgemm::test;

#define FG_SITE __builtin_return_address(0)

extern "C" {

cudaError_t cudaGetLastError() { return std::exchange(fake_cuda().pending, cudaSuccess); }

const char* cudaGetErrorName(cudaError_t error) { return error_name(error); }

const char* cudaGetErrorString(cudaError_t) { return "as the fake runtime puts it"; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  *count = fake_cuda().device_count;
  return *count > 0 ? cudaSuccess : keep(cudaErrorNoDevice);
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  *device = fake_cuda().device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  if (device < 0 || device >= fake_cuda().device_count) return wrong(cudaErrorInvalidDevice);
  fake_cuda().device = device;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  *value = attribute_value(attribute);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  *properties = {};
  std::strcpy(properties->name, "fake GPU");
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, size_t) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  static std::uintptr_t next = kFirstAddress;
  const auto slot = std::find(std::begin(fake_cuda().live), std::end(fake_cuda().live), nullptr);
  if (slot == std::end(fake_cuda().live)) return wrong(cudaErrorMemoryAllocation);
  *memory = reinterpret_cast<void*>(next);
  *slot = *memory;
  next += kAddressStep;
  return cudaSuccess;
}

// An error here tells of earlier work: the memory is given back all the same.
cudaError_t cudaFree(void* memory) {
  const cudaError_t error = injected(__func__, FG_SITE);
  const auto slot = std::find(std::begin(fake_cuda().live), std::end(fake_cuda().live), memory);
  if (memory == nullptr || slot == std::end(fake_cuda().live)) return wrong(cudaErrorInvalidValue);
  *slot = nullptr;
  return error;
}

cudaError_t cudaMemsetAsync(void* memory, int, size_t, cudaStream_t) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  return memory != nullptr ? cudaSuccess : wrong(cudaErrorInvalidValue);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  ++fake_cuda().streams;
  *stream = reinterpret_cast<cudaStream_t>(kFirstAddress - kAddressStep);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return injected(__func__, FG_SITE); }

// As with cudaFree.
cudaError_t cudaStreamDestroy(cudaStream_t) {
  --fake_cuda().streams;
  return injected(__func__, FG_SITE);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  *mode = std::exchange(fake_cuda().mode, *mode);
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** entry, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  *entry = driver_function(symbol);
  if (*entry == nullptr) ++fake_cuda().faults;
  *found = *entry != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute, int value) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  if (function == nullptr) return wrong(cudaErrorInvalidDeviceFunction);
  return value <= attribute_value(cudaDevAttrMaxSharedMemoryPerBlockOptin) ? cudaSuccess : keep(cudaErrorInvalidValue);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (const cudaError_t error = injected(__func__, FG_SITE); error != cudaSuccess) return error;
  const dim3 grid = config->gridDim, block = config->blockDim;
  const bool sound = function != nullptr && arguments != nullptr && grid.x >= 1 && grid.y == 1 && grid.z == 1 &&
                     block.x >= 32 && block.x <= 1024 && block.y == 1 && block.z == 1 && fake_cuda().device == 0;
  if (!sound) return wrong(cudaErrorInvalidConfiguration);
  ++fake_cuda().launches;
  return cudaSuccess;
}

}  // extern "C"
