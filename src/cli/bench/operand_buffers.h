// A, B and C of one shape in device memory, filled with random numbers.
#pragma once

#include "src/cli/bench/device_buffer.h"
#include "src/cli/bench/random_data.h"
#include "src/cli/contenders/contender.h"

namespace fastgemm::cli {

class OperandBuffers {
 public:
  // Throws CudaFailure, with cudaErrorMemoryAllocation where the GPU is too small.
  OperandBuffers(const Shape& shape, RandomData& random, cudaStream_t stream);

  const Operands& operands() const { return operands_; }
  const void* initial_c() const { return initial_c_address_; }  // null where beta is 0
  void* reference_c() const { return reference_c_address_; }    // for the result others are compared with

  // C as it is before a product: C0, or NaN in every byte pattern where beta is 0 and C must not be read.
  std::string restore_c() const;
  // The same only where it matters to what a launch computes: nothing where beta is 0.
  Launch restore_for_timing() const;
  std::string keep_as_reference() const;

  static std::int64_t bytes(const Shape& shape);  // device memory taken

 private:
  std::int64_t c_bytes_ = 0;
  DeviceBuffer a_, b_, c_, initial_c_, reference_c_;
  void* initial_c_address_ = nullptr;
  void* reference_c_address_ = nullptr;
  Operands operands_;
};

}  // namespace fastgemm::cli
