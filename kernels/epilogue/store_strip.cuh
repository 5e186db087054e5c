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

// alpha * sum + beta * C into the strip, for the runs that store_strip_runs() stores at once. C is loaded for four
// rounds before the first is used: where C is D, each load would else wait for the store before it.
template <class Strip>
FG_DEVICE void add_c_to_strip(const Epilogue& e, ptx::SharedAddress s_strip, const StripPlace& place) {
  constexpr int kLanesPerColumn = Strip::kRows / kRunRows;
  constexpr int kColumnStep = 32 / kLanesPerColumn;
  constexpr int kRounds = Strip::kColumns / kColumnStep;
  constexpr int kAtOnce = kRounds < 4 ? kRounds : 4;
  static_assert(kRounds % kAtOnce == 0, "whole turns");
  const int strip_row = ptx::lane_index() % kLanesPerColumn * kRunRows;
  const std::int64_t row = place.row + strip_row;
  if (row + kRunRows > place.m) return;
#pragma unroll 1
  for (int first = ptx::lane_index() / kLanesPerColumn; first < Strip::kColumns; first += kAtOnce * kColumnStep) {
    float c[kAtOnce][kRunRows] = {};
#pragma unroll
    for (int round = 0; round < kAtOnce; ++round) {
      const std::int64_t column = place.column + first + round * kColumnStep;
      if (column < place.n) load_run(e.type, e.c, row + column * e.ldc, c[round]);
    }
#pragma unroll
    for (int round = 0; round < kAtOnce; ++round) {
#pragma unroll
      for (int i = 0; i < kRunRows; i += 4) {
        const ptx::SharedAddress s_vector = s_strip + Strip::offset(strip_row + i, first + round * kColumnStep);
        const float4 sum = ptx::ld_shared_f32x4(s_vector);
        ptx::st_shared_f32x4(s_vector, float4{scale(e, sum.x, c[round][i]), scale(e, sum.y, c[round][i + 1]),
                                              scale(e, sum.z, c[round][i + 2]), scale(e, sum.w, c[round][i + 3])});
      }
    }
  }
}

// Eight rows a lane; runs that D's last row cuts go element by element.
template <class Strip>
FG_DEVICE void store_strip_runs(const Epilogue& e, ptx::SharedAddress s_strip, const StripPlace& place) {
  if (e.beta != 0.0f) add_c_to_strip<Strip>(e, s_strip, place);
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
      float value[kRunRows] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
      if (e.beta == 0.0f) {
#pragma unroll
        for (int i = 0; i < kRunRows; ++i) value[i] = scale(e, value[i], 0.0f);
      }
      store_scaled_run(e, row, column, value);
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
