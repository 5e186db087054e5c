// The exported names, with the parameters of cublas_api.h and cublasLt.h.
#include "fastgemm/fastgemm.h"
#include "src/cublas_hook/answer.h"

using namespace fastgemm;
using namespace fastgemm::hook;

extern "C" {

FG_API cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                     int n, int k, const float* alpha, const float* A, int lda, const float* B, int ldb,
                                     const float* beta, float* C, int ldc) {
  return answer_gemm<Plain<DataType::kFloat32>>(kSgemm, __builtin_return_address(0), handle, transa, transb, m, n, k,
                                                alpha, A, lda, B, ldb, beta, C, ldc);
}

FG_API cublasStatus_t cublasSgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                        int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
                                        int64_t lda, const float* B, int64_t ldb, const float* beta, float* C,
                                        int64_t ldc) {
  return answer_gemm<Plain<DataType::kFloat32>>(kSgemm64, __builtin_return_address(0), handle, transa, transb, m, n, k,
                                                alpha, A, lda, B, ldb, beta, C, ldc);
}

FG_API cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const __half* alpha, const __half* A, int lda, const __half* B, int ldb,
                                  const __half* beta, __half* C, int ldc) {
  return answer_gemm<Plain<DataType::kFloat16>>(kHgemm, __builtin_return_address(0), handle, transa, transb, m, n, k,
                                                alpha, A, lda, B, ldb, beta, C, ldc);
}

FG_API cublasStatus_t cublasHgemm_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                     int64_t m, int64_t n, int64_t k, const __half* alpha, const __half* A, int64_t lda,
                                     const __half* B, int64_t ldb, const __half* beta, __half* C, int64_t ldc) {
  return answer_gemm<Plain<DataType::kFloat16>>(kHgemm64, __builtin_return_address(0), handle, transa, transb, m, n, k,
                                                alpha, A, lda, B, ldb, beta, C, ldc);
}

FG_API cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                                cublasOperation_t transb, int m, int n, int k, const float* alpha,
                                                const float* A, int lda, long long int strideA, const float* B, int ldb,
                                                long long int strideB, const float* beta, float* C, int ldc,
                                                long long int strideC, int batchCount) {
  return answer_gemm<StridedBatched<DataType::kFloat32>>(kSgemmStridedBatched, __builtin_return_address(0), handle,
                                                         transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb,
                                                         strideB, beta, C, ldc, strideC, batchCount);
}

FG_API cublasStatus_t cublasSgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
                                                   cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                                   const float* alpha, const float* A, int64_t lda,
                                                   long long int strideA, const float* B, int64_t ldb,
                                                   long long int strideB, const float* beta, float* C, int64_t ldc,
                                                   long long int strideC, int64_t batchCount) {
  return answer_gemm<StridedBatched<DataType::kFloat32>>(kSgemmStridedBatched64, __builtin_return_address(0), handle,
                                                         transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb,
                                                         strideB, beta, C, ldc, strideC, batchCount);
}

FG_API cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                                cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                                                const __half* A, int lda, long long int strideA, const __half* B,
                                                int ldb, long long int strideB, const __half* beta, __half* C, int ldc,
                                                long long int strideC, int batchCount) {
  return answer_gemm<StridedBatched<DataType::kFloat16>>(kHgemmStridedBatched, __builtin_return_address(0), handle,
                                                         transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb,
                                                         strideB, beta, C, ldc, strideC, batchCount);
}

FG_API cublasStatus_t cublasHgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
                                                   cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                                   const __half* alpha, const __half* A, int64_t lda,
                                                   long long int strideA, const __half* B, int64_t ldb,
                                                   long long int strideB, const __half* beta, __half* C, int64_t ldc,
                                                   long long int strideC, int64_t batchCount) {
  return answer_gemm<StridedBatched<DataType::kFloat16>>(kHgemmStridedBatched64, __builtin_return_address(0), handle,
                                                         transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb,
                                                         strideB, beta, C, ldc, strideC, batchCount);
}

