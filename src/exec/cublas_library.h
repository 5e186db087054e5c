// libcublas, opened at run time: the functions the fallback calls, with the types cublas_v2.h gives them.
#pragma once

#include <cublas_v2.h>

#include <optional>
#include <string>

namespace fastgemm {

struct CublasFunctions {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasDestroy_v2) destroy = nullptr;
  decltype(&cublasGetVersion_v2) get_version = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  decltype(&cublasGemmEx_64) gemm = nullptr;
  decltype(&cublasGemmStridedBatchedEx_64) gemm_strided_batched = nullptr;
  decltype(&cublasGemmBatchedEx_64) gemm_batched = nullptr;
};

struct CublasLibrary {
  CublasFunctions functions;
  std::string path;  // the file it came from
};

// A libcublas.so.13 or .12 that the process already has; else `preferred` and no other, where it is not empty; else
// libcublas.so.13 and .12 as the loader finds them, or in /usr/local/cuda/lib64. Nothing, with the reason in *error,
// when none of these serves. What was opened stays open: CUDA libraries do not survive being unloaded.
std::optional<CublasLibrary> open_cublas(const std::string& preferred, std::string* error);

}  // namespace fastgemm
