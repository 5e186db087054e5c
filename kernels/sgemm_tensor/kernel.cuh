// FP32-accurate SGEMM from FP16 or BF16 parts on Hopper's tensor cores. One thread copies parts into a ring of shared
// memory stages, two warpgroups multiply them; blocks stay and work through a list of tiles. Every part is copied once
// for all its products. (FP32 from FP16 parts with promotion outside the tensor cores: H. Ootomo and R. Yokota,
// "Recovering single precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance",
// 2022.)
#pragma once

#include "kernels/ptx/grid_dependency.cuh"
#include "kernels/sgemm_tensor/split.cuh"
#include "kernels/sgemm_tensor/store_tile.cuh"
#include "kernels/sgemm_tensor/strict_tiles.cuh"

namespace fastgemm::sgemm_tensor {

template <class Config>
FG_DEVICE void consume(const ProductParams& params, const SharedLayout<Config>& shared, int warpgroup) {
  Mainloop<Config> mainloop(shared, warpgroup);
  TileStore<Config> results(params, shared);
  const WorkList<Config> list(params);
  for (int tile = list.first; tile < list.end; tile += list.step) {
    const TileCoordinate place = list.place(params, tile);
    prefetch_c(params.problem, 0, {std::int64_t{place.m} * Config::kTileM, std::int64_t{place.n} * Config::kTileN,
                                   Config::kTileM, Config::kTileN}, ptx::thread_index(), kConsumers);
    Accumulators<Config> r_acc;
    mainloop.multiply(r_acc, params.tiles<Config::kMethod>().k_blocks);
    results.store(place, r_acc);
  }
}

// All threads of the block, or of the pair, have come as far.
template <class Config>
FG_DEVICE void meet() {
  if constexpr (Config::kCluster > 1) {
    ptx::cluster_arrive();
    ptx::cluster_wait();
  } else {
    ptx::barrier_sync();
  }
}

template <class Config>
FG_DEVICE void multiply_tiles(const ProductParams& params, const SharedLayout<Config>& shared, bool started) {
  const int warpgroup = ptx::warp_index() / 4;
  if (warpgroup == kWarpgroups) {
    ptx::setmaxnreg_dec<kProducerRegisters>();
    if (ptx::thread_index() == kConsumers) Feed<Config>(params, shared).run(started);
  } else {
    ptx::setmaxnreg_inc<kConsumerRegisters>();
    consume(params, shared, warpgroup);
  }
  if constexpr (Config::kCluster > 1) meet<Config>();  // no more copies or arrivals come from the other block
}

FG_DEVICE void multiply_strictly(const ProductParams& params, bool has_product) {
  if (ptx::warp_index() / 4 == kWarpgroups) {
    ptx::setmaxnreg_dec<kProducerRegisters>();
  } else {
    ptx::setmaxnreg_inc<kConsumerRegisters>();
    StrictTiles(params, has_product).run();
  }
}

// Every block chooses, so that the split pass need not wait for its last block, and one writes the choice down for
// whoever wants to know.
FG_DEVICE Method choose_for_product(const ProductParams& params) {
  const SplitParams& split = params.split;
  const Method method = choose_method(split.g_summaries, params.summary_count, split.bf16_available);
  if (ptx::block_index() == 0 && ptx::thread_index() == 0) {
    ptx::st_global_u32(split.g_method, static_cast<std::uint32_t>(method));
  }
  return method;
}

// The product of FP16 parts; where those will not do, of BF16 parts, which it makes first; where neither will, or where
// there is none, plain FP32. One launch for all, see strict_tiles.cuh; and one H200 had 2048 x 2048 x 2048 NN in 103.2
// us so, in 105.5 where BF16 parts and their product were launches of their own.
//   As a rule FP16 parts are multiplied: their copies begin before that is certain, unless another block, which knows
// otherwise, may be writing BF16 parts over them.
template <class Fp16, class Bf16>
__global__ void __launch_bounds__(kThreads, 1) sgemm_tensor_kernel(const __grid_constant__ ProductParams params) {
  static_assert(Fp16::kBarrierEnd <= Bf16::kBarrierOffset, "barriers of either method");
  ptx::griddepcontrol_launch_dependents();
  const SharedLayout<Fp16> shared;
  const SharedLayout<Bf16> shared_bf16;
  if (ptx::thread_index() == kConsumers) {  // while the pass before still runs
    ptx::tma_prefetch_map(params.fp16.parts[kLeft]);
    ptx::tma_prefetch_map(params.fp16.parts[kRight]);
    init_barriers(shared);
    init_barriers(shared_bf16);
  }
  ptx::griddepcontrol_wait();
  const bool product = has_product(params.problem);
  if constexpr (Fp16::kCluster > 1) meet<Fp16>();  // copies go to both blocks, whose barriers are there then
  const bool starts = product && !params.split.bf16_available;
  if (starts && ptx::thread_index() == kConsumers) Feed<Fp16>(params, shared).start();
  const Method method = product ? choose_for_product(params) : Method::kStrict;
  if constexpr (Fp16::kCluster == 1) meet<Fp16>();  // barriers are there
  if (method == Method::kFp16x3) {
    multiply_tiles(params, shared, starts);
    return;
  }
  if (starts) Feed<Fp16>(params, shared).drop_started();
  meet<Fp16>();  // until all have them
  if (method == Method::kStrict) {
    if constexpr (Fp16::kCluster == 1) {
      if (!params.strict_apart) multiply_strictly(params, product);
    }
    return;
  }
  if (ptx::thread_index() < kSplitThreads) {
    split_for_bf16(params.split);
    ptx::fence_proxy_async();  // copies come to where strips have been
  }
  meet<Bf16>();
  if (ptx::thread_index() == kConsumers) ptx::fence_proxy_async_global();  // parts from this launch are copied
  multiply_tiles(params, shared_bf16, false);
}

}  // namespace fastgemm::sgemm_tensor
