// The cuBLAS names that libfastgemm_cublas.so answers.
#pragma once

#include <array>

namespace fastgemm::hook {

enum Entry {
  kSgemm,
  kSgemm64,
  kHgemm,
  kHgemm64,
  kSgemmStridedBatched,
  kSgemmStridedBatched64,
  kHgemmStridedBatched,
  kHgemmStridedBatched64,
  kSgemmBatched,
  kSgemmBatched64,
  kHgemmBatched,
  kHgemmBatched64,
  kSgemmEx,
  kSgemmEx64,
  kGemmEx,
  kGemmEx64,
  kGemmStridedBatchedEx,
  kGemmStridedBatchedEx64,
  kGemmBatchedEx,
  kGemmBatchedEx64,
  kLtMatmul,
};
inline constexpr int kEntries = 21;

inline constexpr std::array<const char*, kEntries> kEntryNames = {
    "cublasSgemm_v2",           "cublasSgemm_v2_64",
    "cublasHgemm",              "cublasHgemm_64",
    "cublasSgemmStridedBatched", "cublasSgemmStridedBatched_64",
    "cublasHgemmStridedBatched", "cublasHgemmStridedBatched_64",
    "cublasSgemmBatched",       "cublasSgemmBatched_64",
    "cublasHgemmBatched",       "cublasHgemmBatched_64",
    "cublasSgemmEx",            "cublasSgemmEx_64",
    "cublasGemmEx",             "cublasGemmEx_64",
    "cublasGemmStridedBatchedEx", "cublasGemmStridedBatchedEx_64",
    "cublasGemmBatchedEx",      "cublasGemmBatchedEx_64",
    "cublasLtMatmul"};

}  // namespace fastgemm::hook
