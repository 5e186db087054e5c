// HGEMM on Hopper's warpgroup tensor cores: D = act(alpha * op(A) * op(B) + beta * C + bias), FP16 operands, FP32 sums,
// one rounding at the end. One thread copies tiles into a ring of shared memory stages, two warpgroups multiply them;
// blocks stay and work through a list of tiles. (The division of labour is that of CUTLASS's sm90 ping-pong and
// cooperative kernels.)
#pragma once

#include "kernels/hgemm_wgmma/store_tile.cuh"
#include "kernels/ptx/grid_dependency.cuh"

namespace fastgemm::hgemm_wgmma {

// The items of this block's work that a warpgroup has.
template <class Config>
struct WorkList {
  int blocks = 0;  // or clusters: items of one lie so far apart
  int first = 0;
  int step = 0;
  FG_DEVICE explicit WorkList(int warpgroup) : blocks(ClusterPlace<Config>().count) {
    first = ClusterPlace<Config>().index + (Config::kPingPong ? warpgroup * blocks : 0);
    step = (Config::kPingPong ? kWarpgroups : 1) * blocks;
  }
};

// Whether it is the block's last one.
template <class Config>
FG_DEVICE bool is_last(const WorkList<Config>& list, int item, int items) {
  return item + list.blocks >= items;
}

// Whether this warpgroup's item is the block's last one and all products have read the ring, so that results may be
// spread over it. The warpgroup that has the item before says so, when its own products are done.
template <class Config>
FG_DEVICE bool ring_is_free(const WorkList<Config>& list, int item, int items) {
  constexpr int kBarrier = 1;
  const bool last = is_last(list, item, items);
  if constexpr (Config::kPingPong) {
    if (last) {
      ptx::barrier_sync(kBarrier, item >= list.blocks ? kConsumers : kWarpgroupThreads);
    } else if (item + 2 * list.blocks >= items) {
      ptx::barrier_arrive(kBarrier, kConsumers);
    }
  } else if (last) {
    ptx::barrier_sync(kBarrier, kConsumers);
  }
  return last;
}

// The threads that share a tile.
template <class Config>
struct TileMeet {
  int warpgroup = 0;
  FG_DEVICE void operator()() const {
    constexpr int kFirstBarrier = 2;
    ptx::barrier_sync(kFirstBarrier + (Config::kPingPong ? warpgroup : 0), Config::kThreadsOfTile);
  }
};

// With the tile's k in several parts: true in the threads that have their sum.
template <class Config>
FG_DEVICE bool sum_parts(const WgmmaParams& params, const SharedLayout<Config>& shared, const SplitPart& part,
                         int warpgroup, Accumulators<Config>& r_acc) {
  constexpr int kOfBlock = Config::kTileRight / 2;
  const int own = Config::kPingPong ? warpgroup : 0;
  const SplitThreads<Config::kThreadsOfTile, TileMeet<Config>> threads{
      ptx::thread_index() - own * kWarpgroupThreads, shared.word(own), {own}};
  return sum_split_parts<Config::kBlocks * kOfBlock>(
      params.split, part, threads, [&r_acc](int i) -> float& { return r_acc[i / kOfBlock][i % kOfBlock]; });
}

template <class Config>
FG_DEVICE void consume(const WgmmaParams& params, const SharedLayout<Config>& shared, int warpgroup) {
  const WorkList<Config> list(warpgroup);
  Turns<Config> turns(shared, warpgroup);
  Mainloop<Config> mainloop(shared, warpgroup);
  TileStore<Config> results(params, shared);
  // The other warpgroup's item before this one's.
  const auto skip = [&](int item) {
    if constexpr (!Config::kPingPong) return;
    const SplitSteps steps = WorkItem<Config>(params, item).steps;
    mainloop.skip(steps.end - steps.begin + Config::kCStages);
  };
  if (warpgroup == 1) skip(list.first - list.blocks);
  for (int number = list.first; number < params.items; number += list.step) {
    const WorkItem<Config> item(params, number);
    Accumulators<Config> r_acc;
    turns.take();
    mainloop.multiply(r_acc, item.steps.end - item.steps.begin);
    if constexpr (Config::kAddsC && Config::kPingPong) mainloop.wait_for_c();
    turns.pass();
    mainloop.finish(r_acc);
    if constexpr (Config::kAddsC) {
      results.store_adding_c(item.place, r_acc, mainloop, is_last(list, number, params.items));
      skip(number + list.blocks);
      continue;
    }
    skip(number + list.blocks);
    const bool free = ring_is_free(list, number, params.items);
    if constexpr (Config::kSplits) {
      if (params.split.splits > 1 && !sum_parts(params, shared, item.part, warpgroup, r_acc)) continue;
    }
    results.store(item.place, r_acc, free);
  }
  results.finish();
}

// alpha is 0, which only the device knew: element by element, so that multiplying kernels carry no code for it.
template <class Config>
FG_DEVICE void store_without_product(const WgmmaParams& params, int warpgroup) {
  const WorkList<Config> list(warpgroup);  // of whole tiles
  constexpr int kSharing = Config::kThreadsOfTile;
  for (int tile = list.first; tile < params.grid.tiles; tile += list.step) {
    const TilePlace place = place_in_cluster<Config>(params, tile);
    const Epilogue epilogue = make_epilogue(params.problem, place.entry);
    for (int at = ptx::thread_index() % kSharing; at < Config::kTileM * Config::kTileN; at += kSharing) {
      const int row = place.tile_m * Config::kTileM + at % Config::kTileM;
      const int column = place.tile_n * Config::kTileN + at / Config::kTileM;
      if (row < params.problem.m && column < params.problem.n) store_element(epilogue, row, column, 0.0f);
    }
  }
}

// C of this block's first tile where no copies reach it; in small problems, where the wait for it counts, it is the only
// one. By the warpgroup that else idles.
template <class Config>
FG_DEVICE void prefetch_first_c(const WgmmaParams& params) {
  const TilePlace place = WorkItem<Config>(params, ClusterPlace<Config>().index).place;
  const TileExtent tile{place.tile_m * Config::kTileM, place.tile_n * Config::kTileN, Config::kTileM, Config::kTileN};
  prefetch_c(params.problem, place.entry, tile, ptx::thread_index() - kConsumers, kWarpgroupThreads);
}

// The first copy by a map waits for the map to come from memory: 0.2 us at either end of a short kernel.
template <class Config>
FG_DEVICE void prefetch_maps(const WgmmaParams& params) {
  ptx::tma_prefetch_map(params.left);
  ptx::tma_prefetch_map(params.right);
  if (params.d_by_copies) ptx::tma_prefetch_map(params.d);
  if constexpr (Config::kAddsC) ptx::tma_prefetch_map(params.c);
  if constexpr (Config::kRestRows > 0) ptx::tma_prefetch_map(params.d_rest);
}

template <class Config>
__global__ void __launch_bounds__(kThreads, 1) hgemm_wgmma_kernel(const __grid_constant__ WgmmaParams params) {
  const SharedLayout<Config> shared;
  const int warpgroup = ptx::warp_index() / 4;
  Feed<Config> feed(params, shared);
  if (ptx::thread_index() == kConsumers) {
    prefetch_maps<Config>(params);
    init_barriers(shared);
  }
  ptx::griddepcontrol_wait();  // for the pass that repacks operands, where there is one
  cluster_meet<Config>();      // copies go to both blocks of a pair, whose barriers are there then
  const bool product = !Config::kGeneral || has_product(params.problem);
  if (ptx::thread_index() == kConsumers && product) feed.start();
  if constexpr (Config::kGeneral) {
    if (warpgroup == kWarpgroups && product && !params.c_by_copies) prefetch_first_c<Config>(params);
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
      if constexpr (Config::kGeneral) store_without_product<Config>(params, warpgroup);
    }
  }
  cluster_meet<Config>();  // until no more copies or arrivals come from the other block
}

}  // namespace fastgemm::hgemm_wgmma
