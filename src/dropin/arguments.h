// Arguments of a host BLAS call as they came, and what they mean.
//
// Integers are kept as the caller passed them: a pointer, or the whole register or stack slot. So a call is forwarded
// bit for bit whatever the size of the caller's integers; that size matters only for reading them.
#pragma once

#include <cstdint>

#include "src/dropin/host_gemm.h"

namespace fastgemm::dropin {

struct FortranArguments {
  const char* transa;  // one character is read; the hidden lengths never are
  const char* transb;
  const void* m;
  const void* n;
  const void* k;
  const float* alpha;
  const float* a;
  const void* lda;
  const float* b;
  const void* ldb;
  const float* beta;
  float* c;
  const void* ldc;
};

// 32-bit integers leave the upper half of a slot undefined.
struct CblasArguments {
  std::int64_t order;
  std::int64_t transa;
  std::int64_t transb;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  float alpha;
  const float* a;
  std::int64_t lda;
  const float* b;
  std::int64_t ldb;
  float beta;
  float* c;
  std::int64_t ldc;
};

// The product that the arguments describe, or the number of the first one that netlib's routine refuses, counted as it
// counts for xerbla, and *gemm then means nothing. 0: all are right; a row-major product becomes the column-major one
// of the transposes.
int read_arguments(const FortranArguments& arguments, bool wide, HostGemm* gemm);
int read_arguments(const CblasArguments& arguments, bool wide, HostGemm* gemm);

}  // namespace fastgemm::dropin
