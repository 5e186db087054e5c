// cuBLAS as the answer for what no kernel of ours takes. The only place that knows cuBLAS; the library is opened at run
// time and is no link dependency.
#pragma once

#include <memory>
#include <string>

#include "fastgemm/fastgemm.h"
#include "kernels/contract.h"

namespace fastgemm {

struct ExecuteResult;

class CublasFallback {
 public:
  // Opens libcublas (one already in the process first, then FASTGEMM_CUBLAS, then libcublas.so.13 and .12) and makes
  // its handle and workspace on the current device. Null, with the reason in *error, when that cannot be had.
  static std::unique_ptr<CublasFallback> open(std::string* error);
  ~CublasFallback();

  // Device scalars are not served (NOT_SUPPORTED): cuBLAS would read A and B when alpha is 0.
  static bool supports(const GemmProblem& problem);
  // Any problem it supports, epilogue included. Safe from several threads; capturable.
  ExecuteResult run(const GemmProblem& problem, const LaunchContext& context);

  const std::string& path() const;  // the file libcublas came from
  int version() const;              // cublasGetVersion

 private:
  CublasFallback();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fastgemm
