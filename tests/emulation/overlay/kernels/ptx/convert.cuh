// Host version of kernels/ptx/convert.cuh. Built without contraction, so that each operation rounds once.
#pragma once

#include <bit>

#include "kernels/ptx/simt.cuh"
#include "tests/emulation/engine/half.h"

namespace fastgemm::ptx {

FG_DEVICE float f32_from_f16(std::uint16_t value) { return emulation::float_from_half(value); }
FG_DEVICE std::uint16_t f16_from_f32(float value) { return emulation::half_from_float(value); }
FG_DEVICE std::uint32_t f16x2_from_f32(float low, float high) {
  return static_cast<std::uint32_t>(f16_from_f32(low)) | static_cast<std::uint32_t>(f16_from_f32(high)) << 16;
}

FG_DEVICE std::uint32_t bits_from_f32(float value) { return std::bit_cast<std::uint32_t>(value); }
FG_DEVICE float f32_from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

FG_DEVICE float fma_rn(float a, float b, float c) { return std::fma(a, b, c); }
FG_DEVICE float mul_rn(float a, float b) { return a * b; }
FG_DEVICE float add_rn(float a, float b) { return a + b; }

}  // namespace fastgemm::ptx
