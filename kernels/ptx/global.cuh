// Loads and stores of device memory. Vector accesses must be aligned to their own size. `_nc` reads through the
// read-only path; `_wt` writes through to L2 and keeps no line in L1.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

FG_DEVICE float ld_global_f32(const float* address) {
  float value;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(address) : "memory");
  return value;
}

FG_DEVICE float4 ld_global_f32x4(const float* address) {
  float4 value;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "l"(address)
               : "memory");
  return value;
}

// For what is read once: takes no line of L1.
FG_DEVICE float4 ld_global_once_f32x4(const float* address) {
  float4 value;
  asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "l"(address)
               : "memory");
  return value;
}

FG_DEVICE uint2 ld_global_once_u32x2(const void* address) {
  uint2 value;
  asm volatile("ld.global.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
               : "=r"(value.x), "=r"(value.y)
               : "l"(address)
               : "memory");
  return value;
}

FG_DEVICE std::uint16_t ld_global_u16(const void* address) {
  std::uint16_t value;
  asm volatile("ld.global.u16 %0, [%1];" : "=h"(value) : "l"(address) : "memory");
  return value;
}

FG_DEVICE std::uint32_t ld_global_u32(const void* address) {
  std::uint32_t value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

FG_DEVICE uint4 ld_global_u32x4(const void* address) {
  uint4 value;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address)
               : "memory");
  return value;
}

FG_DEVICE const void* ld_global_pointer(const void* const* address) {
  const void* value;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

// A hint: the line that holds `address`, which must be readable, on its way into L2.
FG_DEVICE void prefetch_l2(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address) : "memory");
}

FG_DEVICE void st_global_f32(float* address, float value) {
  asm volatile("st.global.f32 [%0], %1;" ::"l"(address), "f"(value) : "memory");
}

FG_DEVICE void st_global_wt_f32(float* address, float value) {
  asm volatile("st.global.wt.f32 [%0], %1;" ::"l"(address), "f"(value) : "memory");
}

FG_DEVICE void st_global_wt_f32x4(float* address, float4 value) {
  asm volatile("st.global.wt.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(value.x), "f"(value.y), "f"(value.z),
               "f"(value.w)
               : "memory");
}

FG_DEVICE void st_global_f32x4(float* address, float4 value) {
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(value.x), "f"(value.y), "f"(value.z),
               "f"(value.w)
               : "memory");
}

FG_DEVICE void st_global_u16(void* address, std::uint16_t value) {
  asm volatile("st.global.u16 [%0], %1;" ::"l"(address), "h"(value) : "memory");
}

FG_DEVICE void st_global_u32(void* address, std::uint32_t value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

FG_DEVICE void st_global_u32x2(void* address, uint2 value) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(address), "r"(value.x), "r"(value.y) : "memory");
}

FG_DEVICE void st_global_u32x4(void* address, uint4 value) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}

}  // namespace fastgemm::ptx
