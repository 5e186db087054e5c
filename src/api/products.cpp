// The product entry points: each hands its arguments on by name.
#include "src/api/run_product.h"
#include "src/problem/raw_enum.h"

using namespace fastgemm;

// ---- one product ----

fg_status_t fg_sgemm(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n, int k,
                     const float* alpha, const float* A, int lda, const float* B, int ldb, const float* beta, float* C,
                     int ldc) {
  return run_product(__func__, handle, {.transa = raw_enum(transa), .transb = raw_enum(transb), .m = m, .n = n,
                                        .k = k, .alpha = alpha, .beta = beta, .a = A, .b = B, .c = C, .lda = lda,
                                        .ldb = ldb, .ldc = ldc});
}

fg_status_t fg_hgemm(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n, int k,
                     const fg_half* alpha, const fg_half* A, int lda, const fg_half* B, int ldb, const fg_half* beta,
                     fg_half* C, int ldc) {
  return run_product(__func__, handle, {.type_ab = DataType::kFloat16, .type_cd = DataType::kFloat16,
                                        .type_scalar = DataType::kFloat16, .transa = raw_enum(transa),
                                        .transb = raw_enum(transb), .m = m, .n = n, .k = k, .alpha = alpha,
                                        .beta = beta, .a = A, .b = B, .c = C, .lda = lda, .ldb = ldb, .ldc = ldc});
}

fg_status_t fg_sgemm_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n,
                        int64_t k, const float* alpha, const float* A, int64_t lda, const float* B, int64_t ldb,
                        const float* beta, float* C, int64_t ldc) {
  return run_product(__func__, handle, {.transa = raw_enum(transa), .transb = raw_enum(transb), .m = m, .n = n,
                                        .k = k, .alpha = alpha, .beta = beta, .a = A, .b = B, .c = C, .lda = lda,
                                        .ldb = ldb, .ldc = ldc});
}

fg_status_t fg_hgemm_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n,
                        int64_t k, const fg_half* alpha, const fg_half* A, int64_t lda, const fg_half* B, int64_t ldb,
                        const fg_half* beta, fg_half* C, int64_t ldc) {
  return run_product(__func__, handle, {.type_ab = DataType::kFloat16, .type_cd = DataType::kFloat16,
                                        .type_scalar = DataType::kFloat16, .transa = raw_enum(transa),
                                        .transb = raw_enum(transb), .m = m, .n = n, .k = k, .alpha = alpha,
                                        .beta = beta, .a = A, .b = B, .c = C, .lda = lda, .ldb = ldb, .ldc = ldc});
}

// ---- entries a fixed stride apart ----

fg_status_t fg_sgemm_strided_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n,
                                     int k, const float* alpha, const float* A, int lda, int64_t strideA,
                                     const float* B, int ldb, int64_t strideB, const float* beta, float* C, int ldc,
                                     int64_t strideC, int batch_count) {
  return run_product(__func__, handle, {.transa = raw_enum(transa), .transb = raw_enum(transb), .m = m, .n = n,
                                        .k = k, .alpha = alpha, .beta = beta, .a = A, .b = B, .c = C, .lda = lda,
                                        .ldb = ldb, .ldc = ldc, .batched = true, .stride_a = strideA,
                                        .stride_b = strideB, .stride_c = strideC, .batch_count = batch_count});
}

fg_status_t fg_hgemm_strided_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n,
                                     int k, const fg_half* alpha, const fg_half* A, int lda, int64_t strideA,
                                     const fg_half* B, int ldb, int64_t strideB, const fg_half* beta, fg_half* C,
                                     int ldc, int64_t strideC, int batch_count) {
  return run_product(__func__, handle, {.type_ab = DataType::kFloat16, .type_cd = DataType::kFloat16,
                                        .type_scalar = DataType::kFloat16, .transa = raw_enum(transa),
                                        .transb = raw_enum(transb), .m = m, .n = n, .k = k, .alpha = alpha,
                                        .beta = beta, .a = A, .b = B, .c = C, .lda = lda, .ldb = ldb, .ldc = ldc,
                                        .batched = true, .stride_a = strideA, .stride_b = strideB,
                                        .stride_c = strideC, .batch_count = batch_count});
}

