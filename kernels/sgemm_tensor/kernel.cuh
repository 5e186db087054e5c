// FP32-accurate SGEMM from FP16 or BF16 parts on Hopper's tensor cores. One thread copies parts into a ring of shared
// memory stages, two warpgroups multiply them; blocks stay and work through a list of tiles. Every part is copied once
// for all its products. (FP32 from FP16 parts with promotion outside the tensor cores: H. Ootomo and R. Yokota,
// "Recovering single precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance",
// 2022.)
#pragma once

#include "kernels/ptx/grid_dependency.cuh"
#include "kernels/sgemm_tensor/split.cuh"
#include "kernels/sgemm_tensor/store_tile.cuh"

namespace fastgemm::sgemm_tensor {

template <class Config>
FG_DEVICE void consume(const ProductParams& params, const SharedLayout<Config>& shared, int warpgroup) {
  Mainloop<Config> mainloop(shared, warpgroup);
  TileStore<Config> results(params, shared);
  const int tiles = params.grid.tiles_m * params.grid.tiles_n;
  for (auto tile = static_cast<int>(ptx::block_index()); tile < tiles; tile += static_cast<int>(ptx::grid_size())) {
    const TileCoordinate place = tile_place(params.grid, tile, kRasterGroup);
    prefetch_c(params.problem, 0, {std::int64_t{place.m} * Config::kTileM, std::int64_t{place.n} * Config::kTileN,
                                   Config::kTileM, Config::kTileN}, ptx::thread_index(), kConsumers);
    Accumulators<Config> r_acc;
    mainloop.multiply(r_acc, params.k_blocks);
    results.store(place, r_acc);
  }
}

// With FP16 parts every block chooses, so that the split pass need not wait for its last block, and one writes the
// choice down for the launches that follow.
template <class Config>
FG_DEVICE bool is_chosen(const ProductParams& params) {
  if constexpr (Config::kMethod != Method::kFp16x3) {
    return ptx::ld_global_u32(params.g_method) == static_cast<std::uint32_t>(Config::kMethod);
  } else {
    const Method method = choose_method(params.g_summaries, params.summary_count, params.bf16_available);
    if (ptx::block_index() == 0 && ptx::thread_index() == 0) {
      ptx::st_global_u32(params.g_method, static_cast<std::uint32_t>(method));
    }
    return method == Config::kMethod;
  }
}

// Leaves at once unless this method is chosen.
template <class Config>
__global__ void __launch_bounds__(kThreads, 1) sgemm_tensor_kernel(const __grid_constant__ ProductParams params) {
  ptx::griddepcontrol_launch_dependents();
  const SharedLayout<Config> shared;
  const int warpgroup = ptx::warp_index() / 4;
  if (ptx::thread_index() == kConsumers) {  // while the pass before still runs
    ptx::tma_prefetch_map(params.parts[kLeft]);
    ptx::tma_prefetch_map(params.parts[kRight]);
    init_barriers(shared);
  }
  ptx::griddepcontrol_wait();
  if (!has_product(params.problem) || !is_chosen<Config>(params)) return;
  ptx::barrier_sync();
  if (warpgroup == kWarpgroups) {
    ptx::setmaxnreg_dec<kProducerRegisters>();
    if (ptx::thread_index() == kConsumers) feed(params, shared);
  } else {
    ptx::setmaxnreg_inc<kConsumerRegisters>();
    consume(params, shared, warpgroup);
  }
}

}  // namespace fastgemm::sgemm_tensor
