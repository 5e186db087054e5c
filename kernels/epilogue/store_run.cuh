// The epilogue for eight rows of a column at once, with 16-byte accesses of C and D.
#pragma once

#include "kernels/epilogue/epilogue.cuh"

namespace fastgemm {

inline constexpr int kRunRows = 8;

// Whether every run whose first row is a multiple of 8 is a multiple of 16 bytes away from address 0.
FG_DEVICE bool runs_aligned(const void* data, std::int64_t ld, DataType type) {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data));
  return ((address | ld * element_size(type)) & 15) == 0;
}

// Whether store_run may be used for D, and for C where it is read.
FG_DEVICE bool runs_aligned(const Epilogue& e) {
  return runs_aligned(e.d, e.ldd, e.type) && (e.beta == 0.0f || runs_aligned(e.c, e.ldc, e.type));
}

FG_DEVICE void unpack_pair(std::uint32_t pair, float& low, float& high) {
  low = ptx::f32_from_f16(static_cast<std::uint16_t>(pair & 0xffffu));
  high = ptx::f32_from_f16(static_cast<std::uint16_t>(pair >> 16));
}

// Eight elements from `index` on.
FG_DEVICE void load_run(DataType type, const void* data, std::int64_t index, float (&run)[kRunRows]) {
  if (type == DataType::kFloat32) {
    const float* from = static_cast<const float*>(data) + index;
    const float4 first = ptx::ld_global_f32x4(from);
    const float4 second = ptx::ld_global_f32x4(from + 4);
    run[0] = first.x, run[1] = first.y, run[2] = first.z, run[3] = first.w;
    run[4] = second.x, run[5] = second.y, run[6] = second.z, run[7] = second.w;
  } else {
    const uint4 halves = ptx::ld_global_u32x4(static_cast<const std::uint16_t*>(data) + index);
    unpack_pair(halves.x, run[0], run[1]);
    unpack_pair(halves.y, run[2], run[3]);
    unpack_pair(halves.z, run[4], run[5]);
    unpack_pair(halves.w, run[6], run[7]);
  }
}

// Finishes and stores rows row .. row + 7 of a column, all inside D; runs_aligned(e) holds and row is a multiple of 8.
FG_DEVICE void store_run(const Epilogue& e, std::int64_t row, std::int64_t column, const float (&acc)[kRunRows]) {
  float c[kRunRows] = {};
  float value[kRunRows];
  if (e.beta != 0.0f) load_run(e.type, e.c, row + column * e.ldc, c);
#pragma unroll
  for (int i = 0; i < kRunRows; ++i) value[i] = scale(e, acc[i], c[i]);
  if (has_finish(e)) {
#pragma unroll
    for (int i = 0; i < kRunRows; ++i) {
      const float bias = e.bias != nullptr ? load_element(e.type, e.bias, row + i) : 0.0f;
      value[i] = finish(e, value[i], bias);
    }
  }
  const std::int64_t at = row + column * e.ldd;
  if (e.type == DataType::kFloat32) {
    float* to = static_cast<float*>(e.d) + at;
    ptx::st_global_f32x4(to, float4{value[0], value[1], value[2], value[3]});
    ptx::st_global_f32x4(to + 4, float4{value[4], value[5], value[6], value[7]});
  } else {
    ptx::st_global_u32x4(static_cast<std::uint16_t*>(e.d) + at,
                         uint4{ptx::f16x2_from_f32(value[0], value[1]), ptx::f16x2_from_f32(value[2], value[3]),
                               ptx::f16x2_from_f32(value[4], value[5]), ptx::f16x2_from_f32(value[6], value[7])});
  }
}

}  // namespace fastgemm
