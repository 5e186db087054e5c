// Enumerators equal cuBLAS's and CUDA's, and layouts are those that programs were compiled against.
#include <cublas_api.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <library_types.h>

#include <cstddef>
#include <type_traits>

#include "fastgemm/fastgemm.h"

#define FG_SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours)

FG_SAME(FG_STATUS_SUCCESS, CUBLAS_STATUS_SUCCESS);
FG_SAME(FG_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_NOT_INITIALIZED);
FG_SAME(FG_STATUS_ALLOC_FAILED, CUBLAS_STATUS_ALLOC_FAILED);
FG_SAME(FG_STATUS_INVALID_VALUE, CUBLAS_STATUS_INVALID_VALUE);
FG_SAME(FG_STATUS_ARCH_MISMATCH, CUBLAS_STATUS_ARCH_MISMATCH);
FG_SAME(FG_STATUS_MAPPING_ERROR, CUBLAS_STATUS_MAPPING_ERROR);
FG_SAME(FG_STATUS_EXECUTION_FAILED, CUBLAS_STATUS_EXECUTION_FAILED);
FG_SAME(FG_STATUS_INTERNAL_ERROR, CUBLAS_STATUS_INTERNAL_ERROR);
FG_SAME(FG_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_NOT_SUPPORTED);
FG_SAME(FG_OP_N, CUBLAS_OP_N);
FG_SAME(FG_OP_T, CUBLAS_OP_T);
FG_SAME(FG_OP_C, CUBLAS_OP_C);
FG_SAME(FG_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_HOST);
FG_SAME(FG_POINTER_MODE_DEVICE, CUBLAS_POINTER_MODE_DEVICE);
FG_SAME(FG_R_32F, CUDA_R_32F);
FG_SAME(FG_R_16F, CUDA_R_16F);

static_assert(std::is_same_v<fg_stream_t, cudaStream_t>);
static_assert(sizeof(fg_half) == sizeof(__half) && alignof(fg_half) == alignof(__half));

// Enums are passed as cuBLAS's are.
static_assert(sizeof(fg_status_t) == sizeof(cublasStatus_t) && sizeof(fg_operation_t) == sizeof(cublasOperation_t));

static_assert(sizeof(fg_gemm_desc) == 200);
static_assert(offsetof(fg_gemm_desc, transa) == 8 && offsetof(fg_gemm_desc, type_ab) == 16);
static_assert(offsetof(fg_gemm_desc, math_mode) == 24 && offsetof(fg_gemm_desc, activation) == 32);
static_assert(offsetof(fg_gemm_desc, m) == 40 && offsetof(fg_gemm_desc, batch_count) == 64);
static_assert(offsetof(fg_gemm_desc, alpha) == 72 && offsetof(fg_gemm_desc, A) == 88);
static_assert(offsetof(fg_gemm_desc, D) == 112);
static_assert(offsetof(fg_gemm_desc, lda) == 120 && offsetof(fg_gemm_desc, stride_a) == 152);
static_assert(offsetof(fg_gemm_desc, bias) == 184 && offsetof(fg_gemm_desc, stride_bias) == 192);
