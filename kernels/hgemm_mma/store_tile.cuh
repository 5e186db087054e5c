// From accumulators to D: each warp turns its part, strip by strip of 16 columns, through its own slice of shared
// memory from fragment layout into whole columns, then applies the epilogue.
#pragma once

#include "kernels/epilogue/store_run.cuh"
#include "kernels/hgemm_mma/mainloop.cuh"

namespace fastgemm::hgemm_mma {

// Where a part of D begins, and D's size.
struct Place {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t m = 0;
  std::int64_t n = 0;
};

template <class Variant>
FG_DEVICE void stage_strip(const float (&blocks)[Variant::kWarpM / 8][4], ptx::SharedAddress strip) {
  const int lane = ptx::lane_index();
#pragma unroll
  for (int m = 0; m < Variant::kWarpM / 8; ++m) {
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      const int row = m * 8 + accumulator_m(lane, pair * 2);
      const int column = accumulator_n(lane, pair * 2);
      ptx::st_shared_f32x2(strip + Variant::Strip::offset(row, column),
                           float2{blocks[m][pair * 2], blocks[m][pair * 2 + 1]});
    }
  }
}

// Eight rows a lane; runs that D's last row cuts go element by element.
template <class Variant>
FG_DEVICE void store_strip_runs(const Epilogue& e, ptx::SharedAddress strip, const Place& place) {
  using Strip = typename Variant::Strip;
  constexpr int kLanesPerColumn = Strip::kRows / kRunRows;
  const int strip_row = ptx::lane_index() % kLanesPerColumn * kRunRows;
  const std::int64_t row = place.row + strip_row;
#pragma unroll 1
  for (int c = ptx::lane_index() / kLanesPerColumn; c < Strip::kColumns; c += 32 / kLanesPerColumn) {
    const std::int64_t column = place.column + c;
    if (row >= place.m || column >= place.n) continue;
    const float4 first = ptx::ld_shared_f32x4(strip + Strip::offset(strip_row, c));
    const float4 second = ptx::ld_shared_f32x4(strip + Strip::offset(strip_row + 4, c));
    if (row + kRunRows <= place.m) {
      store_run(e, row, column, {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w});
    } else {
#pragma unroll 1
      for (int i = 0; row + i < place.m; ++i) {
        store_element(e, row + i, column, ptx::ld_shared_f32(strip + Strip::offset(strip_row + i, c)));
      }
    }
  }
}

// One row a lane, neighbouring lanes in neighbouring rows: for C or D that allow no 16-byte access.
template <class Variant>
FG_DEVICE void store_strip_elements(const Epilogue& e, ptx::SharedAddress strip, const Place& place) {
  using Strip = typename Variant::Strip;
#pragma unroll 1
  for (int c = 0; c < Strip::kColumns && place.column + c < place.n; ++c) {
#pragma unroll 1
    for (int r = ptx::lane_index(); r < Strip::kRows && place.row + r < place.m; r += 32) {
      store_element(e, place.row + r, place.column + c, ptx::ld_shared_f32(strip + Strip::offset(r, c)));
    }
  }
}

template <class Variant>
FG_DEVICE void store_warp_tile(const Epilogue& e, const Accumulators<Variant>& acc, Place place) {
  const ptx::SharedAddress strip = ptx::shared_base() + ptx::warp_index() * Variant::Strip::kBytes;
  const bool by_runs = runs_aligned(e);
  ptx::barrier_sync();  // the strips lie where other warps may still be reading tiles
#pragma unroll
  for (int n = 0; n < Variant::kWarpN / 16; ++n) {
    stage_strip<Variant>(acc.block[n], strip);
    ptx::warp_sync();
    if (by_runs) {
      store_strip_runs<Variant>(e, strip, place);
    } else {
      store_strip_elements<Variant>(e, strip, place);
    }
    ptx::warp_sync();  // the strip is read before the next one overwrites it
    place.column += 16;
  }
}

}  // namespace fastgemm::hgemm_mma
