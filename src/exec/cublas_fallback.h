// cuBLAS as the answer for what no kernel of ours takes. This and cublas_library are the only places that know cuBLAS,
// which is opened at run time and is no link dependency.
#pragma once

#include <memory>
#include <string>

#include "fastgemm/fastgemm.h"
#include "kernels/contract.h"

namespace fastgemm {

struct ExecuteResult;
struct RuntimeCalls;

struct FallbackOptions {
  std::string library;                    // file name of libcublas; empty: search for it
  const RuntimeCalls* runtime = nullptr;  // null: CUDA's own
};

class CublasFallback {
 public:
  // Opens libcublas (one already in the process first, then FASTGEMM_CUBLAS, then libcublas.so.13 and .12) and makes
  // its handle and reserve workspace on the current device. Null, with the reason in *error, when that cannot be had.
  static std::unique_ptr<CublasFallback> open(std::string* error);
  static std::unique_ptr<CublasFallback> open(const FallbackOptions& options, std::string* error);
  ~CublasFallback();

  // Device scalars are not served (NOT_SUPPORTED): cuBLAS would read A and B when alpha is 0.
  static bool supports(const GemmProblem& problem);
  // Any problem it supports, epilogue included. Safe from several threads; capturable. cuBLAS works in the launch's
  // workspace; only where that is too small (a caller's own, which the caller orders) in a small one of the fallback's.
  ExecuteResult run(const GemmProblem& problem, const LaunchContext& context);

  const std::string& path() const;  // the file libcublas came from
  int version() const;              // cublasGetVersion

 private:
  CublasFallback();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fastgemm
