/* A program of 64-bit integers whose BLAS exports plain names. The sizes differ in what a 32-bit reading would see. */
#include <stdio.h>
#include <string.h>

#include "fake_blas.h"

int main(void) {
  const long long m = (5LL << 32) + 7, n = 0, k = 1LL << 33, ld = 6LL << 32;
  const float scalar = 1.0f;
  float matrix = 0.0f;
  sgemm_("N", "T", &m, &n, &k, &scalar, &matrix, &ld, &matrix, &ld, &scalar, &matrix, &ld, 1, 1);
  if (fake_calls != 1 || strcmp(fake_last.library, "wide") != 0 || fake_last.pointers[2] != &m) return 1;
  cblas_sgemm(102, 111, 112, m, n, k, scalar, &matrix, ld, &matrix, ld, scalar, &matrix, ld);
  if (fake_calls != 2 || fake_last.slots[3] != m || fake_last.slots[8] != ld) return 2;
  return 0;
}
