// What parts of numbers keep, and the choice of the method at its edges.
#include "kernels/sgemm_tensor/parts.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/support/catch.h"

using namespace fastgemm::sgemm_tensor;

namespace {

std::uint32_t size_of(float x) { return magnitude(std::bit_cast<std::uint32_t>(x)); }
float bf16(float x) { return std::bit_cast<float>(bf16_from_bits(std::bit_cast<std::uint32_t>(x)) << 16); }

// An operand of a million elements with this largest one.
SeenOperand seen(float top, std::uint32_t fp16_misses = 0, std::uint32_t bf16_misses = 0, std::uint32_t tiny = 0) {
  return {{size_of(top), tiny, fp16_misses, bf16_misses}, std::int64_t{1} << 20};
}

}  // namespace

TEST_CASE("a row's largest element is scaled to between 2^14 and 2^15", "[tensor]") {
  for (const float top : {1.0f, 1.999f, 0.75f, 3e-20f, 1e15f, 0x1p-110f, 0x1.fffffep50f}) {
    const float scaled = std::ldexp(top, scale_exponent(size_of(top)));
    CHECK(scaled >= 0x1p14f);
    CHECK(scaled < 0x1p15f);
    CHECK(std::bit_cast<float>(power_of_two_bits(scale_exponent(size_of(top)))) ==
          std::ldexp(1.0f, scale_exponent(size_of(top))));
  }
  for (const float top : {0.0f, 0x1p-111f, 0x1p51f, std::numeric_limits<float>::infinity()}) {
    CHECK(scale_exponent(size_of(top)) == 0);
  }
}

TEST_CASE("elements count as missed just below the limit, zeros never", "[tensor]") {
  const int scale = scale_exponent(size_of(1.0f));
  const std::uint32_t full = full_magnitude(scale);
  CHECK(full == size_of(0x1p-27f));
  CHECK_FALSE(misses(size_of(0x1p-27f), full));
  CHECK(misses(size_of(0x1.fffffep-28f), full));
  CHECK(misses(size_of(-0x1p-149f), full));
  CHECK_FALSE(misses(size_of(0.0f), full));
  CHECK_FALSE(misses(size_of(-0.0f), full));
  // Beside the least element that is split at all, nothing is too small.
  CHECK_FALSE(misses(size_of(0x1p-149f), full_magnitude(scale_exponent(size_of(0x1p-110f)))));
}

TEST_CASE("three BF16 parts are the number", "[tensor]") {
  std::uint32_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525u + 1013904223u;
    const float x = std::bit_cast<float>(state & 0x807fffffu | (127u - 100u + state / 7 % 150) << 23);
    const float first = bf16(x);
    const float second = bf16(x - first);
    const float third = bf16(x - first - second);
    REQUIRE(static_cast<double>(first) + second + third == x);
  }
}

TEST_CASE("the method follows from what was seen", "[tensor]") {
  CHECK(choose(seen(1.0f), seen(3e14f), true) == Method::kFp16x3);
  // Too large, infinite, NaN, or too small on either side.
  for (const float top : {0x1p51f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    CHECK(choose(seen(top), seen(1.0f), true) == Method::kStrict);
    CHECK(choose(seen(1.0f), seen(top), true) == Method::kStrict);
  }
  CHECK(choose(seen(0x1.fffffep50f), seen(1.0f), true) == Method::kFp16x3);
  CHECK(choose(seen(1.0f, 0, 0, 1), seen(1.0f), true) == Method::kStrict);
  // One in 2^20 elements may lose bits.
  CHECK(choose(seen(1.0f, 1), seen(1.0f, 1), true) == Method::kFp16x3);
  CHECK(choose(seen(1.0f, 2), seen(1.0f), true) == Method::kBf16x6);
  CHECK(choose(seen(1.0f), seen(1.0f, 2), true) == Method::kBf16x6);
  CHECK(choose(seen(1.0f), seen(1.0f, 2), false) == Method::kStrict);
  CHECK(choose(seen(1.0f, 2, 1), seen(1.0f, 2, 1), true) == Method::kBf16x6);
  CHECK(choose(seen(1.0f, 2, 2), seen(1.0f), true) == Method::kStrict);
  CHECK(choose(seen(1.0f), seen(1.0f, 2, 2), true) == Method::kStrict);
}

TEST_CASE("a row with many misses condemns its operand, however large that is", "[tensor]") {
  CHECK(row_misses(1, 256) == 1);
  CHECK(row_misses(2, 256) == kMany);
  CHECK(row_misses(2, 1 << 16) == 2);
  CHECK(row_misses(3, 1 << 16) == kMany);
  CHECK_FALSE(few(kMany, std::int64_t{1} << 62));
  CHECK(add_counts(kMany, kMany) == kMany);
  CHECK(add_counts(kMany, 5) == kMany);
}
