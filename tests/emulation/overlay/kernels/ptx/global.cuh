// Host version of kernels/ptx/global.cuh: every access is checked against the registered allocations.
#pragma once

#include <cstring>

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

template <class Value>
Value ld_global_any(const void* address, const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  thread.block->maybe_switch(thread);
  emulation::global_memory().check_read(thread, address, sizeof(Value), sizeof(Value), operation);
  Value value;
  std::memcpy(&value, address, sizeof(Value));
  return value;
}

template <class Value>
void st_global_any(void* address, const Value& value, const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  thread.block->maybe_switch(thread);
  emulation::global_memory().check_write(thread, address, sizeof(Value), operation);
  std::memcpy(address, &value, sizeof(Value));
}

FG_DEVICE float ld_global_f32(const float* address) { return ld_global_any<float>(address, "ld_global_f32"); }
FG_DEVICE float4 ld_global_f32x4(const float* address) { return ld_global_any<float4>(address, "ld_global_f32x4"); }
FG_DEVICE std::uint16_t ld_global_u16(const void* address) {
  return ld_global_any<std::uint16_t>(address, "ld_global_u16");
}
FG_DEVICE std::uint32_t ld_global_u32(const void* address) {
  return ld_global_any<std::uint32_t>(address, "ld_global_u32");
}
FG_DEVICE float4 ld_global_once_f32x4(const float* address) {
  return ld_global_any<float4>(address, "ld_global_once_f32x4");
}
FG_DEVICE uint2 ld_global_once_u32x2(const void* address) {
  return ld_global_any<uint2>(address, "ld_global_once_u32x2");
}
FG_DEVICE uint4 ld_global_u32x4(const void* address) { return ld_global_any<uint4>(address, "ld_global_u32x4"); }
FG_DEVICE const void* ld_global_pointer(const void* const* address) {
  return ld_global_any<const void*>(address, "ld_global_pointer");
}

// Reads nothing, but what it names must be there.
FG_DEVICE void prefetch_l2(const void* address) {
  emulation::Thread& thread = emulation::current("prefetch_l2");
  emulation::global_memory().check_hint(thread, address, "prefetch_l2");
}

FG_DEVICE void st_global_f32(float* address, float value) { st_global_any(address, value, "st_global_f32"); }
FG_DEVICE void st_global_wt_f32(float* address, float value) { st_global_any(address, value, "st_global_wt_f32"); }
FG_DEVICE void st_global_wt_f32x4(float* address, float4 value) {
  st_global_any(address, value, "st_global_wt_f32x4");
}
FG_DEVICE void st_global_f32x4(float* address, float4 value) { st_global_any(address, value, "st_global_f32x4"); }
FG_DEVICE void st_global_u16(void* address, std::uint16_t value) { st_global_any(address, value, "st_global_u16"); }
FG_DEVICE void st_global_u32(void* address, std::uint32_t value) { st_global_any(address, value, "st_global_u32"); }
FG_DEVICE void st_global_u32x2(void* address, uint2 value) { st_global_any(address, value, "st_global_u32x2"); }
FG_DEVICE void st_global_u32x4(void* address, uint4 value) { st_global_any(address, value, "st_global_u32x4"); }

}  // namespace fastgemm::ptx
