#include "fake_blas.h"

#define FAKE_FORTRAN_ARGUMENTS transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_a, length_b
#define FAKE_CBLAS_ARGUMENTS order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc

struct fake_call fake_last;
int fake_calls = 0;

static void keep_fortran(const char* name, FAKE_FORTRAN_PARAMETERS) {
  const struct fake_call call = {FAKE_LIBRARY,
                                 name,
                                 {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
                                 {length_a, length_b},
                                 {0.0f, 0.0f}};
  fake_last = call;
  ++fake_calls;
}

static void keep_cblas(const char* name, FAKE_CBLAS_PARAMETERS) {
  const struct fake_call call = {
      FAKE_LIBRARY, name, {a, b, c}, {order, transa, transb, m, n, k, lda, ldb, ldc}, {alpha, beta}};
  fake_last = call;
  ++fake_calls;
}

void sgemm_(FAKE_FORTRAN_PARAMETERS) { keep_fortran("sgemm_", FAKE_FORTRAN_ARGUMENTS); }
void sgemm(FAKE_FORTRAN_PARAMETERS) { keep_fortran("sgemm", FAKE_FORTRAN_ARGUMENTS); }
void sgemm_64_(FAKE_FORTRAN_PARAMETERS) { keep_fortran("sgemm_64_", FAKE_FORTRAN_ARGUMENTS); }
void scipy_sgemm_(FAKE_FORTRAN_PARAMETERS) { keep_fortran("scipy_sgemm_", FAKE_FORTRAN_ARGUMENTS); }
void scipy_sgemm_64_(FAKE_FORTRAN_PARAMETERS) { keep_fortran("scipy_sgemm_64_", FAKE_FORTRAN_ARGUMENTS); }

void cblas_sgemm(FAKE_CBLAS_PARAMETERS) { keep_cblas("cblas_sgemm", FAKE_CBLAS_ARGUMENTS); }
void cblas_sgemm64_(FAKE_CBLAS_PARAMETERS) { keep_cblas("cblas_sgemm64_", FAKE_CBLAS_ARGUMENTS); }
void cblas_sgemm_64(FAKE_CBLAS_PARAMETERS) { keep_cblas("cblas_sgemm_64", FAKE_CBLAS_ARGUMENTS); }
void scipy_cblas_sgemm(FAKE_CBLAS_PARAMETERS) { keep_cblas("scipy_cblas_sgemm", FAKE_CBLAS_ARGUMENTS); }
void scipy_cblas_sgemm64_(FAKE_CBLAS_PARAMETERS) { keep_cblas("scipy_cblas_sgemm64_", FAKE_CBLAS_ARGUMENTS); }
