// What parts of numbers keep, and the choice of the method at its edges.
#include "kernels/sgemm_tensor/parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/support/catch.h"

using namespace fastgemm::sgemm_tensor;

namespace {

std::uint32_t size_of(float x) { return magnitude(std::bit_cast<std::uint32_t>(x)); }
float bf16(float x) { return std::bit_cast<float>(bf16_from_bits(std::bit_cast<std::uint32_t>(x)) << 16); }

// The nearest FP16 number, ties to even.
float half(float x) {
  if (x == 0.0f) return x;
  const int last_bit = std::max(std::ilogb(x) - 10, -24);
  return std::ldexp(std::nearbyint(std::ldexp(x, -last_bit)), last_bit);
}

// A row of `depth` elements like the largest one, with misses.
Summary row(float top, std::uint32_t fp16_misses = 0, std::uint32_t bf16_misses = 0, std::int64_t depth = 1024) {
  return judge({size_of(top), top, top * static_cast<float>(depth), fp16_misses, bf16_misses}, depth);
}

// A row whose magnitudes add up to so many times the largest.
Summary row_of(float sum, std::int64_t depth, std::uint32_t bf16_misses = 0) {
  return judge({size_of(1.0f), 1.0f, sum, 0, bf16_misses}, depth);
}

Method choice(const Summary& left, const Summary& right, bool bf16_available = true) {
  return choose(join(left, right), bf16_available);
}

}  // namespace

TEST_CASE("a row's largest element is scaled to between 2^14 and 2^15", "[tensor]") {
  for (const float top : {1.0f, 1.999f, 0.75f, 3e-20f, 1e15f, 0x1p-110f, 0x1.fffffep63f}) {
    const float scaled = std::ldexp(top, scale_exponent(size_of(top)));
    CHECK(scaled >= 0x1p14f);
    CHECK(scaled < 0x1p15f);
    CHECK(std::bit_cast<float>(power_of_two_bits(scale_exponent(size_of(top)))) ==
          std::ldexp(1.0f, scale_exponent(size_of(top))));
  }
  for (const float top : {0.0f, 0x1p-111f, 0x1p64f, std::numeric_limits<float>::infinity()}) {
    CHECK(scale_exponent(size_of(top)) == 0);
  }
}

TEST_CASE("elements count as missed just below the limit, zeros never", "[tensor]") {
  const int scale = scale_exponent(size_of(1.0f));
  const std::uint32_t full = full_magnitude(scale);
  CHECK(full == size_of(0x1p-15f));
  CHECK_FALSE(misses(size_of(0x1p-15f), full));
  CHECK(misses(size_of(0x1.fffffep-16f), full));
  CHECK(misses(size_of(-0x1p-149f), full));
  CHECK_FALSE(misses(size_of(0.0f), full));
  CHECK_FALSE(misses(size_of(-0.0f), full));
  CHECK(safe_magnitude(scale) == size_of(0x1p-125f));
  // Beside the least tops that are split at all, nothing is too small for BF16, and FP16 has its limit.
  const int least = scale_exponent(size_of(0x1p-110f));
  CHECK(full_magnitude(least) == size_of(0x1p-125f));
  CHECK_FALSE(misses(size_of(0x1p-149f), safe_magnitude(least)));
}

TEST_CASE("two FP16 parts keep all but the last bit of elements that are not missed", "[tensor]") {
  std::uint32_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525u + 1013904223u;
    const int exponent = kFullExponent + static_cast<int>(state / 7 % 16);
    const float x = std::ldexp(1.0f + static_cast<float>(state >> 8 & 0x7fffffu) * 0x1p-23f, exponent);
    const float high = half(x);
    const float low = half(x - high);
    REQUIRE(std::fabs(static_cast<double>(x) - high - low) <= std::ldexp(x, -23));
  }
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
  CHECK(choice(row(1.0f), row(3e14f)) == Method::kFp16x3);
  CHECK(choice({}, {}) == Method::kFp16x3);  // zeros
  // Too large, infinite, NaN, or too small on either side.
  for (const float top : {0x1p64f, std::numeric_limits<float>::infinity(), std::nanf(""), 0x1.fffffep-111f}) {
    CHECK(choice(row(top), row(1.0f)) == Method::kStrict);
    CHECK(choice(row(1.0f), row(top)) == Method::kStrict);
  }
  CHECK(choice(row(0x1.fffffep50f), row(0x1p-110f)) == Method::kFp16x3);
  // Whatever the order, no sum overflows.
  CHECK(choice(row(0x1p58f), row(1.0f)) == Method::kFp16x3);
  CHECK(choice(row(0x1p59f), row(1.0f)) == Method::kStrict);
  // Six elements of 1024 may lose bits.
  CHECK(choice(row(1.0f, 6), row(1.0f, 6)) == Method::kFp16x3);
  CHECK(choice(row(1.0f, 7), row(1.0f)) == Method::kBf16x6);
  CHECK(choice(row(1.0f), row(1.0f, 7)) == Method::kBf16x6);
  CHECK(choice(row(1.0f), row(1.0f, 7), false) == Method::kStrict);
  CHECK(choice(row(1.0f, 7, 6), row(1.0f, 7, 6)) == Method::kBf16x6);
  CHECK(choice(row(1.0f, 7, 7), row(1.0f)) == Method::kStrict);
  CHECK(choice(row(1.0f), row(1.0f, 7, 7)) == Method::kStrict);
  // BF16's scaling ends sooner.
  CHECK(choice(row(0x1p-71f, 7), row(1.0f)) == Method::kBf16x6);
  CHECK(choice(row(0x1.fffffep-72f, 7), row(1.0f)) == Method::kStrict);
}

TEST_CASE("a row that one element outweighs is none for FP16, and for BF16 none if bits are lost", "[tensor]") {
  CHECK(most_misses(256) == 4);
  CHECK(most_misses(511) == 4);
  CHECK(most_misses(512) == 5);
  CHECK(most_misses(65536) == 132);
  CHECK(choice(row_of(8.0f, 256), row(1.0f)) == Method::kFp16x3);
  CHECK(choice(row_of(7.999f, 256), row(1.0f)) == Method::kBf16x6);
  CHECK(choice(row(1.0f), row_of(1.0f, 256)) == Method::kBf16x6);
  CHECK(choice(row_of(264.0f, 65536), row(1.0f)) == Method::kFp16x3);
  CHECK(choice(row_of(263.0f, 65536), row(1.0f)) == Method::kBf16x6);
  CHECK(choice(row_of(8.0f, 256, 1), row_of(7.0f, 256)) == Method::kBf16x6);
  CHECK(choice(row_of(7.0f, 256, 1), row(1.0f)) == Method::kStrict);
}
