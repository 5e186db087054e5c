// From the arguments of a cuBLAS call to an offer: which calls this library's kernels may be asked for.
#pragma once

#include <cublasLt.h>

#include "src/cublas_hook/offer.h"
#include "src/cublas_hook/target.h"
#include "src/problem/raw_enum.h"

namespace fastgemm::hook {

// Each read() takes the arguments of one form of call, without the handle, and tells whether types and computation are
// ours: FP32, FP16, or FP16 with an FP32 result; FP32 sums; never TF32. cublasHgemm and its batched forms are, too:
// FP32 sums are at least as accurate as what they promise.

bool read_types(cudaDataType_t type_a, cudaDataType_t type_b, cudaDataType_t type_c, GemmArguments* to);
bool is_plain_fp32(cublasComputeType_t compute_type);
bool is_default(cublasGemmAlgo_t algorithm);
// NVIDIA's own variables let cuBLAS compute FP32 from TF32 or BF16. Read once.
bool environment_allows_less();

template <DataType kType>
void set_type(GemmArguments* to) {
  to->type_ab = to->type_cd = to->type_scalar = kType;
}

// What all forms have; sizes of 32 or 64 bits.
template <class Int>
struct Shape {
  cublasOperation_t transa, transb;
  Int m, n, k;
};

template <class Int>
void set_shape(const Shape<Int>& shape, GemmArguments* to) {
  to->transa = raw_enum(shape.transa);
  to->transb = raw_enum(shape.transb);
  to->m = shape.m;
  to->n = shape.n;
  to->k = shape.k;
}

// cublas[SH]gemm
template <DataType kType>
struct Plain {
  template <class Int, class Value>
  static bool read(GemmArguments* to, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,
                   const Value* alpha, const Value* a, Int lda, const Value* b, Int ldb, const Value* beta, Value* c,
                   Int ldc) {
    set_type<kType>(to);
    set_shape<Int>({transa, transb, m, n, k}, to);
    to->alpha = alpha;
    to->a = a;
    to->lda = lda;
    to->b = b;
    to->ldb = ldb;
    to->beta = beta;
    to->c = c;
    to->ldc = ldc;
    return true;
  }
};

// cublas[SH]gemmStridedBatched
template <DataType kType>
struct StridedBatched {
  template <class Int, class Value>
  static bool read(GemmArguments* to, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,
                   const Value* alpha, const Value* a, Int lda, long long stride_a, const Value* b, Int ldb,
                   long long stride_b, const Value* beta, Value* c, Int ldc, long long stride_c, Int batch_count) {
    to->batched = true;
    to->stride_a = stride_a;
    to->stride_b = stride_b;
    to->stride_c = stride_c;
    to->batch_count = batch_count;
    return Plain<kType>::read(to, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
};

// cublas[SH]gemmBatched
template <DataType kType>
struct Batched {
  template <class Int, class Value>
  static bool read(GemmArguments* to, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,
                   const Value* alpha, const Value* const* a, Int lda, const Value* const* b, Int ldb,
                   const Value* beta, Value* const* c, Int ldc, Int batch_count) {
    set_type<kType>(to);
    set_shape<Int>({transa, transb, m, n, k}, to);
    to->batched = to->pointer_batched = true;
    to->alpha = alpha;
    to->a = a;
    to->lda = lda;
    to->b = b;
    to->ldb = ldb;
    to->beta = beta;
    to->c = c;
    to->ldc = ldc;
    to->batch_count = batch_count;
    return true;
  }
};

// cublasSgemmEx
struct SgemmEx {
  template <class Int>
  static bool read(GemmArguments* to, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,
                   const float* alpha, const void* a, cudaDataType_t type_a, Int lda, const void* b,
                   cudaDataType_t type_b, Int ldb, const float* beta, void* c, cudaDataType_t type_c, Int ldc) {
    set_shape<Int>({transa, transb, m, n, k}, to);
    to->alpha = alpha;
    to->a = a;
    to->lda = lda;
    to->b = b;
    to->ldb = ldb;
    to->beta = beta;
    to->c = c;
    to->ldc = ldc;
    return read_types(type_a, type_b, type_c, to);
  }
};

// cublasGemmEx
struct GemmEx {
  template <class Int>
  static bool read(GemmArguments* to, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,
                   const void* alpha, const void* a, cudaDataType_t type_a, Int lda, const void* b,
                   cudaDataType_t type_b, Int ldb, const void* beta, void* c, cudaDataType_t type_c, Int ldc,
                   cublasComputeType_t compute_type, cublasGemmAlgo_t algorithm) {
    return is_plain_fp32(compute_type) && is_default(algorithm) &&
           SgemmEx::read(to, transa, transb, m, n, k, static_cast<const float*>(alpha), a, type_a, lda, b, type_b, ldb,
                         static_cast<const float*>(beta), c, type_c, ldc);
  }
};

// cublasGemmStridedBatchedEx
struct GemmStridedBatchedEx {
  template <class Int>
  static bool read(GemmArguments* to, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,
                   const void* alpha, const void* a, cudaDataType_t type_a, Int lda, long long stride_a, const void* b,
                   cudaDataType_t type_b, Int ldb, long long stride_b, const void* beta, void* c,
                   cudaDataType_t type_c, Int ldc, long long stride_c, Int batch_count,
                   cublasComputeType_t compute_type, cublasGemmAlgo_t algorithm) {
    to->batched = true;
    to->stride_a = stride_a;
    to->stride_b = stride_b;
    to->stride_c = stride_c;
    to->batch_count = batch_count;
    return GemmEx::read(to, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                        compute_type, algorithm);
  }
};

// cublasGemmBatchedEx
struct GemmBatchedEx {
  template <class Int>
  static bool read(GemmArguments* to, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,
                   const void* alpha, const void* const* a, cudaDataType_t type_a, Int lda, const void* const* b,
                   cudaDataType_t type_b, Int ldb, const void* beta, void* const* c, cudaDataType_t type_c, Int ldc,
                   Int batch_count, cublasComputeType_t compute_type, cublasGemmAlgo_t algorithm) {
    to->batched = to->pointer_batched = true;
    to->batch_count = batch_count;
    const void* array_of_c = c;
    return GemmEx::read(to, transa, transb, m, n, k, alpha, static_cast<const void*>(a), type_a, lda,
                        static_cast<const void*>(b), type_b, ldb, beta, const_cast<void*>(array_of_c), type_c, ldc,
                        compute_type, algorithm);
  }
};

// What the caller's cuBLAS handle says: stream, pointer mode, SMs to use. False where it cannot be asked, or where its
// math mode lets FP32 be computed with less, which cuBLAS then does faster.
bool read_handle(const Target& target, cublasHandle_t handle, Offer* offer);

// The arguments of cublasLtMatmul without its handle.
struct LtCall {
  cublasLtMatmulDesc_t desc = nullptr;
  const void* alpha = nullptr;
  const void* a = nullptr;
  cublasLtMatrixLayout_t a_layout = nullptr;
  const void* b = nullptr;
  cublasLtMatrixLayout_t b_layout = nullptr;
  const void* beta = nullptr;
  const void* c = nullptr;
  cublasLtMatrixLayout_t c_layout = nullptr;
  void* d = nullptr;
  cublasLtMatrixLayout_t d_layout = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  cudaStream_t stream = nullptr;
};

// Everything that a descriptor may ask beyond what is looked at here makes it false. The algorithm is not looked at: it
// chooses among kernels of cuBLAS.
bool read_lt_call(const Target& target, const LtCall& call, Offer* offer);

}  // namespace fastgemm::hook
