// FP32 GEMM on the FMA units of Hopper. Bulk tensor copies fill a ring of shared memory stages, warps wait for these
// alone, and every block gets an equal share of all k blocks of all tiles, however many tiles and SMs there are; an
// element of D is still one chain of FMAs over ascending k, handed from block to block where a share ends in a tile.
// (Equal shares: stream-K, Osama et al. 2023, but with the chain continued instead of partial sums added. With fewer
// tiles than SMs, where a chain would make SMs wait, partial sums are added here, too, if the caller's mode allows it.)
#pragma once

#include "kernels/epilogue/store_thread_tile.cuh"
#include "kernels/sgemm_hopper/chain.cuh"
#include "kernels/sgemm_hopper/config.h"
#include "kernels/sgemm_hopper/feed.cuh"
#include "kernels/sgemm_hopper/mainloop.cuh"
#include "kernels/sgemm_hopper/params.h"
#include "kernels/tile/split_sum.cuh"

namespace fastgemm::hopper {

template <class Config>
FG_DEVICE ThreadTileOrigin thread_tile_origin(const GemmProblem& problem, int first_wide, int first_narrow) {
  const int wide = first_wide + ptx::warp_index() % kWarpsWide * Config::AxisWide::kWidth +
                   Config::AxisWide::position(ptx::lane_index() % kLanesWide, 0);
  const int narrow = first_narrow + ptx::warp_index() / kWarpsWide * Config::AxisNarrow::kWidth +
                     Config::AxisNarrow::position(ptx::lane_index() / kLanesWide, 0);
  ThreadTileOrigin origin;
  origin.row = Config::kMirrored ? narrow : wide;
  origin.column = Config::kMirrored ? wide : narrow;
  origin.rows = problem.m - origin.row;
  origin.columns = problem.n - origin.column;
  return origin;
}

template <class Config>
FG_DEVICE void store_tile(const HopperParams& params, const SharedLayout<Config>& shared, int segment,
                          const Accumulators& r_acc) {
  const uint4 entry = ptx::ld_shared_u32x4(shared.segment(segment));
  const ThreadTileOrigin origin =
      thread_tile_origin<Config>(params.problem, static_cast<int>(entry.x), static_cast<int>(entry.y));
  const Epilogue epilogue = make_epilogue(params.problem, 0);
  store_scaled_tile<Config>(epilogue, origin, [&r_acc](int i, int j) {
    return Config::kMirrored ? r_acc[i][j] : r_acc[j][i];
  });
  finish_stored_tile<Config>(epilogue, origin);
}

template <class Config>
FG_DEVICE void prefetch_tile_c(const HopperParams& params, const SharedLayout<Config>& shared, int segment) {
  const uint4 entry = ptx::ld_shared_u32x4(shared.segment(segment));
  TileExtent tile{static_cast<int>(entry.x), static_cast<int>(entry.y), Config::kTileM, Config::kTileN};
  if constexpr (Config::kMirrored) tile.row = static_cast<int>(entry.y), tile.column = static_cast<int>(entry.x);
  prefetch_c(params.problem, 0, tile, ptx::thread_index(), kThreads);
}

// Which share is this block's; all threads get the answer. Also makes the barriers and the table of segments.
template <class Config>
FG_DEVICE int begin_share(const HopperParams& params, const SharedLayout<Config>& shared) {
  if (ptx::thread_index() == 0) {
    const int number = params.grid.chained ? draw_ticket(params) : static_cast<int>(ptx::block_index());
    ptx::st_shared_u32(shared.word(), static_cast<std::uint32_t>(number));
    init_barriers(shared);
  }
  ptx::barrier_sync();
  const int number = static_cast<int>(ptx::ld_shared_u32(shared.word()));
  const Share share = make_share(params.grid, number);
  for (int index = ptx::thread_index(); index <= share.segments; index += kThreads) {
    write_segment(shared, params, share, index);
  }
  ptx::barrier_sync();
  return number;
}

// Of a tile in parts: true in the block that has the sum of them all. Neighbours are exchanged as in
// park_accumulators(), for the same reason.
template <class Config>
FG_DEVICE bool sum_parts(const HopperParams& params, const SharedLayout<Config>& shared, int number, int tile,
                         Accumulators& r_acc) {
  const TileParts parts = parts_of_tile(params.grid, tile);
  const SplitPart part{tile, number - parts.first_share, parts.count, parts.first_share + tile};
  const SplitThreads<kThreads> threads{ptx::thread_index(), shared.word()};
  return sum_split_parts<kThreadWide * kThreadNarrow>(
      params.split, part, threads,
      [&r_acc](int i) -> float& { return r_acc[i / kThreadWide][(i ^ 1) % kThreadWide]; });
}

template <class Config>
__global__ void __launch_bounds__(kThreads, 1) sgemm_hopper_kernel(const __grid_constant__ HopperParams params) {
  const SharedLayout<Config> shared;
  const int number = begin_share<Config>(params, shared);
  const Share share = make_share(params.grid, number);
  const bool product = has_product(params.problem);
  Mainloop<Config> mainloop(params, shared, product ? share.end - share.begin : 0);
  mainloop.start();
#pragma unroll 1
  for (int index = 0; index < share.segments; ++index) {
    const Segment segment = segment_of(params.grid, share, index);
    const bool ends_tile = segment.end == params.grid.k_blocks;
    if (ends_tile) prefetch_tile_c<Config>(params, shared, index);
    Accumulators r_acc;
    if (segment.first > 0 && product && params.grid.chained) {
      resume_accumulators(params, number, r_acc);
    } else {
#pragma unroll
      for (int j = 0; j < kThreadNarrow; ++j) {
#pragma unroll
        for (int i = 0; i < kThreadWide; ++i) r_acc[j][i] = 0.0f;
      }
    }
    if (product) {
      const int whole = (ends_tile ? params.whole_blocks : segment.end) - segment.first;
      if (whole > 0) mainloop.multiply_blocks(r_acc, whole);
      if (ends_tile && params.rest_steps > 0) mainloop.multiply_rest(r_acc, params.rest_steps);
    }
    bool stores = ends_tile;
    if (params.grid.length > 0 && product && !(ends_tile && segment.first == 0)) {
      stores = sum_parts(params, shared, number, segment.tile, r_acc);
    }
    if (stores) {
      store_tile<Config>(params, shared, index, r_acc);
    } else if (params.grid.chained && product) {
      park_accumulators(params, number, r_acc);
    }
  }
}

}  // namespace fastgemm::hopper
