// Device attributes, and the texts for machines without a usable GPU.
#include "src/exec/device.h"

#include <utility>

#include "src/exec/cuda_status.h"

namespace fastgemm {

namespace {

struct DeviceReason {
  cudaError_t error;
  const char* text;
};

constexpr DeviceReason kDeviceReasons[] = {
    {cudaErrorNoDevice, "no usable GPU: the driver finds no CUDA device (CUDA_VISIBLE_DEVICES may hide it)"},
    {cudaErrorStubLibrary,
     "no usable GPU: the libcuda.so.1 that was loaded is the toolkit's stub for linking, not a driver; take the stubs "
     "folder out of the library path"},
    {cudaErrorSystemDriverMismatch, "no usable GPU: the parts of the installed driver have different versions"},
    {cudaErrorSystemNotReady,
     "no usable GPU: the driver is not ready (is the fabric manager or persistence daemon up?)"},
    {cudaErrorInitializationError,
     "no usable GPU: CUDA cannot be initialised in this process (a child of fork() cannot use its parent's CUDA)"},
    {cudaErrorDevicesUnavailable, "no usable GPU: all devices are busy or in exclusive mode"},
};

std::string driver_reason(int driver_version) {
  if (driver_version == 0) return "no usable GPU: no NVIDIA driver (libcuda.so.1) is installed";
  return "no usable GPU: the installed driver knows CUDA " + std::to_string(driver_version / 1000) + "." +
         std::to_string(driver_version % 1000 / 10) + ", too old for this library's CUDA " +
         std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

DeviceResult failed(fg_status_t status, std::string error) {
  DeviceResult result;
  result.status = status;
  result.error = std::move(error);
  return result;
}

// Reads the attributes one by one: the fields of cudaDeviceProp for clocks are gone, and filling the whole of it takes
// a hundred times as long.
cudaError_t read_attributes(int ordinal, DeviceInfo* device) {
  int major = 0, minor = 0, clock_khz = 0, memory_khz = 0, bus_bits = 0, shared_bytes = 0, l2_bytes = 0;
  const std::pair<cudaDeviceAttr, int*> attributes[] = {
      {cudaDevAttrComputeCapabilityMajor, &major},
      {cudaDevAttrComputeCapabilityMinor, &minor},
      {cudaDevAttrMultiProcessorCount, &device->sm_count},
      {cudaDevAttrClockRate, &clock_khz},
      {cudaDevAttrMemoryClockRate, &memory_khz},
      {cudaDevAttrGlobalMemoryBusWidth, &bus_bits},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared_bytes},
      {cudaDevAttrL2CacheSize, &l2_bytes},
  };
  for (const auto& [attribute, value] : attributes) {
    const cudaError_t error = answered(cudaDeviceGetAttribute(value, attribute, ordinal));
    if (error != cudaSuccess) return error;
  }
  device->ordinal = ordinal;
  device->compute_capability = major * 10 + minor;
  device->shared_bytes_per_block = shared_bytes;
  device->l2_bytes = l2_bytes;
  device->clock_ghz = clock_khz * 1e-6;
  device->memory_gbps = memory_bandwidth_gbps(memory_khz, bus_bits);
  return cudaSuccess;
}

std::string device_name(int ordinal) {
  cudaDeviceProp properties{};
  if (answered(cudaGetDeviceProperties(&properties, ordinal)) == cudaSuccess) return properties.name;
  return "device " + std::to_string(ordinal);
}

}  // namespace

double memory_bandwidth_gbps(int clock_khz, int bus_width_bits) {
  return 2.0 * clock_khz * 1e3 * (bus_width_bits / 8.0) * 1e-9;
}

std::string no_device_reason(cudaError_t error, int count, int driver_version) {
  if (error == cudaSuccess) return count > 0 ? std::string() : no_device_reason(cudaErrorNoDevice, 0, driver_version);
  if (error == cudaErrorInsufficientDriver) return driver_reason(driver_version);
  for (const DeviceReason& reason : kDeviceReasons) {
    if (reason.error == error) return reason.text;
  }
  return cuda_error_text("no usable GPU: cudaGetDeviceCount", error);
}

DeviceResult accept_device(const DeviceInfo& device, const std::string& name) {
  DeviceResult result;
  result.device = device;
  if (device.compute_capability >= kMinComputeCapability) return result;
  result.status = FG_STATUS_NOT_INITIALIZED;
  result.error = "no usable GPU: " + name + " has compute capability " +
                 std::to_string(device.compute_capability / 10) + "." + std::to_string(device.compute_capability % 10) +
                 ", too old: 7.5 is the least";
  return result;
}

DeviceResult query_current_device() {
  int count = 0;
  const cudaError_t counted = answered(cudaGetDeviceCount(&count));
  int driver_version = 0;
  answered(cudaDriverGetVersion(&driver_version));  // where it fails, only a text is the poorer
  if (std::string reason = no_device_reason(counted, count, driver_version); !reason.empty()) {
    return failed(FG_STATUS_NOT_INITIALIZED, std::move(reason));
  }
  int ordinal = 0;
  DeviceInfo device;
  if (const cudaError_t error = answered(cudaGetDevice(&ordinal)); error != cudaSuccess) {
    return failed(FG_STATUS_NOT_INITIALIZED, cuda_error_text("cudaGetDevice", error));
  }
  if (const cudaError_t error = read_attributes(ordinal, &device); error != cudaSuccess) {
    return failed(status_from_cuda(error), cuda_error_text("reading the device's attributes", error));
  }
  const bool too_old = device.compute_capability < kMinComputeCapability;
  return accept_device(device, too_old ? device_name(ordinal) : std::string());
}

}  // namespace fastgemm