FG_API cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const float* alpha, const float* const Aarray[], int lda,
                                         const float* const Barray[], int ldb, const float* beta, float* const Carray[],
                                         int ldc, int batchCount) {
  return answer_gemm<Batched<DataType::kFloat32>>(kSgemmBatched, __builtin_return_address(0), handle, transa, transb, m,
                                                  n, k, alpha, Aarray, lda, Barray, ldb, beta, Carray, ldc, batchCount);
}

FG_API cublasStatus_t cublasSgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                            int64_t m, int64_t n, int64_t k, const float* alpha,
                                            const float* const Aarray[], int64_t lda, const float* const Barray[],
                                            int64_t ldb, const float* beta, float* const Carray[], int64_t ldc,
                                            int64_t batchCount) {
  return answer_gemm<Batched<DataType::kFloat32>>(kSgemmBatched64, __builtin_return_address(0), handle, transa, transb,
                                                  m, n, k, alpha, Aarray, lda, Barray, ldb, beta, Carray, ldc,
                                                  batchCount);
}

FG_API cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const __half* alpha, const __half* const Aarray[],
                                         int lda, const __half* const Barray[], int ldb, const __half* beta,
                                         __half* const Carray[], int ldc, int batchCount) {
  return answer_gemm<Batched<DataType::kFloat16>>(kHgemmBatched, __builtin_return_address(0), handle, transa, transb, m,
                                                  n, k, alpha, Aarray, lda, Barray, ldb, beta, Carray, ldc, batchCount);
}

FG_API cublasStatus_t cublasHgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                            int64_t m, int64_t n, int64_t k, const __half* alpha,
                                            const __half* const Aarray[], int64_t lda, const __half* const Barray[],
                                            int64_t ldb, const __half* beta, __half* const Carray[], int64_t ldc,
                                            int64_t batchCount) {
  return answer_gemm<Batched<DataType::kFloat16>>(kHgemmBatched64, __builtin_return_address(0), handle, transa, transb,
                                                  m, n, k, alpha, Aarray, lda, Barray, ldb, beta, Carray, ldc,
                                                  batchCount);
}

FG_API cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                    int n, int k, const float* alpha, const void* A, cudaDataType Atype, int lda,
                                    const void* B, cudaDataType Btype, int ldb, const float* beta, void* C,
                                    cudaDataType Ctype, int ldc) {
  return answer_gemm<SgemmEx>(kSgemmEx, __builtin_return_address(0), handle, transa, transb, m, n, k, alpha, A, Atype,
                              lda, B, Btype, ldb, beta, C, Ctype, ldc);
}

FG_API cublasStatus_t cublasSgemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                       int64_t m, int64_t n, int64_t k, const float* alpha, const void* A,
                                       cudaDataType Atype, int64_t lda, const void* B, cudaDataType Btype, int64_t ldb,
                                       const float* beta, void* C, cudaDataType Ctype, int64_t ldc) {
  return answer_gemm<SgemmEx>(kSgemmEx64, __builtin_return_address(0), handle, transa, transb, m, n, k, alpha, A, Atype,
                              lda, B, Btype, ldb, beta, C, Ctype, ldc);
}

FG_API cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, const void* alpha, const void* A, cudaDataType Atype, int lda,
                                   const void* B, cudaDataType Btype, int ldb, const void* beta, void* C,
                                   cudaDataType Ctype, int ldc, cublasComputeType_t computeType,
                                   cublasGemmAlgo_t algo) {
  return answer_gemm<GemmEx>(kGemmEx, __builtin_return_address(0), handle, transa, transb, m, n, k, alpha, A, Atype,
                             lda, B, Btype, ldb, beta, C, Ctype, ldc, computeType, algo);
}

FG_API cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                      int64_t m, int64_t n, int64_t k, const void* alpha, const void* A,
                                      cudaDataType Atype, int64_t lda, const void* B, cudaDataType Btype, int64_t ldb,
                                      const void* beta, void* C, cudaDataType Ctype, int64_t ldc,
                                      cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
  return answer_gemm<GemmEx>(kGemmEx64, __builtin_return_address(0), handle, transa, transb, m, n, k, alpha, A, Atype,
                             lda, B, Btype, ldb, beta, C, Ctype, ldc, computeType, algo);
}

