// What ends a product on its device: thrown where a call fails, caught where the host BLAS takes over.
#pragma once

#include <stdexcept>
#include <string>

#include "src/exec/cuda_status.h"

namespace fastgemm::dropin {

class GpuFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The device works, but a product does not fit what is free of its memory.
class NoRoom : public std::runtime_error {
 public:
  NoRoom() : std::runtime_error("too little device memory is free") {}
};

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw GpuFailure(cuda_error_text(what, error));
}

}  // namespace fastgemm::dropin
