// HGEMM on tensor cores through mma.sync: D = act(alpha * op(A) * op(B) + beta * C + bias), FP16 operands, FP32 sums, one
// rounding at the end. A block computes one tile of D, its warps parts of that tile. The ladder of techniques is that of
// A. Armbruster's "How to write a fast matrix multiplication from scratch with tensor cores".
#pragma once

#include "kernels/hgemm_mma/store_tile.cuh"
#include "kernels/params.h"
#include "kernels/tile/tile_order.cuh"

namespace fastgemm::hgemm_mma {

// Which part of D this block computes.
struct BlockPlace {
  std::int64_t batch = 0;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

// Tiles go in groups of 2048 rows, so that those under way at once cover a part of D that is about square.
template <class Variant>
FG_DEVICE BlockPlace block_place(const GemmParams& params) {
  constexpr int kGroupRows = 2048;
  const std::int64_t tile = params.first_tile + ptx::block_index();
  const std::int64_t tiles = static_cast<std::int64_t>(params.tiles_m) * params.tiles_n;
  const std::int64_t batch = tile / tiles;
  const TileCoordinate at =
      grouped_raster_tile(tile - batch * tiles, params.tiles_m, params.tiles_n, kGroupRows / Variant::kTileM);
  return {batch, static_cast<std::int64_t>(at.m) * Variant::kTileM, static_cast<std::int64_t>(at.n) * Variant::kTileN};
}

template <class Variant>
FG_DEVICE TilePipeline<Variant> make_pipeline(const GemmProblem& p, const BlockPlace& place) {
  const void* a = batch_entry(p.a.data, p.a.pointers, p.a.batch_stride, DataType::kFloat16, place.batch);
  const void* b = batch_entry(p.b.data, p.b.pointers, p.b.batch_stride, DataType::kFloat16, place.batch);
  return {OperandCopy<Variant, typename Variant::TileA>(a, p.a.ld, place.row, p.m - place.row),
          OperandCopy<Variant, typename Variant::TileB>(b, p.b.ld, place.column, p.n - place.column), p.k};
}

template <class Variant>
__global__ void __launch_bounds__(Variant::kThreads, Variant::kBlocksPerSm)
    hgemm_mma_kernel(const __grid_constant__ GemmParams params) {
  const GemmProblem& problem = params.problem;
  const BlockPlace place = block_place<Variant>(params);
  const int warp_m = ptx::warp_index() % Variant::kWarpsM;
  const int warp_n = ptx::warp_index() / Variant::kWarpsM;

  Accumulators<Variant> acc = {};
  if (has_product(problem)) {
    TilePipeline<Variant> pipeline = make_pipeline<Variant>(problem, place);
    accumulate(acc, pipeline, warp_m, warp_n);
  }
  const Epilogue epilogue = make_epilogue(problem, place.batch);
  store_warp_tile(epilogue, acc,
                  {place.row + warp_m * Variant::kWarpM, place.column + warp_n * Variant::kWarpN, problem.m, problem.n});
}

}  // namespace fastgemm::hgemm_mma
