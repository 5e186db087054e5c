// From accumulators to D: each warp turns its part, strip by strip of 16 columns, through its own slice of shared
// memory from fragment layout into whole columns, then applies the epilogue.
#pragma once

#include "kernels/epilogue/store_strip.cuh"
#include "kernels/hgemm_mma/mainloop.cuh"

namespace fastgemm::hgemm_mma {

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

template <class Variant>
FG_DEVICE void store_warp_tile(const Epilogue& e, const Accumulators<Variant>& acc, StripPlace place) {
  const ptx::SharedAddress strip = ptx::shared_base() + ptx::warp_index() * Variant::Strip::kBytes;
  const bool by_runs = runs_aligned(e);
  const auto store_staged = [&] {
    ptx::warp_sync();
    store_strip<typename Variant::Strip>(e, strip, place, by_runs);
    ptx::warp_sync();  // the strip is read before the next one overwrites it
    place.column += 16;
  };
  ptx::barrier_sync();  // the strips lie where other warps may still be reading tiles
  if constexpr (Variant::kUnrolledStrips) {
#pragma unroll
    for (int n = 0; n < Variant::kWarpN / 16; ++n) {
      stage_strip<Variant>(acc.block[n], strip);
      store_staged();
    }
  } else {
    // One loop, so that its code is there once; registers have no run-time index, so each turn looks for its own.
#pragma unroll 1
    for (int n = 0; n < Variant::kWarpN / 16; ++n) {
#pragma unroll
      for (int candidate = 0; candidate < Variant::kWarpN / 16; ++candidate) {
        if (candidate == n) stage_strip<Variant>(acc.block[candidate], strip);
      }
      store_staged();
    }
  }
}

}  // namespace fastgemm::hgemm_mma
