// From a warp's strip of FP32 sums in shared memory (EpilogueStrip of kernels/tile/swizzle.cuh) to D.
#pragma once

#include "kernels/epilogue/store_run.cuh"
#include "kernels/ptx/shared.cuh"

namespace fastgemm {

// Where a strip begins in D, and D's size.
struct StripPlace {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t m = 0;
  std::int64_t n = 0;
};

// Eight rows a lane; runs that D's last row cuts go element by element.
template <class Strip>
FG_DEVICE void store_strip_runs(const Epilogue& e, ptx::SharedAddress s_strip, const StripPlace& place) {
  constexpr int kLanesPerColumn = Strip::kRows / kRunRows;
  const int strip_row = ptx::lane_index() % kLanesPerColumn * kRunRows;
  const std::int64_t row = place.row + strip_row;
#pragma unroll 1
  for (int c = ptx::lane_index() / kLanesPerColumn; c < Strip::kColumns; c += 32 / kLanesPerColumn) {
    const std::int64_t column = place.column + c;
    if (row >= place.m || column >= place.n) continue;
    const float4 first = ptx::ld_shared_f32x4(s_strip + Strip::offset(strip_row, c));
    const float4 second = ptx::ld_shared_f32x4(s_strip + Strip::offset(strip_row + 4, c));
    if (row + kRunRows <= place.m) {
      store_run(e, row, column, {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w});
    } else {
#pragma unroll 1
      for (int i = 0; row + i < place.m; ++i) {
        store_element(e, row + i, column, ptx::ld_shared_f32(s_strip + Strip::offset(strip_row + i, c)));
      }
    }
  }
}

// One row a lane, neighbouring lanes in neighbouring rows: for C or D that allow no 16-byte access.
template <class Strip>
FG_DEVICE void store_strip_elements(const Epilogue& e, ptx::SharedAddress s_strip, const StripPlace& place) {
#pragma unroll 1
  for (int c = 0; c < Strip::kColumns && place.column + c < place.n; ++c) {
#pragma unroll 1
    for (int r = ptx::lane_index(); r < Strip::kRows && place.row + r < place.m; r += 32) {
      store_element(e, place.row + r, place.column + c, ptx::ld_shared_f32(s_strip + Strip::offset(r, c)));
    }
  }
}

// The whole strip, by all lanes of the warp that has written it; `by_runs` is runs_aligned(e).
template <class Strip>
FG_DEVICE void store_strip(const Epilogue& e, ptx::SharedAddress s_strip, const StripPlace& place, bool by_runs) {
  if (by_runs) {
    store_strip_runs<Strip>(e, s_strip, place);
  } else {
    store_strip_elements<Strip>(e, s_strip, place);
  }
}

}  // namespace fastgemm
