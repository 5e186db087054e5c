// half_to_float against the definition of the format, for every bit pattern.
#include "src/base/half.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace fastgemm;

TEST_CASE("every FP16 value is widened exactly", "[half]") {
  int wrong = 0;
  for (int bits = 0; bits < 0x10000; ++bits) {
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const bool negative = (bits & 0x8000) != 0;
    if (std::signbit(value) != negative) ++wrong;
    if (exponent == 31) {
      if (fraction == 0 ? !std::isinf(value) : !std::isnan(value)) ++wrong;
      continue;
    }
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (static_cast<double>(value) != (negative ? -magnitude : magnitude)) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(half_to_float(0x3c00) == 1.0f);
  CHECK(half_to_float(0x7bff) == 65504.0f);
}
