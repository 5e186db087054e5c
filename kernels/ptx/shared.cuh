// Loads and stores of shared memory. Addresses are bytes in the shared window; vector accesses must be aligned to
// their own size.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

FG_DEVICE float ld_shared_f32(SharedAddress address) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}

FG_DEVICE float4 ld_shared_f32x4(SharedAddress address) {
  float4 value;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "r"(address)
               : "memory");
  return value;
}

FG_DEVICE uint4 ld_shared_u32x4(SharedAddress address) {
  uint4 value;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(address)
               : "memory");
  return value;
}

FG_DEVICE std::uint16_t ld_shared_u16(SharedAddress address) {
  std::uint16_t value;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(value) : "r"(address) : "memory");
  return value;
}

FG_DEVICE std::uint32_t ld_shared_u32(SharedAddress address) {
  std::uint32_t value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}

FG_DEVICE void st_shared_f32(SharedAddress address, float value) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}

FG_DEVICE void st_shared_f32x2(SharedAddress address, float2 value) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(value.x), "f"(value.y) : "memory");
}

FG_DEVICE void st_shared_f32x4(SharedAddress address, float4 value) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(value.x), "f"(value.y), "f"(value.z),
               "f"(value.w)
               : "memory");
}

FG_DEVICE void st_shared_u16(SharedAddress address, std::uint16_t value) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"(value) : "memory");
}

FG_DEVICE void st_shared_u32(SharedAddress address, std::uint32_t value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

FG_DEVICE void st_shared_u32x4(SharedAddress address, uint4 value) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}

}  // namespace fastgemm::ptx
