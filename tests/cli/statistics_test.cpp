#include "src/cli/bench/statistics.h"

#include "tests/support/catch.h"

using namespace fastgemm::cli;

TEST_CASE("median of odd, even and no values", "[cli]") {
  CHECK(median({5.0, 1.0, 9.0}) == 5.0);
  CHECK(median({4.0, 1.0, 9.0, 2.0}) == 3.0);
  CHECK(median({7.0}) == 7.0);
  CHECK(median({}) == 0.0);
}

TEST_CASE("geometric mean", "[cli]") {
  CHECK(geometric_mean(std::vector<double>{2.0, 8.0}) == Approx(4.0));
  CHECK(geometric_mean(std::vector<double>{0.5, 2.0, 1.0}) == Approx(1.0));
  CHECK(geometric_mean(std::vector<double>{}) == 0.0);
  CHECK(geometric_mean(std::vector<double>{1.0, 0.0}) == 0.0);
}
