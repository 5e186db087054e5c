// HGEMM on tensor cores through mma.sync: D = act(alpha * op(A) * op(B) + beta * C + bias), FP16 operands, FP32 sums,
// one rounding at the end. A block computes one tile of D, its warps parts of that tile. The ladder of techniques is
// that of A. Armbruster's "How to write a fast matrix multiplication from scratch with tensor cores".
#pragma once

#include "kernels/hgemm_mma/store_tile.cuh"
#include "kernels/params.h"
#include "kernels/tile/split_sum.cuh"
#include "kernels/tile/tile_order.cuh"

namespace fastgemm::hgemm_mma {

// A tile of D.
struct BlockPlace {
  std::int64_t batch = 0;
  TileCoordinate tile;
};

// Tiles go in groups of kGroupRows, so that those under way at once cover a part of D that is about square.
template <class Variant>
FG_DEVICE BlockPlace block_place(const GemmParams& params, std::int64_t tile) {
  const std::int64_t tiles = static_cast<std::int64_t>(params.tiles_m) * params.tiles_n;
  const std::int64_t batch = tile / tiles;
  constexpr int kGroup = Variant::kGroupRows / Variant::kTileM;
  return {batch, grouped_raster_tile(tile - batch * tiles, params.tiles_m, params.tiles_n, kGroup)};
}

template <class Variant>
FG_DEVICE std::int64_t first_row(const BlockPlace& place) {
  return static_cast<std::int64_t>(place.tile.m) * Variant::kTileM;
}

template <class Variant>
FG_DEVICE std::int64_t first_column(const BlockPlace& place) {
  return static_cast<std::int64_t>(place.tile.n) * Variant::kTileN;
}

// The tiles of A and B that a tile of D needs, over all of k or one part of it.
template <class Variant>
FG_DEVICE TilePipeline<Variant> make_pipeline(const GemmParams& params, const BlockPlace& place, int part) {
  const GemmProblem& p = params.problem;
  const void* a = batch_entry(p.a.data, p.a.pointers, p.a.batch_stride, DataType::kFloat16, place.batch);
  const void* b = batch_entry(p.b.data, p.b.pointers, p.b.batch_stride, DataType::kFloat16, place.batch);
  std::int64_t k = p.k;
  if constexpr (Variant::kSplits) {
    if (params.split.splits > 1) {
      const auto steps = static_cast<int>((p.k + Variant::kTileK - 1) / Variant::kTileK);
      const SplitSteps own = split_steps(steps, params.split.splits, part);
      const std::int64_t first_k = static_cast<std::int64_t>(own.begin) * Variant::kTileK;
      a = static_cast<const char*>(a) + first_k * (Variant::TileA::kDepthContiguous ? 1 : p.a.ld) * 2;
      b = static_cast<const char*>(b) + first_k * (Variant::TileB::kDepthContiguous ? 1 : p.b.ld) * 2;
      k = (own.end == steps ? p.k : static_cast<std::int64_t>(own.end) * Variant::kTileK) - first_k;
    }
  }
  using Pipeline = TilePipeline<Variant>;
  return {typename Pipeline::CopyA(a, p.a.ld, p.m, first_row<Variant>(place)),
          typename Pipeline::CopyB(b, p.b.ld, p.n, first_column<Variant>(place)), k};
}

// With the tile's k in several parts: true in the block that has their sum. The stages are free by then.
template <class Variant>
FG_DEVICE bool sum_parts(const SplitParams& split, const SplitPart& part, Accumulators<Variant>& acc) {
  constexpr int kBlocksM = Variant::kWarpM / 8;
  constexpr int kElements = Variant::kWarpN / 16 * kBlocksM * 4;
  const SplitThreads<Variant::kThreads> threads{ptx::thread_index(), ptx::shared_base()};
  return sum_split_parts<kElements>(split, part, threads, [&acc](int i) -> float& {
    return acc.block[i / (4 * kBlocksM)][i / 4 % kBlocksM][i % 4];
  });
}

template <class Variant>
__global__ void __launch_bounds__(Variant::kThreads, Variant::kBlocksPerSm)
    hgemm_mma_kernel(const __grid_constant__ GemmParams params) {
  const GemmProblem& problem = params.problem;
  SplitPart part{params.first_tile + ptx::block_index(), 0};
  if constexpr (Variant::kSplits) part = split_part(params.split, part.tile);
  const BlockPlace place = block_place<Variant>(params, part.tile);
  const int warp = ptx::warp_index();
  Accumulators<Variant> acc = {};
  if (Variant::kPlain || has_product(problem)) {
    TilePipeline<Variant> pipeline = make_pipeline<Variant>(params, place, part.index);
    if constexpr (!Variant::kPlain) {
      const TileExtent tile{first_row<Variant>(place), first_column<Variant>(place), Variant::kTileM, Variant::kTileN};
      prefetch_c(problem, place.batch, tile, ptx::thread_index(), Variant::kThreads);
    }
    accumulate(acc, pipeline, warp);
    if constexpr (Variant::kSplits) {
      if (params.split.splits > 1 && !sum_parts<Variant>(params.split, part, acc)) return;
    }
  } else if (part.index > 0) {
    return;
  }
  const Epilogue epilogue =
      Variant::kPlain ? make_plain_epilogue(problem, place.batch) : make_epilogue(problem, place.batch);
  const std::int64_t row = first_row<Variant>(place) + warp_row<Variant>(warp);
  const std::int64_t column = first_column<Variant>(place) + warp_column<Variant>(warp);
  store_warp_tile(epilogue, acc, {row, column, problem.m, problem.n});
}

}  // namespace fastgemm::hgemm_mma
