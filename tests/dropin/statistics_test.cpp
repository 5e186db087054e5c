// Counting and its text.
#include "src/dropin/statistics.h"

#include <unistd.h>

#include <memory>

#include "tests/support/catch.h"

using namespace fastgemm::dropin;

namespace {

HostGemm cube(std::int64_t edge) {
  HostGemm g;
  g.m = g.n = g.k = edge;
  return g;
}

}  // namespace

TEST_CASE("products are classed by the edge of their cube", "[dropin]") {
  CHECK(size_class(cube(0)) == 0);
  CHECK(size_class(cube(16)) == 0);
  CHECK(size_class(cube(17)) == 1);
  CHECK(size_class(cube(1024)) == 6);
  CHECK(size_class(cube(32768)) == 11);
  CHECK(size_class(cube(32769)) == 12);
  HostGemm huge = cube(std::int64_t{1} << 40);  // past 2^63 products
  CHECK(size_class(huge) == kSizeClasses - 1);
  HostGemm skinny = cube(4096);
  skinny.k = 1;  // 2^24 products: a cube of 256
  CHECK(size_class(skinny) == 4);
}

TEST_CASE("statistics say what became of the calls", "[dropin]") {
  const auto counted = std::make_unique<Statistics>();
  count_call(Outcome::kOffloaded, cube(1000), 2'000'000, counted.get());
  count_call(Outcome::kRetreated, cube(1000), 1'000'000, counted.get());
  count_call(Outcome::kNotWorth, cube(10), 500'000, counted.get());
  count_call(Outcome::kNotWorth, cube(1000), 4'000'000, counted.get());
  count_call(Outcome::kNested, cube(10), 400'000, counted.get());
  count_call(Outcome::kInvalid, HostGemm{}, 0, counted.get());
  counted->bytes_to_device = 12'000'000;
  counted->bytes_to_host = 4'500'000;
  CHECK(format_statistics(*counted) ==
        "stats pid=" + std::to_string(getpid()) +
            " calls=5 offloaded=1 retreated=1 declined=0 not_worth=2 invalid=1 nested=1 inactive=0 device_s=0.003"
            " device_gflop=4.000 host_s=0.005 host_gflop=2.000 to_device_mb=12.000 to_host_mb=4.500\n"
            "stats up_to=16 calls=1 offloaded=0 device_s=0.000 device_gflop=0.000 host_s=0.001 host_gflop=0.000\n"
            "stats up_to=1024 calls=3 offloaded=2 device_s=0.003 device_gflop=4.000 host_s=0.004 host_gflop=2.000\n");
}

TEST_CASE("the last size class has no end", "[dropin]") {
  const auto counted = std::make_unique<Statistics>();
  count_call(Outcome::kInactive, cube(40000), 0, counted.get());
  CHECK_THAT(format_statistics(*counted), ContainsSubstring("stats above=32768 calls=1 offloaded=0 "));
}