FG_API cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                                 cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                                 const void* A, cudaDataType Atype, int lda, long long int strideA,
                                                 const void* B, cudaDataType Btype, int ldb, long long int strideB,
                                                 const void* beta, void* C, cudaDataType Ctype, int ldc,
                                                 long long int strideC, int batchCount, cublasComputeType_t computeType,
                                                 cublasGemmAlgo_t algo) {
  return answer_gemm<GemmStridedBatchedEx>(kGemmStridedBatchedEx, __builtin_return_address(0), handle, transa, transb,
                                           m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb, strideB, beta, C,
                                           Ctype, ldc, strideC, batchCount, computeType, algo);
}

FG_API cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa,
                                                    cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                                    const void* alpha, const void* A, cudaDataType Atype, int64_t lda,
                                                    long long int strideA, const void* B, cudaDataType Btype,
                                                    int64_t ldb, long long int strideB, const void* beta, void* C,
                                                    cudaDataType Ctype, int64_t ldc, long long int strideC,
                                                    int64_t batchCount, cublasComputeType_t computeType,
                                                    cublasGemmAlgo_t algo) {
  return answer_gemm<GemmStridedBatchedEx>(kGemmStridedBatchedEx64, __builtin_return_address(0), handle, transa, transb,
                                           m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb, strideB, beta, C,
                                           Ctype, ldc, strideC, batchCount, computeType, algo);
}

FG_API cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* const Aarray[],
                                          cudaDataType Atype, int lda, const void* const Barray[], cudaDataType Btype,
                                          int ldb, const void* beta, void* const Carray[], cudaDataType Ctype, int ldc,
                                          int batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
  return answer_gemm<GemmBatchedEx>(kGemmBatchedEx, __builtin_return_address(0), handle, transa, transb, m, n, k, alpha,
                                    Aarray, Atype, lda, Barray, Btype, ldb, beta, Carray, Ctype, ldc, batchCount,
                                    computeType, algo);
}

FG_API cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                             int64_t m, int64_t n, int64_t k, const void* alpha,
                                             const void* const Aarray[], cudaDataType Atype, int64_t lda,
                                             const void* const Barray[], cudaDataType Btype, int64_t ldb,
                                             const void* beta, void* const Carray[], cudaDataType Ctype, int64_t ldc,
                                             int64_t batchCount, cublasComputeType_t computeType,
                                             cublasGemmAlgo_t algo) {
  return answer_gemm<GemmBatchedEx>(kGemmBatchedEx64, __builtin_return_address(0), handle, transa, transb, m, n, k,
                                    alpha, Aarray, Atype, lda, Barray, Btype, ldb, beta, Carray, Ctype, ldc, batchCount,
                                    computeType, algo);
}

FG_API cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                                     const void* A, cublasLtMatrixLayout_t layoutA, const void* B,
                                     cublasLtMatrixLayout_t layoutB, const void* beta, const void* C,
                                     cublasLtMatrixLayout_t layoutC, void* D, cublasLtMatrixLayout_t layoutD,
                                     const cublasLtMatmulAlgo_t* algo, void* workspace, size_t workspaceBytes,
                                     cudaStream_t stream) {
  const LtCall call = {.desc = desc, .alpha = alpha, .a = A, .a_layout = layoutA, .b = B, .b_layout = layoutB,
                       .beta = beta, .c = C, .c_layout = layoutC, .d = D, .d_layout = layoutD,
                       .workspace = workspace, .workspace_bytes = workspaceBytes, .stream = stream};
  const auto read = [&](const Target& target, Offer* offer) { return read_lt_call(target, call, offer); };
  return answer(kLtMatmul, __builtin_return_address(0), read, handle, desc, alpha, A, layoutA, B, layoutB, beta, C,
                layoutC, D, layoutD, algo, workspace, workspaceBytes, stream);
}

}  // extern "C"
