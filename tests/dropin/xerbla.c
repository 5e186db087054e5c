/* Wrong arguments with an xerbla_ of the program's own, which prints what it is told; with an argument it jumps out, as
   R's does, and a right product follows. */
#include <setjmp.h>
#include <stdio.h>

void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*, long, long);
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
void xerbla_(const char* routine, const int* argument, long length);

static jmp_buf out;
static int jumps;

void xerbla_(const char* routine, const int* argument, long length) {
  printf("%.*s: argument %d\n", (int)length, routine, *argument);
  if (jumps) longjmp(out, 1);
}

static float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1}, c[4] = {9, 9, 9, 9};

static void product(const char* transa, const char* transb, int m, int n, int k, int lda, int ldb, int ldc) {
  const float alpha = 1.0f, beta = 0.0f;
  sgemm_(transa, transb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

static void wrong_calls(void) {
  product("X", "N", 2, 2, 2, 2, 2, 2);
  product("N", "/", 2, 2, 2, 2, 2, 2);
  product("N", "N", -1, 2, 2, 2, 2, 2);
  product("N", "N", 2, -1, 2, 2, 2, 2);
  product("N", "N", 2, 2, -1, 2, 2, 2);
  product("N", "N", 2, 2, 2, 1, 2, 2);
  product("N", "N", 2, 2, 2, 2, 1, 2);
  product("N", "N", 2, 2, 2, 2, 2, 1);
}

int main(int argc, char** argv) {
  (void)argv;
  jumps = argc > 1;
  if (setjmp(out) == 0) wrong_calls();
  printf("c %g %g %g %g\n", c[0], c[1], c[2], c[3]);
  product("N", "N", 2, 2, 2, 2, 2, 2);
  cblas_sgemm(101, 111, 112, 2, 2, 2, 1.0f, a, 2, b, 2, 1.0f, c, 2);
  printf("c %g %g %g %g\n", c[0], c[1], c[2], c[3]);
  return 0;
}
