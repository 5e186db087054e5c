// cuBLAS and cublasLt, opened at run time, as tables of the functions the bench calls.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <memory>
#include <string>

namespace fastgemm::cli {

struct CublasLibrary {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasDestroy_v2) destroy = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasGetProperty) get_property = nullptr;
  decltype(&cublasSgemm_v2_64) sgemm = nullptr;
  decltype(&cublasHgemm_64) hgemm = nullptr;
  decltype(&cublasGemmEx_64) gemm_ex = nullptr;
  std::string path;
  std::string version;  // "13.1.0"

  // One already in the process first, then FASTGEMM_CUBLAS, then libcublas.so.13 and .12, as the library itself does.
  // Null, with the reason, where there is none.
  static std::shared_ptr<const CublasLibrary> open(std::string* reason);
};

struct CublasLtLibrary {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) get_heuristic = nullptr;

  static std::shared_ptr<const CublasLtLibrary> open(std::string* reason);
};

std::string cublas_status_text(cublasStatus_t status);

}  // namespace fastgemm::cli
