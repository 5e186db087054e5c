// Host version of kernels/ptx/shared.cuh.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

template <class Value>
Value ld_shared_any(SharedAddress address, const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  thread.block->maybe_switch(thread);
  return thread.block->shared().load<Value>(thread, address, operation);
}

template <class Value>
void st_shared_any(SharedAddress address, const Value& value, const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  thread.block->maybe_switch(thread);
  thread.block->shared().store<Value>(thread, address, value, operation);
}

FG_DEVICE float ld_shared_f32(SharedAddress address) { return ld_shared_any<float>(address, "ld_shared_f32"); }
FG_DEVICE float4 ld_shared_f32x4(SharedAddress address) { return ld_shared_any<float4>(address, "ld_shared_f32x4"); }
FG_DEVICE uint4 ld_shared_u32x4(SharedAddress address) { return ld_shared_any<uint4>(address, "ld_shared_u32x4"); }
FG_DEVICE std::uint16_t ld_shared_u16(SharedAddress address) {
  return ld_shared_any<std::uint16_t>(address, "ld_shared_u16");
}
FG_DEVICE std::uint32_t ld_shared_u32(SharedAddress address) {
  return ld_shared_any<std::uint32_t>(address, "ld_shared_u32");
}

FG_DEVICE void st_shared_f32(SharedAddress address, float value) { st_shared_any(address, value, "st_shared_f32"); }
FG_DEVICE void st_shared_f32x2(SharedAddress address, float2 value) {
  st_shared_any(address, value, "st_shared_f32x2");
}
FG_DEVICE void st_shared_f32x4(SharedAddress address, float4 value) {
  st_shared_any(address, value, "st_shared_f32x4");
}
FG_DEVICE void st_shared_u16(SharedAddress address, std::uint16_t value) {
  st_shared_any(address, value, "st_shared_u16");
}
FG_DEVICE void st_shared_u32(SharedAddress address, std::uint32_t value) {
  st_shared_any(address, value, "st_shared_u32");
}
FG_DEVICE void st_shared_u32x4(SharedAddress address, uint4 value) {
  st_shared_any(address, value, "st_shared_u32x4");
}

}  // namespace fastgemm::ptx
