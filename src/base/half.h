// FP16 to FP32 on the host, for alpha and beta of fg_hgemm.
#pragma once

#include <bit>
#include <cstdint>

namespace fastgemm {

// Exact: every FP16 value, subnormals, infinities and NaN payloads included, is an FP32 value.
constexpr float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  if (magnitude < 0x0400u) {  // zero or subnormal: a multiple of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));  // 112: difference of the exponent biases
}

}  // namespace fastgemm
