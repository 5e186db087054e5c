// C = A * B on the GPU, column-major: A is m x k, B is k x n.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <fastgemm/fastgemm.hpp>
#include <vector>

int main() try {
  constexpr int m = 300, n = 200, k = 100;
  fg_status_t status;
  fg::Handle handle = fg::Handle::create(&status);  // fg::Handle handle; would throw where there is no GPU
  if (!handle) {
    std::printf("fg_create: %s: %s\n", fg_status_name(status), fg_last_error());
    return 0;
  }
  std::vector<float> host_a(m * k), host_b(k * n), host_c(m * n);
  for (int i = 0; i < m * k; ++i) host_a[i] = static_cast<float>(i % m % 7);
  for (int i = 0; i < k * n; ++i) host_b[i] = static_cast<float>(i / k % 5);

  float *a, *b, *c;
  cudaMalloc(reinterpret_cast<void**>(&a), host_a.size() * sizeof(float));
  cudaMalloc(reinterpret_cast<void**>(&b), host_b.size() * sizeof(float));
  cudaMalloc(reinterpret_cast<void**>(&c), host_c.size() * sizeof(float));
  cudaMemcpy(a, host_a.data(), host_a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host_b.data(), host_b.size() * sizeof(float), cudaMemcpyHostToDevice);

  const float alpha = 1.0f, beta = 0.0f;
  fg::check(fg::gemm(handle, FG_OP_N, FG_OP_N, m, n, k, &alpha, a, m, b, k, &beta, c, m));
  cudaMemcpy(host_c.data(), c, host_c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < m * n; ++i) wrong += host_c[i] != static_cast<float>(k * (i % m % 7) * (i / m % 5));
  std::printf("%d of %d elements wrong\n", wrong, m * n);

  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  return wrong != 0;
} catch (const fg::Error& error) {
  std::printf("%s\n", error.what());
  return 1;
}
