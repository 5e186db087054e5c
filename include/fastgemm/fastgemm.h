/* fastgemm.h: matrix multiplication on NVIDIA GPUs, C99 interface. */
#ifndef FASTGEMM_FASTGEMM_H
#define FASTGEMM_FASTGEMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FG_VERSION_MAJOR 0
#define FG_VERSION_MINOR 1
#define FG_VERSION_PATCH 0
#define FG_VERSION (FG_VERSION_MAJOR * 10000 + FG_VERSION_MINOR * 100 + FG_VERSION_PATCH)

#if defined(__GNUC__)
#define FG_API __attribute__((visibility("default")))
#else
#define FG_API
#endif

/* ---- types ---- */
typedef struct fg_handle* fg_handle_t;
struct CUstream_st;
typedef struct CUstream_st* fg_stream_t; /* the same type as cudaStream_t */

/* IEEE binary16 as its bit pattern; layout of __half. */
typedef struct fg_half { uint16_t bits; } fg_half;

typedef enum fg_status_t { /* values equal cublasStatus_t's */
  FG_STATUS_SUCCESS = 0,
  FG_STATUS_NOT_INITIALIZED = 1,
  FG_STATUS_ALLOC_FAILED = 3,
  FG_STATUS_INVALID_VALUE = 7,
  FG_STATUS_ARCH_MISMATCH = 8,
  FG_STATUS_MAPPING_ERROR = 11,
  FG_STATUS_EXECUTION_FAILED = 13,
  FG_STATUS_INTERNAL_ERROR = 14,
  FG_STATUS_NOT_SUPPORTED = 15
} fg_status_t;

typedef enum fg_operation_t { FG_OP_N = 0, FG_OP_T = 1, FG_OP_C = 2 } fg_operation_t;
typedef enum fg_pointer_mode_t { FG_POINTER_MODE_HOST = 0, FG_POINTER_MODE_DEVICE = 1 } fg_pointer_mode_t;
typedef enum fg_math_mode_t {
  FG_MATH_DEFAULT = 0,
  FG_MATH_FP32_SEQUENTIAL = 1,
  FG_MATH_FP32_TENSOR = 2,
  FG_MATH_TF32 = 3
} fg_math_mode_t;
typedef enum fg_data_type_t { FG_R_32F = 0, FG_R_16F = 2 } fg_data_type_t; /* values equal cudaDataType_t's */
typedef enum fg_activation_t { FG_ACTIVATION_NONE = 0, FG_ACTIVATION_RELU = 1, FG_ACTIVATION_GELU = 2 } fg_activation_t;

/* One product for fg_gemm_ex: D = act(alpha * op(A) * op(B) + beta * C + bias). Fill with fg_gemm_desc_init first. */
typedef struct fg_gemm_desc {
  size_t struct_size;                    /* sizeof(fg_gemm_desc), set by fg_gemm_desc_init */
  fg_operation_t transa, transb;
  fg_data_type_t type_ab;                /* A and B */
  fg_data_type_t type_cd;                /* C, D and bias: type_ab, or FG_R_32F with FP16 A and B */
  fg_math_mode_t math_mode;
  int use_handle_math_mode;              /* 1 (init): the handle's math mode; 0: math_mode above */
  fg_activation_t activation;
  int64_t m, n, k, batch_count;
  const float* alpha;                    /* always FP32; host or device by the handle's pointer mode */
  const float* beta;
  const void* A;
  const void* B;
  const void* C;                         /* may be NULL when beta is a host 0 */
  void* D;                               /* NULL: D is C, in place */
  int64_t lda, ldb, ldc, ldd;            /* ldd 0 with D NULL */
  int64_t stride_a, stride_b, stride_c, stride_d; /* elements between batch entries */
  const void* bias;                      /* m values of type_cd, added to each column; NULL: none */
  int64_t stride_bias;
} fg_gemm_desc;

/* ---- library ---- */
FG_API fg_status_t fg_get_version(int* version);
FG_API const char* fg_status_name(fg_status_t status);
FG_API const char* fg_status_string(fg_status_t status);
FG_API const char* fg_last_error(void);

/* ---- handle ---- */
FG_API fg_status_t fg_create(fg_handle_t* handle);
FG_API fg_status_t fg_destroy(fg_handle_t handle);
FG_API fg_status_t fg_set_stream(fg_handle_t handle, fg_stream_t stream);
FG_API fg_status_t fg_get_stream(fg_handle_t handle, fg_stream_t* stream);
FG_API fg_status_t fg_set_pointer_mode(fg_handle_t handle, fg_pointer_mode_t mode);
FG_API fg_status_t fg_get_pointer_mode(fg_handle_t handle, fg_pointer_mode_t* mode);
FG_API fg_status_t fg_set_math_mode(fg_handle_t handle, fg_math_mode_t mode);
FG_API fg_status_t fg_get_math_mode(fg_handle_t handle, fg_math_mode_t* mode);
FG_API fg_status_t fg_set_workspace(fg_handle_t handle, void* workspace, size_t bytes);
FG_API fg_status_t fg_set_sm_count_target(fg_handle_t handle, int sm_count);
FG_API fg_status_t fg_get_sm_count_target(fg_handle_t handle, int* sm_count);

