// HGEMM for products with few tiles: short sides, deep k, and squares of up to about 512. FP16 operands, FP32 sums, one
// rounding at the end. The blocks of a cluster share out a tile's k, add their sums through each other's shared memory
// and finish some of the tile's columns each; several clusters a tile add theirs through workspace.
#pragma once

#include "kernels/hgemm_sliced/store_columns.cuh"

namespace fastgemm::hgemm_sliced {

template <class Config>
FG_DEVICE void prefetch_tile_of_c(const GemmProblem& problem, const BlockPlace& place, const ColumnRange& columns) {
  const TileExtent extent{place.row, std::int64_t{place.column} + columns.first, Config::kTileM, columns.count};
  if (extent.column < problem.n) prefetch_c(problem, 0, extent, ptx::thread_index(), kThreads);
}

template <class Config>
__global__ void __launch_bounds__(kThreads, Config::kBlocksPerSm)
    hgemm_sliced_kernel(const __grid_constant__ SlicedParams params) {
  const SharedLayout<Config> shared;
  const BlockPlace place = block_place<Config>(params);
  const int columns_of_block = Config::kTileN / params.shares.cluster;
  ColumnRange columns{place.rank * columns_of_block, columns_of_block, kThreads};
  SumTerms terms;
  if (Config::kPlain || has_product(params.problem)) {
    const Feed<Config> feed(params, shared, place);
    if (ptx::thread_index() == 0) feed.start();
    ptx::barrier_sync();
    if constexpr (!Config::kPlain) prefetch_tile_of_c<Config>(params.problem, place, columns);
    Mainloop<Config> mainloop(shared, feed, place.count);
    Accumulators<Config> r_acc = {};
    mainloop.multiply(r_acc);
    if (params.shares.cluster > 1) ptx::cluster_arrive();  // waited for before this block writes to others' rings
    ptx::barrier_sync();
    store_slice(shared, r_acc);
    ptx::barrier_sync();
    terms = slice_terms(shared);
    if (params.shares.cluster > 1) terms = exchange_sums(params, shared, place.rank);
    if (params.shares.groups > 1) {
      if (ptx::thread_index() >= Config::kSumThreads) return;
      if (!sum_clusters(params, shared, place, terms)) return;
      columns.threads = Config::kSumThreads;
    }
  } else if (place.group > 0) {
    return;
  }
  ColumnStore<Config>(params.problem, place).store(terms, columns);
}

}  // namespace fastgemm::hgemm_sliced
