// The current GPU as selection and launches see it, or why there is none to use.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "fastgemm/fastgemm.h"
#include "kernels/contract.h"

namespace fastgemm {

struct DeviceResult {
  fg_status_t status = FG_STATUS_SUCCESS;
  DeviceInfo device;  // set when status is SUCCESS
  std::string error;  // one sentence for fg_last_error otherwise
};

inline constexpr int kMinComputeCapability = 75;

// Asks the CUDA runtime about the calling thread's current device. Leaves no error behind in cudaGetLastError.
DeviceResult query_current_device();

// Why counting devices gave `error` and `count`, in words; empty when there is a device. `driver_version` is
// cudaDriverGetVersion's: 0 without a driver.
std::string no_device_reason(cudaError_t error, int count, int driver_version);

// Checks that `device` can run this library's kernels.
DeviceResult accept_device(const DeviceInfo& device, const std::string& name);

// GB/s of double data rate memory from its clock in kHz and its width in bits.
double memory_bandwidth_gbps(int clock_khz, int bus_width_bits);

}  // namespace fastgemm
