// FP32 GEMM on the FMA units. One block computes one tile of D; operands stream through a ring of shared memory
// stages; every element of D is one chain of FMAs over ascending k. After S. Murray's SGEMM (256x128x8 tile, Hilbert
// order, four stages, barriers on half and quarter blocks, write-through stores), made general.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/params.h"
#include "kernels/sgemm_ffma/config.h"
#include "kernels/sgemm_ffma/mainloop.cuh"
#include "kernels/sgemm_ffma/store_tile.cuh"
#include "kernels/tile/tile_order.cuh"

namespace fastgemm::ffma {

// The tile of this block.
struct BlockTile {
  std::int64_t batch = 0;
  std::int64_t first_m = 0;
  std::int64_t first_n = 0;
};

template <class Config>
FG_DEVICE BlockTile block_tile(const GemmParams& params) {
  std::int64_t index = params.first_tile + ptx::block_index();
  BlockTile tile;
  if (params.problem.batch_count > 1) {
    const std::int64_t tiles = static_cast<std::int64_t>(params.tiles_m) * params.tiles_n;
    tile.batch = index / tiles;
    index %= tiles;
  }
  const TileCoordinate at = hilbert_tile(index, params.tiles_m, params.tiles_n);
  tile.first_m = static_cast<std::int64_t>(at.m) * Config::kTileM;
  tile.first_n = static_cast<std::int64_t>(at.n) * Config::kTileN;
  return tile;
}

FG_DEVICE const float* operand_of_batch(const Operand& operand, std::int64_t batch) {
  return static_cast<const float*>(
      batch_entry(operand.data, operand.pointers, operand.batch_stride, DataType::kFloat32, batch));
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerSm)
    sgemm_ffma_kernel(const __grid_constant__ GemmParams params) {
  const GemmProblem& problem = params.problem;
  const BlockTile tile = block_tile<Config>(params);
  Accumulators<Config> r_acc = {};
  if (problem.k > 0 && load_scalar(problem.alpha) != 0.0f) {
    TileOperands operands;
    operands.a = {operand_of_batch(problem.a, tile.batch), problem.a.ld, tile.first_m, problem.m};
    operands.b = {operand_of_batch(problem.b, tile.batch), problem.b.ld, tile.first_n, problem.n};
    operands.k = problem.k;
    Mainloop<Config>(operands).run(r_acc);
  }
  const Epilogue epilogue = make_epilogue(problem, tile.batch);
  const ThreadTileOrigin origin = thread_tile_origin<Config>(problem, tile.first_m, tile.first_n);
  store_scaled<Config>(epilogue, origin, r_acc);
  finish_stored<Config>(epilogue, origin);
}

}  // namespace fastgemm::ffma
