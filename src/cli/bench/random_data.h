// N(0,1) data on the device: from cuRAND where it is installed, else from our own generator. Never zeros: products of
// those draw less power and run faster than any real one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/contract.h"

namespace fastgemm::cli {

class RandomData {
 public:
  RandomData(std::uint64_t seed, cudaStream_t stream);
  ~RandomData();
  // Throws CudaFailure. `data` has room for an even number of elements.
  void fill(void* data, DataType type, std::int64_t count);
  std::string description() const;  // "cuRAND N(0,1), seed 1"

 private:
  struct Curand;
  std::unique_ptr<Curand> curand_;
  std::uint64_t seed_;
  std::uint64_t fills_ = 0;
  cudaStream_t stream_;
};

// FP32 to FP16, rounded to nearest. In a build without device code: cudaErrorNoDevice.
cudaError_t narrow_to_half(const float* from, void* to, std::int64_t count, cudaStream_t stream);

}  // namespace fastgemm::cli
