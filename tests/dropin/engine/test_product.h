// A product in host memory with all that a stray access would disturb: gaps between columns, guards around, NaN where
// nothing may be read. Values are small integers, so the result is exact whoever computes it and in whatever order.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "src/dropin/host_gemm.h"

namespace fastgemm::dropin::test {

struct ProductCase {
  char transa = 'N', transb = 'N';
  std::int64_t m = 0, n = 0, k = 0;
  float alpha = 1.0f, beta = 0.0f;
  std::int64_t gap_a = 0, gap_b = 0, gap_c = 0;  // elements between columns that belong to none
  unsigned seed = 1;
};

class TestProduct {
 public:
  explicit TestProduct(const ProductCase& described);

  HostGemm gemm() const;
  // Describes the first element that is not as it must be after the product; empty where all are.
  std::string wrong_element() const;
  bool untouched() const;
  std::vector<float>& c() { return c_; }
  const std::vector<float>& a() const { return a_; }
  const std::vector<float>& b() const { return b_; }

 private:
  ProductCase case_;
  std::int64_t lda_, ldb_, ldc_;
  std::vector<float> a_, b_, c_, c_before_, expected_;
};

// Computes plainly, and counts.
class PlainHost final : public HostBlas {
 public:
  void sgemm(const HostGemm& gemm) const override;
  const std::string& name() const override { return name_; }

  mutable std::atomic<int> calls{0};
  mutable std::atomic<double> volume{0};

 private:
  std::string name_ = "plain";
};

}  // namespace fastgemm::dropin::test
