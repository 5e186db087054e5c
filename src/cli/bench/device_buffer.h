// Device memory that frees itself, and CUDA errors as exceptions, for the bench's own use.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace fastgemm::cli {

class CudaFailure : public std::runtime_error {
 public:
  CudaFailure(const std::string& what, cudaError_t error)
      : std::runtime_error(what + ": " + cudaGetErrorString(error)), code(error) {}
  cudaError_t code;
};

inline void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw CudaFailure(what, error);
}

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::int64_t bytes) {
    require(cudaMalloc(&data_, static_cast<std::size_t>(bytes)), "cudaMalloc");
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(DeviceBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

}  // namespace fastgemm::cli
