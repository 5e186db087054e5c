// FP32 throughout, for data that no parts can stand for: the FFMA family's tile, in a kernel that leaves at once unless
// the split pass has chosen it, or has had nothing to split. Where tiles are few, k is cut over blocks.
#pragma once

#include "kernels/ptx/grid_dependency.cuh"
#include "kernels/sgemm_ffma/kernel.cuh"
#include "kernels/sgemm_tensor/parts.h"

namespace fastgemm::sgemm_tensor {

using StrictTile = ffma::Tile128x128x8;

struct StrictParams {
  GemmParams gemm;
  const std::uint32_t* g_method = nullptr;
};

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerSm)
    sgemm_strict_kernel(const __grid_constant__ StrictParams params) {
  ptx::griddepcontrol_launch_dependents();
  ptx::griddepcontrol_wait();
  const GemmProblem& problem = params.gemm.problem;
  const bool product = has_product(problem);
  if (product && ptx::ld_global_u32(params.g_method) != static_cast<std::uint32_t>(Method::kStrict)) return;
  const SplitPart part = split_part(params.gemm.split, ptx::block_index());
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

}  // namespace fastgemm::sgemm_tensor
