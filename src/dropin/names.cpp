// The exported host BLAS names. Each tells who called it and hands its arguments on.
//
// They are exported without a version (cmake/fastgemm.map), since a reference that asks for a version, or for none,
// binds to an unversioned definition, while one that asks for another version passes a versioned definition by.
#include "src/dropin/interpose.h"

#define FG_HOST_BLAS extern "C" __attribute__((visibility("default")))

// The hidden lengths that some compilers append are not declared: they are not read, and forwarded as 1.
#define FG_FORTRAN_PARAMETERS                                                                              \
  const char *transa, const char *transb, const void *m, const void *n, const void *k, const float *alpha, \
      const float *a, const void *lda, const float *b, const void *ldb, const float *beta, float *c, const void *ldc
#define FG_FORTRAN_ARGUMENTS \
  { transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc }

// Enumerations and integers of either size arrive as whole slots.
#define FG_CBLAS_PARAMETERS                                                                                     \
  std::int64_t order, std::int64_t transa, std::int64_t transb, std::int64_t m, std::int64_t n, std::int64_t k, \
      float alpha, const float *a, std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c,    \
      std::int64_t ldc
#define FG_CBLAS_ARGUMENTS \
  { order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc }

using fastgemm::dropin::CblasArguments;
using fastgemm::dropin::FortranArguments;
using fastgemm::dropin::interpose;
namespace dropin = fastgemm::dropin;

FG_HOST_BLAS void sgemm_(FG_FORTRAN_PARAMETERS) {
  interpose(dropin::kSgemm_, __builtin_return_address(0), FortranArguments FG_FORTRAN_ARGUMENTS);
}
FG_HOST_BLAS void sgemm(FG_FORTRAN_PARAMETERS) {
  interpose(dropin::kSgemm, __builtin_return_address(0), FortranArguments FG_FORTRAN_ARGUMENTS);
}
FG_HOST_BLAS void sgemm_64_(FG_FORTRAN_PARAMETERS) {
  interpose(dropin::kSgemm64_, __builtin_return_address(0), FortranArguments FG_FORTRAN_ARGUMENTS);
}
FG_HOST_BLAS void scipy_sgemm_(FG_FORTRAN_PARAMETERS) {
  interpose(dropin::kScipySgemm_, __builtin_return_address(0), FortranArguments FG_FORTRAN_ARGUMENTS);
}
FG_HOST_BLAS void scipy_sgemm_64_(FG_FORTRAN_PARAMETERS) {
  interpose(dropin::kScipySgemm64_, __builtin_return_address(0), FortranArguments FG_FORTRAN_ARGUMENTS);
}

FG_HOST_BLAS void cblas_sgemm(FG_CBLAS_PARAMETERS) {
  interpose(dropin::kCblasSgemm, __builtin_return_address(0), CblasArguments FG_CBLAS_ARGUMENTS);
}
FG_HOST_BLAS void cblas_sgemm64_(FG_CBLAS_PARAMETERS) {
  interpose(dropin::kCblasSgemm64_, __builtin_return_address(0), CblasArguments FG_CBLAS_ARGUMENTS);
}
FG_HOST_BLAS void cblas_sgemm_64(FG_CBLAS_PARAMETERS) {
  interpose(dropin::kCblasSgemm_64, __builtin_return_address(0), CblasArguments FG_CBLAS_ARGUMENTS);
}
FG_HOST_BLAS void scipy_cblas_sgemm(FG_CBLAS_PARAMETERS) {
  interpose(dropin::kScipyCblasSgemm, __builtin_return_address(0), CblasArguments FG_CBLAS_ARGUMENTS);
}
FG_HOST_BLAS void scipy_cblas_sgemm64_(FG_CBLAS_PARAMETERS) {
  interpose(dropin::kScipyCblasSgemm64_, __builtin_return_address(0), CblasArguments FG_CBLAS_ARGUMENTS);
}
