// FP32-accurate SGEMM from FP16 parts through mma.sync, for GPUs from sm_80 on that have no wgmma: the parts and the
// choice between them and strict FP32 are those of kernels/sgemm_tensor, fragments those of kernels/hgemm_mma. A block
// computes one tile of D.
#pragma once

#include "kernels/sgemm_tensor/split.cuh"
#include "kernels/sgemm_tensor_mma/store_tile.cuh"

namespace fastgemm::sgemm_tensor_mma {

inline constexpr int kRasterGroup = 16;  // tiles of m that the raster walks before one of n

// Leaves at once unless the split pass has chosen FP16 parts.
template <class Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerSm)
    sgemm_tensor_mma_kernel(const __grid_constant__ ProductParams params) {
  if (!has_product(params.problem) || ptx::ld_global_u32(params.g_method) != static_cast<std::uint32_t>(kMethod)) {
    return;
  }
  const TileCoordinate place = grouped_raster_tile(static_cast<int>(ptx::block_index()), params.grid.tiles_m,
                                                   params.grid.tiles_n, kRasterGroup);
  const TileExtent tile{std::int64_t{place.m} * Config::kTileM, std::int64_t{place.n} * Config::kTileN,
                        Config::kTileM, Config::kTileN};
  Ring<Config> ring(params, tile);
  prefetch_c(params.problem, 0, tile, ptx::thread_index(), Config::kThreads);
  Accumulators<Config> r_acc;
  Mainloop<Config>(ptx::warp_index()).multiply(r_acc, ring, params.k_blocks);
  TileStore<Config>(params).store(place, r_acc);
}

// The pass before. A kernel of its own, as the other family's is in its object only for sm_90a; where two objects hold a
// kernel of one name, the linker keeps one.
template <class Config>
__global__ void __launch_bounds__(sgemm_tensor::kSplitThreads, sgemm_tensor::kSplitBlocksPerSm)
    sgemm_tensor_mma_split_kernel(const __grid_constant__ sgemm_tensor::SplitParams params) {
  if (load_scalar(params.alpha) != 0.0f) sgemm_tensor::split_and_choose(params);
}

}  // namespace fastgemm::sgemm_tensor_mma
