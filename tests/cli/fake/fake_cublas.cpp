// Plays libcublas: products on the host; cublasSgemm and cublasHgemm take 4 ms of the fake clock, cublasGemmEx 3.
#include <cublas_v2.h>

#include "tests/cli/fake/fake_gpu.h"
#include "tests/cli/fake/host_product.h"

#define FG_FAKE_API extern "C" __attribute__((visibility("default")))

using fastgemm::test::HostProduct;

namespace {

cublasStatus_t run(const HostProduct& product, double ms) {
  fake_gpu_advance(ms);
  fastgemm::test::multiply(product);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

FG_FAKE_API cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = reinterpret_cast<cublasHandle_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete reinterpret_cast<char*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
FG_FAKE_API cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
FG_FAKE_API cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void*, size_t bytes) {
  fake_gpu_cublas_workspace(bytes);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  *value = static_cast<int>(type) + 7;
  return CUBLAS_STATUS_SUCCESS;
}

FG_FAKE_API cublasStatus_t cublasSgemm_v2_64(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                                             int64_t n, int64_t k, const float* alpha, const float* a, int64_t lda,
                                             const float* b, int64_t ldb, const float* beta, float* c, int64_t ldc) {
  return run({false, op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k, *alpha, *beta, a, lda, b, ldb, c, ldc}, 4.0);
}

FG_FAKE_API cublasStatus_t cublasHgemm_64(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                                          int64_t n, int64_t k, const __half* alpha, const __half* a, int64_t lda,
                                          const __half* b, int64_t ldb, const __half* beta, __half* c, int64_t ldc) {
  return run({true, op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k, __half2float(*alpha), __half2float(*beta), a,
              lda, b, ldb, c, ldc},
             4.0);
}

FG_FAKE_API cublasStatus_t cublasGemmEx_64(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                                           int64_t n, int64_t k, const void* alpha, const void* a, cudaDataType type_a,
                                           int64_t lda, const void* b, cudaDataType, int64_t ldb, const void* beta,
                                           void* c, cudaDataType, int64_t ldc, cublasComputeType_t, cublasGemmAlgo_t) {
  return run({type_a == CUDA_R_16F, op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k,
              *static_cast<const float*>(alpha), *static_cast<const float*>(beta), a, lda, b, ldb, c, ldc},
             3.0);
}