/* ---- kernels ---- */
/* Name of kernel number index (0, 1, ...), NULL past the last. No handle and no GPU needed. */
FG_API const char* fg_kernel_name(int index);
/* *available is 1 where that kernel has code for the handle's GPU, else 0. */
FG_API fg_status_t fg_get_kernel_available(fg_handle_t handle, const char* name, int* available);
/* Force every later product to kernel name, or to "cublas"; NULL or "": the dispatcher chooses again. */
FG_API fg_status_t fg_set_kernel(fg_handle_t handle, const char* name);

/* ---- products ---- */
FG_API fg_status_t fg_sgemm(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n, int k,
                            const float* alpha, const float* A, int lda, const float* B, int ldb, const float* beta,
                            float* C, int ldc);
FG_API fg_status_t fg_hgemm(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n, int k,
                            const fg_half* alpha, const fg_half* A, int lda, const fg_half* B, int ldb,
                            const fg_half* beta, fg_half* C, int ldc);
FG_API fg_status_t fg_sgemm_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n,
                               int64_t k, const float* alpha, const float* A, int64_t lda, const float* B, int64_t ldb,
                               const float* beta, float* C, int64_t ldc);
FG_API fg_status_t fg_hgemm_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n,
                               int64_t k, const fg_half* alpha, const fg_half* A, int64_t lda, const fg_half* B,
                               int64_t ldb, const fg_half* beta, fg_half* C, int64_t ldc);
FG_API fg_status_t fg_sgemm_strided_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m,
                                            int n, int k, const float* alpha, const float* A, int lda, int64_t strideA,
                                            const float* B, int ldb, int64_t strideB, const float* beta, float* C,
                                            int ldc, int64_t strideC, int batch_count);
FG_API fg_status_t fg_hgemm_strided_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m,
                                            int n, int k, const fg_half* alpha, const fg_half* A, int lda,
                                            int64_t strideA, const fg_half* B, int ldb, int64_t strideB,
                                            const fg_half* beta, fg_half* C, int ldc, int64_t strideC,
                                            int batch_count);
FG_API fg_status_t fg_sgemm_strided_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                               int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
                                               int64_t lda, int64_t strideA, const float* B, int64_t ldb,
                                               int64_t strideB, const float* beta, float* C, int64_t ldc,
                                               int64_t strideC, int64_t batch_count);
FG_API fg_status_t fg_hgemm_strided_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                               int64_t m, int64_t n, int64_t k, const fg_half* alpha, const fg_half* A,
                                               int64_t lda, int64_t strideA, const fg_half* B, int64_t ldb,
                                               int64_t strideB, const fg_half* beta, fg_half* C, int64_t ldc,
                                               int64_t strideC, int64_t batch_count);
FG_API fg_status_t fg_sgemm_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n,
                                    int k, const float* alpha, const float* const A[], int lda, const float* const B[],
                                    int ldb, const float* beta, float* const C[], int ldc, int batch_count);
FG_API fg_status_t fg_hgemm_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n,
                                    int k, const fg_half* alpha, const fg_half* const A[], int lda,
                                    const fg_half* const B[], int ldb, const fg_half* beta, fg_half* const C[], int ldc,
                                    int batch_count);
FG_API fg_status_t fg_sgemm_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m,
                                       int64_t n, int64_t k, const float* alpha, const float* const A[], int64_t lda,
                                       const float* const B[], int64_t ldb, const float* beta, float* const C[],
                                       int64_t ldc, int64_t batch_count);
FG_API fg_status_t fg_hgemm_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m,
                                       int64_t n, int64_t k, const fg_half* alpha, const fg_half* const A[],
                                       int64_t lda, const fg_half* const B[], int64_t ldb, const fg_half* beta,
                                       fg_half* const C[], int64_t ldc, int64_t batch_count);

/* ---- descriptor form ---- */
FG_API void fg_gemm_desc_init(fg_gemm_desc* desc);
FG_API fg_status_t fg_gemm_ex(fg_handle_t handle, const fg_gemm_desc* desc);
FG_API fg_status_t fg_get_workspace_size(fg_handle_t handle, const fg_gemm_desc* desc, size_t* bytes);
FG_API fg_status_t fg_explain(fg_handle_t handle, const fg_gemm_desc* desc, char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* FASTGEMM_FASTGEMM_H */
