// FP32 GEMM for products with few tiles: short sides, deep k, and squares of up to about 1024. A block sums a tile of D
// over its part of k, each of its slices over a part of every k block.
#pragma once

#include "kernels/sgemm_sliced/mainloop.cuh"
#include "kernels/sgemm_sliced/store_tile.cuh"

namespace fastgemm::sliced {

// The part of the product that is this block's. Neighbours along the shorter side of the grid of tiles share in L2 what
// they read of the longer side's operand.
template <class Config>
FG_DEVICE BlockRange block_range(const SlicedParams& params, const SplitPart& part) {
  const int tile = static_cast<int>(part.tile);
  const bool along_m = params.tiles_m <= params.tiles_n;
  const int shorter = along_m ? params.tiles_m : params.tiles_n;
  const int across = tile / shorter;
  const int along = tile - across * shorter;
  const SplitSteps steps = split_steps(params.k_blocks, params.split.splits, part.index);
  return {(along_m ? along : across) * Config::kTileM, (along_m ? across : along) * Config::kTileN, steps.begin,
          steps.end - steps.begin};
}

template <class Config>
FG_DEVICE void prefetch_maps(const SlicedParams& params) {
  if constexpr (!Config::kCopiesA) ptx::tma_prefetch_map(params.a);
  if constexpr (!Config::kCopiesB) ptx::tma_prefetch_map(params.b);
}

template <class Config>
__global__ void __launch_bounds__(kThreads, Config::kBlocksPerSm)
    sgemm_sliced_kernel(const __grid_constant__ SlicedParams params) {
  const SharedLayout<Config> shared;
  const SplitPart part = split_part(params.split, ptx::block_index());
  const BlockRange range = block_range<Config>(params, part);
  if (ptx::thread_index() == 0) {
    prefetch_maps<Config>(params);
    init_barriers(shared);
  }
  ptx::barrier_sync();
  int slices = 0;  // that hold the sums, in shared memory
  if (has_product(params.problem)) {
    Mainloop<Config> mainloop(params, shared, range);
    mainloop.start();
    const TileExtent tile{range.row, range.column, Config::kTileM, Config::kTileN};
    prefetch_c(params.problem, 0, tile, ptx::thread_index(), kThreads);
    Accumulators<Config> r_acc = {};
    mainloop.multiply(r_acc);  // in the end all threads meet: the last stage is read
    store_slice(mainloop, shared, r_acc);
    ptx::barrier_sync();
    slices = Config::kSlices;
    if (params.split.splits > 1) {
      if (!sum_parts(params, shared, part)) return;
      slices = 1;
    }
  } else if (part.index > 0) {
    return;
  }
  TileStore<Config>(params.problem, range).store(shared, slices);
}

}  // namespace fastgemm::sliced
