// cuBLAS as the answer for what no kernel of ours takes. This and cublas_library are the only places that know cuBLAS,
// which is opened at run time and is no link dependency.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "fastgemm/fastgemm.h"
#include "kernels/contract.h"

namespace fastgemm {

struct ExecuteResult;
struct RuntimeCalls;

struct FallbackOptions {
  std::string library;                       // file name of libcublas; empty: search for it
  std::size_t workspace_bytes = 0;           // of the fallback's own slot for each stream
  const RuntimeCalls* runtime = nullptr;     // null: CUDA's own
};

class CublasFallback {
 public:
  // Opens libcublas (one already in the process first, then FASTGEMM_CUBLAS, then libcublas.so.13 and .12) and makes
  // its handle and workspace on the current device. Null, with the reason in *error, when that cannot be had.
  static std::unique_ptr<CublasFallback> open(std::string* error);
  static std::unique_ptr<CublasFallback> open(const FallbackOptions& options, std::string* error);
  ~CublasFallback();

  // Makes cuBLAS's workspace for `stream`. Call when a stream is set; the default stream's is there from the start. A
  // stream without one takes the launch's workspace instead.
  fg_status_t add_stream(cudaStream_t stream);

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