fg_status_t fg_sgemm_strided_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m,
                                        int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda,
                                        int64_t strideA, const float* B, int64_t ldb, int64_t strideB,
                                        const float* beta, float* C, int64_t ldc, int64_t strideC,
                                        int64_t batch_count) {
  return run_product(__func__, handle, {.transa = raw_enum(transa), .transb = raw_enum(transb), .m = m, .n = n,
                                        .k = k, .alpha = alpha, .beta = beta, .a = A, .b = B, .c = C, .lda = lda,
                                        .ldb = ldb, .ldc = ldc, .batched = true, .stride_a = strideA,
                                        .stride_b = strideB, .stride_c = strideC, .batch_count = batch_count});
}

fg_status_t fg_hgemm_strided_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m,
                                        int64_t n, int64_t k, const fg_half* alpha, const fg_half* A, int64_t lda,
                                        int64_t strideA, const fg_half* B, int64_t ldb, int64_t strideB,
                                        const fg_half* beta, fg_half* C, int64_t ldc, int64_t strideC,
                                        int64_t batch_count) {
  return run_product(__func__, handle, {.type_ab = DataType::kFloat16, .type_cd = DataType::kFloat16,
                                        .type_scalar = DataType::kFloat16, .transa = raw_enum(transa),
                                        .transb = raw_enum(transb), .m = m, .n = n, .k = k, .alpha = alpha,
                                        .beta = beta, .a = A, .b = B, .c = C, .lda = lda, .ldb = ldb, .ldc = ldc,
                                        .batched = true, .stride_a = strideA, .stride_b = strideB,
                                        .stride_c = strideC, .batch_count = batch_count});
}

// ---- entries wherever pointers say ----

fg_status_t fg_sgemm_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n, int k,
                             const float* alpha, const float* const A[], int lda, const float* const B[], int ldb,
                             const float* beta, float* const C[], int ldc, int batch_count) {
  return run_product(__func__, handle, {.transa = raw_enum(transa), .transb = raw_enum(transb), .m = m, .n = n,
                                        .k = k, .alpha = alpha, .beta = beta, .a = A, .b = B, .c = C, .lda = lda,
                                        .ldb = ldb, .ldc = ldc, .batched = true, .pointer_batched = true,
                                        .batch_count = batch_count});
}

fg_status_t fg_hgemm_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n, int k,
                             const fg_half* alpha, const fg_half* const A[], int lda, const fg_half* const B[], int ldb,
                             const fg_half* beta, fg_half* const C[], int ldc, int batch_count) {
  return run_product(__func__, handle, {.type_ab = DataType::kFloat16, .type_cd = DataType::kFloat16,
                                        .type_scalar = DataType::kFloat16, .transa = raw_enum(transa),
                                        .transb = raw_enum(transb), .m = m, .n = n, .k = k, .alpha = alpha,
                                        .beta = beta, .a = A, .b = B, .c = C, .lda = lda, .ldb = ldb, .ldc = ldc,
                                        .batched = true, .pointer_batched = true, .batch_count = batch_count});
}

fg_status_t fg_sgemm_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n,
                                int64_t k, const float* alpha, const float* const A[], int64_t lda,
                                const float* const B[], int64_t ldb, const float* beta, float* const C[], int64_t ldc,
                                int64_t batch_count) {
  return run_product(__func__, handle, {.transa = raw_enum(transa), .transb = raw_enum(transb), .m = m, .n = n,
                                        .k = k, .alpha = alpha, .beta = beta, .a = A, .b = B, .c = C, .lda = lda,
                                        .ldb = ldb, .ldc = ldc, .batched = true, .pointer_batched = true,
                                        .batch_count = batch_count});
}

fg_status_t fg_hgemm_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n,
                                int64_t k, const fg_half* alpha, const fg_half* const A[], int64_t lda,
                                const fg_half* const B[], int64_t ldb, const fg_half* beta, fg_half* const C[],
                                int64_t ldc, int64_t batch_count) {
  return run_product(__func__, handle, {.type_ab = DataType::kFloat16, .type_cd = DataType::kFloat16,
                                        .type_scalar = DataType::kFloat16, .transa = raw_enum(transa),
                                        .transb = raw_enum(transb), .m = m, .n = n, .k = k, .alpha = alpha,
                                        .beta = beta, .a = A, .b = B, .c = C, .lda = lda, .ldb = ldb, .ldc = ldc,
                                        .batched = true, .pointer_batched = true, .batch_count = batch_count});
}
