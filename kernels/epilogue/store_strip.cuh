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

// Eight rows a lane; runs that D's last row cuts go element by element. Loading C for several runs before the first is
// stored was slower: 227 us, not 204, for 4096 x 4096 x 4096 NT with beta from 128 x 128 tiles of hgemm_wgmma on one H200.
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

// One row a lane, neighbouring lanes in neighbouring rows: for C or D that allow no 16-byte access. Four columns at once:
// where C is D, each load of C would else wait for the store before it.
template <class Strip>
FG_DEVICE void store_strip_elements(const Epilogue& e, ptx::SharedAddress s_strip, const StripPlace& place) {
  constexpr int kAtOnce = 4;
  const std::int64_t columns_left = place.n - place.column;
  const int columns = columns_left < Strip::kColumns ? static_cast<int>(columns_left) : Strip::kColumns;
#pragma unroll 1
  for (int r = ptx::lane_index(); r < Strip::kRows && place.row + r < place.m; r += 32) {
    const std::int64_t row = place.row + r;
    const float bias = e.bias != nullptr ? load_element(e.type, e.bias, row) : 0.0f;
    std::int64_t at_c = row + place.column * e.ldc;
    std::int64_t at_d = row + place.column * e.ldd;
#pragma unroll 1
    for (int first = 0; first < columns; first += kAtOnce) {
      float value[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i, at_c += e.ldc) {
        const bool reads_c = e.beta != 0.0f && first + i < columns;
        const float c = reads_c ? load_element(e.type, e.c, at_c) : 0.0f;
        value[i] = combine(e, ptx::ld_shared_f32(s_strip + Strip::offset(r, first + i)), c, bias);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i, at_d += e.ldd) {
        if (first + i < columns) store_value(e, at_d, value[i]);
      }
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
