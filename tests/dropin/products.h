// Small products for the drop-in's tests: exact integers in padded matrices, and the result by a loop of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "src/dropin/host_gemm.h"

namespace fastgemm::dropin::test {

inline constexpr float kGuard = -7777.0f;

struct Product {
  HostGemm gemm;
  std::vector<float> a, b, c, expected;

  Product(char transa, char transb, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, float beta,
          std::int64_t padding = 3) {
    gemm.transa = transa;
    gemm.transb = transb;
    gemm.m = m;
    gemm.n = n;
    gemm.k = k;
    gemm.alpha = alpha;
    gemm.beta = beta;
    gemm.lda = (transa == 'N' ? m : k) + padding;
    gemm.ldb = (transb == 'N' ? k : n) + padding;
    gemm.ldc = m + padding;
    a = matrix(gemm.lda * (transa == 'N' ? k : m) + 1, 1);
    b = matrix(gemm.ldb * (transb == 'N' ? n : k) + 1, 2);
    c = matrix(gemm.ldc * n + 1, 3);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = m; i < gemm.ldc; ++i) c[j * gemm.ldc + i] = kGuard;
    }
    c.back() = kGuard;
    if (beta == 0.0f) {
      for (std::int64_t j = 0; j < n; ++j) std::fill_n(&c[j * gemm.ldc], m, std::nanf(""));
    }
    expected = c;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) expected[j * gemm.ldc + i] = element(i, j);
    }
    gemm.a = a.data();
    gemm.b = b.data();
    gemm.c = c.data();
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

 private:
  static std::vector<float> matrix(std::int64_t size, std::uint32_t seed) {
    std::vector<float> values(static_cast<std::size_t>(size));
    for (float& value : values) {
      seed = seed * 1664525u + 1013904223u;
      value = static_cast<float>(static_cast<int>(seed >> 28) - 8);
    }
    return values;
  }

  float element(std::int64_t i, std::int64_t j) const {
    double sum = 0.0;
    for (std::int64_t p = 0; gemm.alpha != 0.0f && p < gemm.k; ++p) {
      const float x = gemm.transa == 'N' ? a[i + p * gemm.lda] : a[p + i * gemm.lda];
      const float y = gemm.transb == 'N' ? b[p + j * gemm.ldb] : b[j + p * gemm.ldb];
      sum += static_cast<double>(x) * y;
    }
    sum *= gemm.alpha;
    if (gemm.beta != 0.0f) sum += static_cast<double>(gemm.beta) * c[j * gemm.ldc + i];
    return static_cast<float>(sum);
  }
};

}  // namespace fastgemm::dropin::test
