// FP32 GEMM for products with few tiles: short sides, deep k, and squares of up to about 1024. A block sums a tile of D
// over its part of k, by slices; these are added in ascending k through shared memory, parts of k through workspace.
#pragma once

#include "kernels/epilogue/store_run.cuh"
#include "kernels/sgemm_sliced/mainloop.cuh"
#include "kernels/tile/split_sum.cuh"

namespace fastgemm::sliced {

// The thread's sums over the block's part of k, to shared memory.
template <class Config>
FG_DEVICE void store_slice(const Mainloop<Config>& mainloop, const SharedLayout<Config>& shared,
                           const Accumulators& r_acc) {
  constexpr bool kStreamsA = Mainloop<Config>::kStreamsA;
  constexpr bool kVectorsAlongM = Config::SideA::kAlong == Along::kSide;
  const ptx::SharedAddress s_slice = shared.s_ring + mainloop.slice() * Config::kSliceBytes;
#pragma unroll
  for (int j = 0; j < kThreadTile; ++j) {
#pragma unroll
    for (int i = 0; i < kThreadTile; i += kVectorsAlongM ? 4 : 1) {
      const auto value = [&r_acc, j](int row) { return kStreamsA ? r_acc[j][row] : r_acc[row][j]; };
      const auto at = kStreamsA ? mainloop.place(j, i) : mainloop.place(i, j);
      const ptx::SharedAddress s_element = s_slice + at.column * Config::kSumPitch + at.row * 4;
      if constexpr (kVectorsAlongM) {
        ptx::st_shared_f32x4(s_element, float4{value(i), value(i + 1), value(i + 2), value(i + 3)});
      } else {
        ptx::st_shared_f32(s_element, value(i));
      }
    }
  }
}

// Where run `run` of this thread lies in the tile.
struct RunPlace {
  int row = 0;
  int column = 0;
};

template <class Config>
FG_DEVICE RunPlace run_place(int run) {
  constexpr int kRunsOfColumn = Config::kTileM / kRun;
  const int number = run * kThreads + ptx::thread_index();
  return {number % kRunsOfColumn * kRun, number / kRunsOfColumn};
}

// r_sums = this thread's runs, slices added in ascending order.
template <class Config>
FG_DEVICE void add_slices(const SharedLayout<Config>& shared, float (&r_sums)[Config::kElements]) {
#pragma unroll
  for (int run = 0; run < Config::kRuns; ++run) {
    const RunPlace at = run_place<Config>(run);
    const ptx::SharedAddress s_run = shared.s_ring + at.column * Config::kSumPitch + at.row * 4;
#pragma unroll
    for (int slice = 0; slice < Config::kSlices; ++slice) {
#pragma unroll
      for (int i = 0; i < kRun; i += 4) {
        const float4 term = ptx::ld_shared_f32x4(s_run + slice * Config::kSliceBytes + i * 4);
        float* r_vector = r_sums + run * kRun + i;
        r_vector[0] = slice == 0 ? term.x : ptx::add_rn(r_vector[0], term.x);
        r_vector[1] = slice == 0 ? term.y : ptx::add_rn(r_vector[1], term.y);
        r_vector[2] = slice == 0 ? term.z : ptx::add_rn(r_vector[2], term.z);
        r_vector[3] = slice == 0 ? term.w : ptx::add_rn(r_vector[3], term.w);
      }
    }
  }
}

template <class Config>
FG_DEVICE void store_tile(const GemmProblem& problem, const BlockRange& range,
                          const float (&r_sums)[Config::kElements]) {
  const Epilogue epilogue = make_epilogue(problem, 0);
  const bool aligned = runs_aligned(epilogue);
#pragma unroll
  for (int run = 0; run < Config::kRuns; ++run) {
    const RunPlace at = run_place<Config>(run);
    const std::int64_t row = range.row + at.row;
    const std::int64_t column = range.column + at.column;
    if (row >= problem.m || column >= problem.n) continue;
    float r_run[kRun];
#pragma unroll
    for (int i = 0; i < kRun; ++i) r_run[i] = r_sums[run * kRun + i];
    if (aligned && row + kRun <= problem.m) {
      store_run(epilogue, row, column, r_run);
    } else {
#pragma unroll
      for (int i = 0; i < kRun; ++i) {
        if (row + i < problem.m) store_element(epilogue, row + i, column, r_run[i]);
      }
    }
  }
}

// The part of the product that is this block's: neighbours along the shorter side of the grid of tiles share the longer
// side's operand in L2.
template <class Config>
FG_DEVICE BlockRange block_range(const SlicedParams& params, const SplitPart& part) {
  const int tile = static_cast<int>(part.tile);
  const bool along_m = params.tiles_m <= params.tiles_n;
  const int shorter = along_m ? params.tiles_m : params.tiles_n;
  const int across = tile / shorter;
  const int along = tile - across * shorter;
  const SplitSteps steps = split_steps(params.k_blocks, params.split.splits, part.index);
  return {(along_m ? along : across) * Config::kTileM, (along_m ? across : along) * Config::kTileN, steps.begin,
          steps.end - steps.begin};
}

template <class Config>
__global__ void __launch_bounds__(kThreads, Config::kBlocksPerSm)
    sgemm_sliced_kernel(const __grid_constant__ SlicedParams params) {
  const SharedLayout<Config> shared;
  const SplitPart part = split_part(params.split, ptx::block_index());
  const BlockRange range = block_range<Config>(params, part);
  if (ptx::thread_index() == 0) {
    ptx::tma_prefetch_map(params.a);
    ptx::tma_prefetch_map(params.b);
    init_barriers(shared);
  }
  ptx::barrier_sync();
  float r_sums[Config::kElements] = {};
  if (has_product(params.problem)) {
    Mainloop<Config> mainloop(params, shared, range);
    mainloop.start();
    Accumulators r_acc = {};
    mainloop.multiply(r_acc);
    ptx::barrier_sync();  // the last stage is read
    store_slice(mainloop, shared, r_acc);
    ptx::barrier_sync();
    add_slices(shared, r_sums);
    if (params.split.splits > 1) {
      const SplitThreads<kThreads> threads{ptx::thread_index(), shared.word()};
      const auto element = [&r_sums](int i) -> float& { return r_sums[i]; };
      if (!sum_split_parts<Config::kElements>(params.split, part, threads, element)) return;
    }
  } else if (part.index > 0) {
    return;
  }
  store_tile<Config>(params.problem, range, r_sums);
}

}  // namespace fastgemm::sliced
