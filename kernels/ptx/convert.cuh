// FP16 <-> FP32 conversions and FP32 arithmetic with a stated rounding.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

FG_DEVICE float f32_from_f16(std::uint16_t value) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value));
  return result;
}

// Round to nearest even; overflow gives infinity.
FG_DEVICE std::uint16_t f16_from_f32(float value) {
  std::uint16_t result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(value));
  return result;
}

// Two values in one register, `low` in bits 0 to 15.
FG_DEVICE std::uint32_t f16x2_from_f32(float low, float high) {
#if __CUDA_ARCH__ >= 800
  std::uint32_t result;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
#else
  return f16_from_f32(low) | static_cast<std::uint32_t>(f16_from_f32(high)) << 16;
#endif
}

// The same 32 bits, read as an integer or as a number.
FG_DEVICE std::uint32_t bits_from_f32(float value) {
  std::uint32_t bits;
  asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

FG_DEVICE float f32_from_bits(std::uint32_t bits) {
  float value;
  asm("mov.b32 %0, %1;" : "=f"(value) : "r"(bits));
  return value;
}

FG_DEVICE float fma_rn(float a, float b, float c) {
  float result;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(a), "f"(b), "f"(c));
  return result;
}

FG_DEVICE float mul_rn(float a, float b) {
  float result;
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}

FG_DEVICE float add_rn(float a, float b) {
  float result;
  asm("add.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}

}  // namespace fastgemm::ptx
