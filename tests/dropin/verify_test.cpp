// FASTGEMM_DROPIN=verify over an offload function of the test's own.
#include "src/dropin/verify.h"

#include <cmath>
#include <limits>
#include <utility>

#include "src/dropin/plain_sgemm.h"
#include "tests/dropin/products.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;
using test::Product;

namespace {

class PlainBlas final : public HostBlas {
 public:
  void sgemm(const HostGemm& gemm) const override { plain_sgemm(gemm); }
  const std::string& name() const override { return name_; }

 private:
  std::string name_ = "plain";
};
const PlainBlas host;

OffloadResult right(const HostGemm& g, const HostBlas&) noexcept {
  plain_sgemm(g);
  return OffloadResult::kDone;
}

// One element wrong by a few units in the last place of a small number: (2, 3), by 1 in a sum of about 600.
OffloadResult off_by_one(const HostGemm& g, const HostBlas& blas) noexcept {
  right(g, blas);
  g.c[2 + 3 * g.ldc] += 1.0f;
  return OffloadResult::kRetreated;
}

OffloadResult with_nan(const HostGemm& g, const HostBlas& blas) noexcept {
  right(g, blas);
  g.c[1] = std::nanf("");
  return OffloadResult::kDone;
}

std::int64_t altered_row = 0, altered_column = 0;

OffloadResult altered(const HostGemm& g, const HostBlas& blas) noexcept {
  right(g, blas);
  g.c[altered_row + altered_column * g.ldc] *= 1.0f + 0x1p-10f;
  return OffloadResult::kDone;
}

OffloadResult declines(const HostGemm&, const HostBlas&) noexcept { return OffloadResult::kDeclined; }

}  // namespace

TEST_CASE("equal results pass, and the offloaded one stays", "[dropin]") {
  for (const char transa : {'N', 'T'}) {
    for (const char transb : {'N', 'T'}) {
      for (const float beta : {0.0f, 2.0f}) {
        Product p(transa, transb, 9, 8, 20, 1.0f, beta);
        Difference worst;
        CHECK(offload_and_verify(p.gemm, host, &right, &worst) == OffloadResult::kDone);
        CHECK(worst.error == 0.0);
        CHECK(p.c == p.expected);
      }
    }
  }
}

TEST_CASE("a wrong element is found, with its place", "[dropin]") {
  Product p('N', 'T', 9, 8, 20, 1.0f, 2.0f);
  Difference worst;
  CHECK(offload_and_verify(p.gemm, host, &off_by_one, &worst) == OffloadResult::kRetreated);
  CHECK(worst.row == 2);
  CHECK(worst.column == 3);
  CHECK(worst.offloaded == worst.host + 1.0f);
  CHECK(worst.error > allowed_difference(20));
  CHECK(p.c[2 + 3 * p.gemm.ldc] == p.expected[2 + 3 * p.gemm.ldc] + 1.0f);
}

TEST_CASE("an error is measured by its own row of op(A) and column of op(B)", "[dropin]") {
  const auto power = [](int exponent) { return std::ldexp(1.0f, exponent); };
  for (const char transa : {'N', 'T'}) {
    for (const char transb : {'N', 'T'}) {
      // Row i of op(A) is 2^(10 i) all along, column j of op(B) 2^(7 j): |row| |column| is C(i, j) itself where k is 4.
      Product p(transa, transb, 3, 5, 4, 1.0f, 0.0f);
      for (int inner = 0; inner < 4; ++inner) {
        for (int i = 0; i < 3; ++i) {
          p.a[transa == 'N' ? i + inner * p.gemm.lda : inner + i * p.gemm.lda] = power(10 * i);
        }
        for (int j = 0; j < 5; ++j) {
          p.b[transb == 'N' ? inner + j * p.gemm.ldb : j + inner * p.gemm.ldb] = power(7 * j);
        }
      }
      for (const auto& [row, column] : {std::pair{0, 0}, std::pair{2, 0}, std::pair{0, 4}}) {
        altered_row = row;
        altered_column = column;
        Difference worst;
        offload_and_verify(p.gemm, host, &altered, &worst);
        INFO(transa << transb << " " << row << ", " << column);
        CHECK(worst.row == row);
        CHECK(worst.column == column);
        CHECK(worst.error == Approx(0x1p-10));
      }
    }
  }
}

TEST_CASE("NaN on one side alone is a difference", "[dropin]") {
  Product p('N', 'N', 4, 4, 4, 1.0f, 0.0f);
  Difference worst;
  offload_and_verify(p.gemm, host, &with_nan, &worst);
  CHECK(worst.error == std::numeric_limits<double>::infinity());
  Product both('N', 'N', 4, 4, 4, 1.0f, 0.0f);
  both.a[0] = std::nanf("");
  offload_and_verify(both.gemm, host, &right, &worst);
  CHECK(worst.error == 0.0);
}

TEST_CASE("a difference reads as a line", "[dropin]") {
  HostGemm g;
  g.transb = 'T';
  g.m = 10;
  g.n = 20;
  g.k = 1;
  CHECK(
      format_difference(g, {0.5, 3, 4, 1.25f, -2.0f}) ==
      "verify: NT m=10 n=20 k=1 alpha=1 beta=0: C(3,4) is 1.25 offloaded and -2 on the host, 0.5 apart where 4.77e-07 "
      "is allowed");
}

TEST_CASE("what was declined is not computed", "[dropin]") {
  Product p('N', 'N', 4, 4, 4, 1.0f, 1.0f);
  const std::vector<float> before = p.c;
  CHECK(offload_and_verify(p.gemm, host, &declines) == OffloadResult::kDeclined);
  CHECK(p.c == before);
}

TEST_CASE("the allowed difference covers two roundings of every term and no more", "[dropin]") {
  CHECK(allowed_difference(1) == Approx(8 * std::ldexp(1.0, -24)));
  CHECK(allowed_difference(1 << 20) < 0.126);
}
