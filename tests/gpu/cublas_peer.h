// cublasSgemm, opened at run time: the GPU tests compare with it where it is found, and need it for nothing else.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "kernels/contract.h"

namespace fastgemm::gpu_tests {

class CublasPeer {
 public:
  CublasPeer();
  ~CublasPeer();
  CublasPeer(const CublasPeer&) = delete;
  CublasPeer& operator=(const CublasPeer&) = delete;

  bool available() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }
  // The problem with host scalars and `d` in place of its D. cuBLAS's status.
  int sgemm(const GemmProblem& problem, float* d, cudaStream_t stream) const;

 private:
  using Create = int (*)(void**);
  using Destroy = int (*)(void*);
  using SetStream = int (*)(void*, cudaStream_t);
  using Sgemm = int (*)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                        const float*, float*, int);
  void* handle_ = nullptr;
  Destroy destroy_ = nullptr;
  SetStream set_stream_ = nullptr;
  Sgemm sgemm_ = nullptr;
  std::string error_;
};

}  // namespace fastgemm::gpu_tests
