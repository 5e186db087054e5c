// src/cli/device_ops.h and narrow_to_half on host memory.
#include <cmath>
#include <cstring>
#include <random>

#include "src/cli/bench/random_data.h"
#include "src/cli/device_ops.h"
#include "tests/cli/fake/fake_gpu.h"
#include "tests/cli/fake/host_product.h"

namespace fastgemm::cli {
namespace {

using test::load;

bool is_half(DataType type) { return type == DataType::kFloat16; }

// op(A) op(B) and C in FP64, of the values or of their magnitudes.
cudaError_t product(const GemmProblem& p, double* d, std::int64_t ldd, bool magnitude) {
  const bool half = is_half(p.type_ab);
  const auto value = [&](const void* data, std::int64_t i) {
    const double x = load(data, half, i);
    return magnitude ? std::abs(x) : x;
  };
  const auto scalar = [&](float x) { return static_cast<double>(magnitude ? std::abs(x) : x); };
  for (std::int64_t j = 0; j < p.n; ++j) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      double sum = 0.0;
      for (std::int64_t l = 0; l < p.k; ++l) {
        sum += value(p.a.data, p.op_a == Op::kN ? i + l * p.a.ld : l + i * p.a.ld) *
               value(p.b.data, p.op_b == Op::kN ? l + j * p.b.ld : j + l * p.b.ld);
      }
      const double old = p.beta.value != 0.0f ? scalar(p.beta.value) * value(p.c.data, i + j * p.c.ld) : 0.0;
      d[i + j * ldd] = scalar(p.alpha.value) * sum + old;
    }
  }
  return cudaSuccess;
}

void add(double x, double y, bool bits_differ, double scale, Difference* difference) {
  difference->differing += bits_differ;
  if (std::isfinite(x) != std::isfinite(y)) ++difference->non_finite;
  const double error = std::abs(x - y) / scale;
  if (!(error <= difference->max_absolute)) difference->max_absolute = error;
}

}  // namespace

cudaError_t fill_normal(void* data, DataType type, std::int64_t count, std::uint64_t seed, cudaStream_t) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal;
  for (std::int64_t i = 0; i < count; ++i) test::store(data, is_half(type), i, normal(generator));
  return cudaSuccess;
}

cudaError_t reference_gemm(const GemmProblem& problem, double* d, std::int64_t ldd, cudaStream_t) {
  return product(problem, d, ldd, false);
}

cudaError_t reference_magnitude(const GemmProblem& problem, double* d, std::int64_t ldd, cudaStream_t) {
  return product(problem, d, ldd, true);
}

cudaError_t compare(const void* x, std::int64_t ldx, const void* y, std::int64_t ldy, DataType type, std::int64_t m,
                    std::int64_t n, Difference* difference, cudaStream_t) {
  *difference = {};
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      const double left = load(x, is_half(type), i + j * ldx);
      const double right = load(y, is_half(type), i + j * ldy);
      add(left, right, left != right, 1.0, difference);
    }
  }
  return cudaSuccess;
}

cudaError_t compare_with_reference(const void* x, std::int64_t ldx, DataType type, const double* reference,
                                   const double* magnitude, std::int64_t ld, std::int64_t m, std::int64_t n,
                                   Difference* difference, cudaStream_t) {
  *difference = {};
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      const std::int64_t at = i + j * ld;
      add(load(x, is_half(type), i + j * ldx), reference[at], false, magnitude[at], difference);
    }
  }
  return cudaSuccess;
}

cudaError_t launch_empty_kernel(cudaStream_t) { return cudaSuccess; }

cudaError_t flush_l2(void*, std::int64_t, cudaStream_t) {
  ++test::fake_gpu().flushes;
  fake_gpu_advance(0.1);
  return cudaSuccess;
}

cudaError_t narrow_to_half(const float* from, void* to, std::int64_t count, cudaStream_t) {
  for (std::int64_t i = 0; i < count; ++i) test::store(to, true, i, from[i]);
  return cudaSuccess;
}

}  // namespace fastgemm::cli
