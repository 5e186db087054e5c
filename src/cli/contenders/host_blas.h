// sgemm on the host: a BLAS library if one is installed, else a plain loop.
#pragma once

#include <string>

#include "src/cli/bench/shapes.h"

namespace fastgemm::cli {

class HostBlas {
 public:
  // FASTGEMM_HOST_BLAS, libopenblas.so.0, libblas.so.3, the plain loop: the first that is there.
  HostBlas();
  const std::string& name() const { return name_; }    // "OpenBLAS", "BLAS", "plain loop"
  const std::string& where() const { return where_; }  // the library's file; empty for the plain loop
  bool is_library() const { return sgemm_ != nullptr; }
  // C := alpha op(A) op(B) + beta C in FP32 (of FP16 shapes: the values, held in FP32). C is not read where beta is 0.
  void multiply(const Shape& shape, const float* a, const float* b, float* c) const;

 private:
  // Fortran's SGEMM with 32-bit integers; the two hidden string lengths come last.
  using Sgemm = void(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                     const int*, const float*, const int*, const float*, float*, const int*, std::size_t, std::size_t);
  Sgemm* sgemm_ = nullptr;
  std::string name_ = "plain loop";
  std::string where_;
};

}  // namespace fastgemm::cli
