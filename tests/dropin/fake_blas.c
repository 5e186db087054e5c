#include "fake_blas.h"

struct fake_call fake_last;
int fake_calls = 0;

#define FORTRAN_NAME(name)                                                                         \
  void name(FAKE_FORTRAN_PARAMETERS) {                                                             \
    const struct fake_call call = {FAKE_LIBRARY,                                                   \
                                   #name,                                                          \
                                   {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, \
                                   {length_a, length_b},                                           \
                                   {0.0f, 0.0f}};                                                  \
    fake_last = call;                                                                              \
    ++fake_calls;                                                                                  \
  }
#define CBLAS_NAME(name)                                                                                 \
  void name(FAKE_CBLAS_PARAMETERS) {                                                                     \
    const struct fake_call call = {                                                                      \
        FAKE_LIBRARY, #name, {a, b, c}, {order, transa, transb, m, n, k, lda, ldb, ldc}, {alpha, beta}}; \
    fake_last = call;                                                                                    \
    ++fake_calls;                                                                                        \
  }

FORTRAN_NAME(sgemm_)
FORTRAN_NAME(sgemm)
FORTRAN_NAME(sgemm_64_)
FORTRAN_NAME(scipy_sgemm_)
FORTRAN_NAME(scipy_sgemm_64_)
CBLAS_NAME(cblas_sgemm)
CBLAS_NAME(cblas_sgemm64_)
CBLAS_NAME(cblas_sgemm_64)
CBLAS_NAME(scipy_cblas_sgemm)
CBLAS_NAME(scipy_cblas_sgemm64_)
