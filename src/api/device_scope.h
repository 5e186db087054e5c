// Scopes around CUDA work: the handle's device, and leave to allocate while some stream is being captured.
#pragma once

#include <cuda_runtime_api.h>

namespace fastgemm {

// Makes `ordinal` the thread's current device and puts the former one back. A negative ordinal asks for nothing.
class DeviceScope {
 public:
  explicit DeviceScope(int ordinal) {
    if (ordinal < 0) return;
    error_ = cudaGetDevice(&former_);
    if (error_ != cudaSuccess || former_ == ordinal) return;
    error_ = cudaSetDevice(ordinal);
    switched_ = error_ == cudaSuccess;
  }
  ~DeviceScope() {
    if (switched_) cudaSetDevice(former_);
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  cudaError_t error() const { return error_; }

 private:
  cudaError_t error_ = cudaSuccess;
  int former_ = 0;
  bool switched_ = false;
};

// A capture in the default (global) mode forbids allocation and module loading to every thread; creating a handle
// touches no stream of the caller's, so it is safe to say so.
class RelaxedCaptureScope {
 public:
  RelaxedCaptureScope() { exchanged_ = cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess; }
  ~RelaxedCaptureScope() {
    if (exchanged_) cudaThreadExchangeStreamCaptureMode(&mode_);
  }
  RelaxedCaptureScope(const RelaxedCaptureScope&) = delete;
  RelaxedCaptureScope& operator=(const RelaxedCaptureScope&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  bool exchanged_ = false;
};

}  // namespace fastgemm
