// C := alpha op(A) op(B) + beta C on the host, for whatever plays a GPU library. One FP32 chain in ascending k.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace fastgemm::test {

inline float load(const void* data, bool half, std::int64_t i) {
  return half ? __half2float(static_cast<const __half*>(data)[i]) : static_cast<const float*>(data)[i];
}

inline void store(void* data, bool half, std::int64_t i, float value) {
  if (half) {
    static_cast<__half*>(data)[i] = __float2half(value);
  } else {
    static_cast<float*>(data)[i] = value;
  }
}

struct HostProduct {
  bool half = false;
  bool transposed_a = false;
  bool transposed_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  float alpha = 1.0f, beta = 0.0f;
  const void* a = nullptr;
  std::int64_t lda = 0;
  const void* b = nullptr;
  std::int64_t ldb = 0;
  void* c = nullptr;
  std::int64_t ldc = 0;
};

inline void multiply(const HostProduct& p) {
  for (std::int64_t j = 0; j < p.n; ++j) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      float sum = 0.0f;
      for (std::int64_t l = 0; l < p.k; ++l) {
        sum += load(p.a, p.half, p.transposed_a ? l + i * p.lda : i + l * p.lda) *
               load(p.b, p.half, p.transposed_b ? j + l * p.ldb : l + j * p.ldb);
      }
      const std::int64_t at = i + j * p.ldc;
      const float old = p.beta == 0.0f ? 0.0f : p.beta * load(p.c, p.half, at);
      store(p.c, p.half, at, p.alpha * sum + old);
    }
  }
}

}  // namespace fastgemm::test
