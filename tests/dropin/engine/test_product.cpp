#include "tests/dropin/engine/test_product.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace fastgemm::dropin::test {

namespace {

constexpr std::int64_t kGuard = 64;  // elements before and after C
constexpr float kCanary = -12345.5f;
const float kPoison = std::numeric_limits<float>::quiet_NaN();

std::vector<float> matrix(std::int64_t rows, std::int64_t columns, std::int64_t ld, float gap, std::mt19937* random) {
  std::vector<float> values(static_cast<std::size_t>(ld * columns), gap);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      values[static_cast<std::size_t>(i + j * ld)] = static_cast<float>(static_cast<int>((*random)() % 17) - 8);
    }
  }
  return values;
}

bool same_bits(float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0; }

}  // namespace

TestProduct::TestProduct(const ProductCase& d)
    : case_(d),
      lda_((d.transa == 'T' ? d.k : d.m) + d.gap_a),
      ldb_((d.transb == 'T' ? d.n : d.k) + d.gap_b),
      ldc_(d.m + d.gap_c) {
  std::mt19937 random(d.seed);
  a_ = d.transa == 'T' ? matrix(d.k, d.m, lda_, kPoison, &random) : matrix(d.m, d.k, lda_, kPoison, &random);
  b_ = d.transb == 'T' ? matrix(d.n, d.k, ldb_, kPoison, &random) : matrix(d.k, d.n, ldb_, kPoison, &random);
  const std::vector<float> inner = matrix(d.m, d.n, ldc_, kCanary, &random);
  c_.assign(inner.size() + 2 * kGuard, kCanary);
  std::copy(inner.begin(), inner.end(), c_.begin() + kGuard);
  if (d.beta == 0.0f) {
    for (std::int64_t j = 0; j < d.n; ++j) {
      for (std::int64_t i = 0; i < d.m; ++i) c_[static_cast<std::size_t>(kGuard + i + j * ldc_)] = kPoison;
    }
  }
  c_before_ = c_;
  expected_ = c_;
  HostGemm gemm = this->gemm();
  gemm.c = expected_.data() + kGuard;
  PlainHost().sgemm(gemm);
}

HostGemm TestProduct::gemm() const {
  return {.transa = case_.transa, .transb = case_.transb, .m = case_.m, .n = case_.n, .k = case_.k,
          .alpha = case_.alpha, .a = a_.data(), .lda = lda_, .b = b_.data(), .ldb = ldb_, .beta = case_.beta,
          .c = const_cast<float*>(c_.data()) + kGuard, .ldc = ldc_};
}

std::string TestProduct::wrong_element() const {
  for (std::size_t index = 0; index < c_.size(); ++index) {
    if (c_[index] == expected_[index] || same_bits(c_[index], expected_[index])) continue;  // 0 and -0 are one
    const auto offset = static_cast<std::int64_t>(index) - kGuard;
    return "offset " + std::to_string(offset) + " (row " + std::to_string(offset % ldc_) + ", column " +
           std::to_string(offset / ldc_) + ") holds " + std::to_string(c_[index]) + ", not " +
           std::to_string(expected_[index]);
  }
  return {};
}

bool TestProduct::untouched() const {
  return std::memcmp(c_.data(), c_before_.data(), c_.size() * sizeof(float)) == 0;
}

void PlainHost::sgemm(const HostGemm& g) const {
  ++calls;
  volume += static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  for (std::int64_t j = 0; j < g.n; ++j) {
    for (std::int64_t i = 0; i < g.m; ++i) {
      double sum = 0;
      for (std::int64_t p = 0; p < g.k; ++p) {
        sum += static_cast<double>(g.transa == 'T' ? g.a[p + i * g.lda] : g.a[i + p * g.lda]) *
               static_cast<double>(g.transb == 'T' ? g.b[j + p * g.ldb] : g.b[p + j * g.ldb]);
      }
      float& c = g.c[i + j * g.ldc];
      const double from_c = g.beta == 0.0f ? 0.0 : static_cast<double>(g.beta) * static_cast<double>(c);
      c = static_cast<float>(static_cast<double>(g.alpha) * sum + from_c);
    }
  }
}

}  // namespace fastgemm::dropin::test
