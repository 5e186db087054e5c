/* A plugin with a BLAS of its own: tells which library served it. */
#include "fake_blas.h"

const char* use_blas(void);

const char* use_blas(void) {
  const int one = 1;
  const float scalar = 1.0f;
  float matrix = 0.0f;
  fake_last.library = "none";
  sgemm_("N", "N", &one, &one, &one, &scalar, &matrix, &one, &matrix, &one, &scalar, &matrix, &one, 1, 1);
  return fake_last.library;
}
