// HGEMM on Hopper's warpgroup tensor cores: D = act(alpha * op(A) * op(B) + beta * C + bias), FP16 operands, FP32 sums,
// one rounding at the end. One thread copies tiles into a ring of shared memory stages, two warpgroups multiply them;
// blocks stay and work through a list of tiles. (The division of labour is that of CUTLASS's sm90 ping-pong and
// cooperative kernels.)
#pragma once

#include "kernels/hgemm_wgmma/store_tile.cuh"

namespace fastgemm::hgemm_wgmma {

// The tiles of this block that a warpgroup works on.
template <class Config>
struct TileWalk {
  int blocks = 0;  // tiles of a block lie so far apart
  int first = 0;
  int step = 0;
  FG_DEVICE explicit TileWalk(int warpgroup) : blocks(static_cast<int>(ptx::grid_size())) {
    first = static_cast<int>(ptx::block_index()) + (Config::kPingPong ? warpgroup * blocks : 0);
    step = (Config::kPingPong ? kWarpgroups : 1) * blocks;
  }
};

// Whether this warpgroup's tile is the block's last one and all products have read the ring, so that results may be
// spread over it. The warpgroup that has the tile before says so, when its own products are done.
template <class Config>
FG_DEVICE bool ring_is_free(const TileWalk<Config>& walk, int tile, int tiles) {
  constexpr int kBarrier = 1;
  const bool last = tile + walk.blocks >= tiles;
  if constexpr (Config::kPingPong) {
    if (last) {
      ptx::barrier_sync(kBarrier, tile >= walk.blocks ? kConsumers : kWarpgroupThreads);
    } else if (tile + 2 * walk.blocks >= tiles) {
      ptx::barrier_arrive(kBarrier, kConsumers);
    }
  } else if (last) {
    ptx::barrier_sync(kBarrier, kConsumers);
  }
  return last;
}

template <class Config>
FG_DEVICE void consume(const WgmmaParams& params, const SharedLayout<Config>& shared, int warpgroup) {
  const TileWalk<Config> walk(warpgroup);
  Turns<Config> turns(shared, warpgroup);
  Mainloop<Config> mainloop(shared, warpgroup);
  TileStore<Config> results(params, shared);
  if (warpgroup == 1) mainloop.skip(params.k_blocks);
  for (int tile = walk.first; tile < params.grid.tiles; tile += walk.step) {
    const TilePlace place = tile_place(params.grid, tile, kRasterGroup);
    Accumulators<Config> r_acc;
    turns.take();
    mainloop.multiply(r_acc, params.k_blocks);
    turns.pass();
    mainloop.finish(r_acc);
    mainloop.skip(params.k_blocks);
    results.store(place, r_acc, ring_is_free(walk, tile, params.grid.tiles));
  }
  results.finish();
}

// alpha is 0, which only the device knew: element by element, so that multiplying kernels carry no code for it.
template <class Config>
FG_DEVICE void store_without_product(const WgmmaParams& params, int warpgroup) {
  const TileWalk<Config> walk(warpgroup);
  constexpr int kSharing = kWarpgroupThreads * Config::kGroupsOfTile;  // threads of a tile
  for (int tile = walk.first; tile < params.grid.tiles; tile += walk.step) {
    const TilePlace place = tile_place(params.grid, tile, kRasterGroup);
    const Epilogue epilogue = make_epilogue(params.problem, place.entry);
    for (int at = ptx::thread_index() % kSharing; at < Config::kTileM * Config::kTileN; at += kSharing) {
      const int row = place.tile_m * Config::kTileM + at % Config::kTileM;
      const int column = place.tile_n * Config::kTileN + at / Config::kTileM;
      if (row < params.problem.m && column < params.problem.n) store_element(epilogue, row, column, 0.0f);
    }
  }
}

template <class Config>
__global__ void __launch_bounds__(kThreads, 1) hgemm_wgmma_kernel(const __grid_constant__ WgmmaParams params) {
  const SharedLayout<Config> shared;
  const int warpgroup = ptx::warp_index() / 4;
  const bool product = has_product(params.problem);
  Feed<Config> feed(params, shared);
  if (ptx::thread_index() == kConsumers) {
    init_barriers(shared);
    if (product) feed.start();
  }
  ptx::barrier_sync();
  if (warpgroup == kWarpgroups) {
    ptx::setmaxnreg_dec<kProducerRegisters>();
    if (ptx::thread_index() == kConsumers && product) feed.run();
  } else {
    ptx::setmaxnreg_inc<kConsumerRegisters>();
    if (product) {
      consume(params, shared, warpgroup);
    } else {
      store_without_product<Config>(params, warpgroup);
    }
  }
}

}  // namespace fastgemm::hgemm_wgmma
