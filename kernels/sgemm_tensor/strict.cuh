// FP32 throughout, for data that no parts can stand for: the FFMA family's tile, in a kernel that leaves at once unless
// the pass before has chosen it, or there was nothing to split. Where tiles are few, k is cut over blocks; where they
// are many, blocks stay and work through them, so that few come only to leave.
#pragma once

#include "kernels/ptx/grid_dependency.cuh"
#include "kernels/sgemm_ffma/kernel.cuh"
#include "kernels/sgemm_tensor/parts.h"

namespace fastgemm::sgemm_tensor {

using StrictTile = ffma::Tile128x128x8;

struct StrictParams {
  GemmParams gemm;
  std::int64_t parts = 0;  // of k, of all tiles
  const std::uint32_t* g_method = nullptr;
};

// A tile, or its part of k.
template <class Config>
FG_DEVICE void strict_part(const StrictParams& params, std::int64_t index, bool product) {
  const GemmProblem& problem = params.gemm.problem;
  const SplitPart part = split_part(params.gemm.split, index);
  const ffma::BlockTile tile = ffma::block_tile<Config>(params.gemm, part.tile);
  ffma::Accumulators<Config> r_acc = {};
  if (product) {
    ffma::Mainloop<Config>(ffma::tile_operands<Config>(params.gemm, tile, part.index)).run(r_acc);
    if (params.gemm.split.splits > 1 && !ffma::sum_parts<Config>(params.gemm.split, part, r_acc)) return;
  } else if (part.index > 0) {
    return;
  }
  const Epilogue epilogue = make_epilogue(problem, 0);
  const ThreadTileOrigin origin = ffma::thread_tile_origin<Config>(problem, tile.first_m, tile.first_n);
  ffma::store_scaled<Config>(epilogue, origin, r_acc);
  ffma::finish_stored<Config>(epilogue, origin);
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerSm)
    sgemm_strict_kernel(const __grid_constant__ StrictParams params) {
  ptx::griddepcontrol_launch_dependents();
  ptx::griddepcontrol_wait();
  const bool product = has_product(params.gemm.problem);
  if (product && ptx::ld_global_u32(params.g_method) != static_cast<std::uint32_t>(Method::kStrict)) return;
#pragma unroll 1
  for (std::int64_t index = ptx::block_index(); index < params.parts; index += ptx::grid_size()) {
    if (index >= ptx::grid_size()) ptx::barrier_sync();  // the tile before has been read
    strict_part<Config>(params, index, product);
  }
}

}  // namespace fastgemm::sgemm_tensor
