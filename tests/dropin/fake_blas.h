/* A BLAS that multiplies nothing and keeps what it was called with. Compiled into several libraries: FAKE_LIBRARY is
   the name it goes by. Integers of the cblas names are taken as whole slots. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct fake_call {
  const char* library;
  const char* name;
  const void* pointers[13]; /* Fortran: every argument; cblas: A, B, C */
  long long slots[9];       /* Fortran: the two hidden lengths; cblas: order to k, then the leading dimensions */
  float scalars[2];         /* cblas: alpha, beta */
};
extern struct fake_call fake_last;
extern int fake_calls;

#define FAKE_FORTRAN_PARAMETERS                                                                                       \
  const char *transa, const char *transb, const void *m, const void *n, const void *k, const float *alpha,            \
      const float *a, const void *lda, const float *b, const void *ldb, const float *beta, float *c, const void *ldc, \
      long length_a, long length_b
#define FAKE_CBLAS_PARAMETERS                                                                              \
  long long order, long long transa, long long transb, long long m, long long n, long long k, float alpha, \
      const float *a, long long lda, const float *b, long long ldb, float beta, float *c, long long ldc

void sgemm_(FAKE_FORTRAN_PARAMETERS);
void sgemm(FAKE_FORTRAN_PARAMETERS);
void sgemm_64_(FAKE_FORTRAN_PARAMETERS);
void scipy_sgemm_(FAKE_FORTRAN_PARAMETERS);
void scipy_sgemm_64_(FAKE_FORTRAN_PARAMETERS);
void cblas_sgemm(FAKE_CBLAS_PARAMETERS);
void cblas_sgemm64_(FAKE_CBLAS_PARAMETERS);
void cblas_sgemm_64(FAKE_CBLAS_PARAMETERS);
void scipy_cblas_sgemm(FAKE_CBLAS_PARAMETERS);
void scipy_cblas_sgemm64_(FAKE_CBLAS_PARAMETERS);

#ifdef __cplusplus
}
#endif
