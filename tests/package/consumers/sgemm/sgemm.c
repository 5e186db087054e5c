/* C = A * B on the GPU, column-major: A is m x k, B is k x n. */
#include <cuda_runtime_api.h>
#include <fastgemm/fastgemm.h>
#include <stdio.h>

enum { m = 300, n = 200, k = 100 };
static float host_a[k][m], host_b[n][k], host_c[n][m]; /* [column][row] */

int main(void) {
  fg_handle_t handle;
  fg_status_t status = fg_create(&handle);
  if (status != FG_STATUS_SUCCESS) {
    printf("fg_create: %s: %s\n", fg_status_name(status), fg_last_error());
    return 0;
  }
  for (int p = 0; p < k; ++p)
    for (int i = 0; i < m; ++i) host_a[p][i] = (float)(i % 7);
  for (int j = 0; j < n; ++j)
    for (int p = 0; p < k; ++p) host_b[j][p] = (float)(j % 5);

  float *a, *b, *c;
  cudaMalloc((void**)&a, sizeof host_a);
  cudaMalloc((void**)&b, sizeof host_b);
  cudaMalloc((void**)&c, sizeof host_c);
  cudaMemcpy(a, host_a, sizeof host_a, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host_b, sizeof host_b, cudaMemcpyHostToDevice);

  const float alpha = 1.0f, beta = 0.0f;
  status = fg_sgemm(handle, FG_OP_N, FG_OP_N, m, n, k, &alpha, a, m, b, k, &beta, c, m);
  if (status != FG_STATUS_SUCCESS) {
    printf("fg_sgemm: %s\n", fg_last_error());
    return 1;
  }
  cudaMemcpy(host_c, c, sizeof host_c, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) wrong += host_c[j][i] != (float)(k * (i % 7) * (j % 5));
  printf("%d of %d elements wrong\n", wrong, m * n);

  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  fg_destroy(handle);
  return wrong != 0;
}
