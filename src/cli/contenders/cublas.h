// cuBLAS's contenders: cublasSgemm or cublasHgemm, cublasGemmEx with FP32 accumulation, and the fastest of cublasLt's
// heuristics.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/contract.h"
#include "src/cli/contenders/contender.h"
#include "src/cli/contenders/cublas_library.h"

namespace fastgemm::cli {

// Device memory that all cuBLAS contenders of a run share: they run one after the other.
struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

inline constexpr int kLtHeuristics = 16;

// With `math` kTf32 all three use TF32, so that like is compared with like; else FP32 throughout.
std::unique_ptr<Contender> make_cublas_gemm(std::shared_ptr<const CublasLibrary> cublas, DataType type, MathMode math,
                                            Workspace workspace, std::string* reason);
std::unique_ptr<Contender> make_cublas_gemm_ex(std::shared_ptr<const CublasLibrary> cublas, MathMode math,
                                               Workspace workspace, std::string* reason);
std::unique_ptr<Contender> make_cublas_lt(std::shared_ptr<const CublasLtLibrary> lt, MathMode math, Workspace workspace,
                                          std::string* reason);

}  // namespace fastgemm::cli
