// The scope around CUDA work for a handle: its device.
#pragma once

#include <cuda_runtime_api.h>

#include "src/exec/cuda_status.h"

namespace fastgemm {

// Makes `ordinal` the thread's current device and puts the former one back. A negative ordinal asks for nothing.
class DeviceScope {
 public:
  explicit DeviceScope(int ordinal) {
    if (ordinal < 0) return;
    error_ = answered(cudaGetDevice(&former_));
    if (error_ != cudaSuccess || former_ == ordinal) return;
    error_ = answered(cudaSetDevice(ordinal));
    switched_ = error_ == cudaSuccess;
  }
  ~DeviceScope() {
    if (switched_) answered(cudaSetDevice(former_));
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  cudaError_t error() const { return error_; }

 private:
  cudaError_t error_ = cudaSuccess;
  int former_ = 0;
  bool switched_ = false;
};

}  // namespace fastgemm
