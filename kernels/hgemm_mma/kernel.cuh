// HGEMM on tensor cores through mma.sync: D = act(alpha * op(A) * op(B) + beta * C + bias), FP16 operands, FP32 sums,
// one rounding at the end. A block computes one tile of D, its warps parts of that tile. The ladder of techniques is
// that of A. Armbruster's "How to write a fast matrix multiplication from scratch with tensor cores".
#pragma once

#include "kernels/hgemm_mma/store_tile.cuh"
#include "kernels/params.h"
#include "kernels/tile/tile_order.cuh"

namespace fastgemm::hgemm_mma {

// Which tile of D this block computes.
struct BlockPlace {
  std::int64_t batch = 0;
  TileCoordinate tile;
};

// Tiles go in groups of kGroupRows, so that those under way at once cover a part of D that is about square.
template <class Variant>
FG_DEVICE BlockPlace block_place(const GemmParams& params) {
  const std::int64_t tile = params.first_tile + ptx::block_index();
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

template <class Variant>
FG_DEVICE TilePipeline<Variant> make_pipeline(const GemmProblem& p, const BlockPlace& place) {
  const void* a = batch_entry(p.a.data, p.a.pointers, p.a.batch_stride, DataType::kFloat16, place.batch);
  const void* b = batch_entry(p.b.data, p.b.pointers, p.b.batch_stride, DataType::kFloat16, place.batch);
  return {OperandCopy<Variant, typename Variant::TileA>(a, p.a.ld, p.m, first_row<Variant>(place)),
          OperandCopy<Variant, typename Variant::TileB>(b, p.b.ld, p.n, first_column<Variant>(place)), p.k};
}

template <class Variant>
__global__ void __launch_bounds__(Variant::kThreads, Variant::kBlocksPerSm)
    hgemm_mma_kernel(const __grid_constant__ GemmParams params) {
  const GemmProblem& problem = params.problem;
  const BlockPlace place = block_place<Variant>(params);
  const int warp = ptx::warp_index();
  Accumulators<Variant> acc = {};
  if (has_product(problem)) {
    TilePipeline<Variant> pipeline = make_pipeline<Variant>(problem, place);
    accumulate(acc, pipeline, warp);
  }
  const Epilogue epilogue = make_epilogue(problem, place.batch);
  const std::int64_t row = first_row<Variant>(place) + warp_row<Variant>(warp);
  const std::int64_t column = first_column<Variant>(place) + warp_column<Variant>(warp);
  store_warp_tile(epilogue, acc, {row, column, problem.m, problem.n});
}

}  // namespace fastgemm::hgemm_mma
