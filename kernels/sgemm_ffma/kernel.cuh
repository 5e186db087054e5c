// FP32 GEMM on the FMA units. One block computes one tile of D; operands stream through a ring of shared memory
// stages; every element of D is one chain of FMAs over ascending k, or, where k
// is split over blocks, the sum of such chains in ascending k. After S. Murray's SGEMM (256x128x8 tile, Hilbert
// order, four stages, barriers on half and quarter blocks, write-through stores), made general.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/params.h"
#include "kernels/sgemm_ffma/config.h"
#include "kernels/sgemm_ffma/mainloop.cuh"
#include "kernels/sgemm_ffma/store_tile.cuh"
#include "kernels/tile/split_sum.cuh"
#include "kernels/tile/tile_order.cuh"

namespace fastgemm::ffma {

struct BlockTile {
  std::int64_t batch = 0;
  std::int64_t first_m = 0;
  std::int64_t first_n = 0;
};

// Where linear tile `index` lies.
template <class Config>
FG_DEVICE BlockTile block_tile(const GemmParams& params, std::int64_t index) {
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

// The operands of a tile, all of k or one part of it.
template <class Config>
FG_DEVICE TileOperands tile_operands(const GemmParams& params, const BlockTile& tile, int part) {
  const GemmProblem& problem = params.problem;
  TileOperands operands;
  operands.a = {operand_of_batch(problem.a, tile.batch), problem.a.ld, tile.first_m, problem.m};
  operands.b = {operand_of_batch(problem.b, tile.batch), problem.b.ld, tile.first_n, problem.n};
  operands.k = problem.k;
  if constexpr (Config::kSplits) {
    const int splits = params.split.splits;
    if (splits > 1) {
      const auto steps = static_cast<int>((problem.k + Config::kTileK - 1) / Config::kTileK);
      const SplitSteps own = split_steps(steps, splits, part);
      const std::int64_t first_k = static_cast<std::int64_t>(own.begin) * Config::kTileK;
      operands.a.g_operand += first_k * (problem.op_a == Op::kN ? problem.a.ld : 1);
      operands.b.g_operand += first_k * (problem.op_b == Op::kN ? 1 : problem.b.ld);
      operands.k = (own.end == steps ? problem.k : static_cast<std::int64_t>(own.end) * Config::kTileK) - first_k;
    }
  }
  return operands;
}

// With several groups of warps: true in the first one, which gets the sum of all. The ring of stages is free by then.
// Accumulators leave as vectors whose neighbours are exchanged, here and in sum_parts(): ptxas then gives odd registers
// to even elements, so that an FMA's accumulator and its element of A lie in different banks. Issue slots for 128 FMAs
// by the machine code (CUDA 13.0, sm_90a), in order and exchanged: 128x128x8 NN 232 and 139; 64x64x32 NN 152 and 147,
// with unaligned operands 234 and 134. A few go up: 128x64x8 TT 161 and 191.
template <class Config>
FG_DEVICE bool add_groups(Accumulators<Config>& r_acc) {
  constexpr int kThreadM = Config::kThreadM;
  constexpr int kElements = kThreadM * Config::kThreadN;
  constexpr int kGroupBytes = kElements * Config::kGroupThreads * 4;
  const int group = ptx::thread_index() / Config::kGroupThreads;
  // Vector v of a group's thread t stands at (v * kGroupThreads + t) * 16.
  const ptx::SharedAddress s_sums = ptx::shared_base() + ptx::thread_index() % Config::kGroupThreads * 16;
  ptx::barrier_sync();
  if (group > 0) {
    const ptx::SharedAddress s_own = s_sums + (group - 1) * kGroupBytes;
#pragma unroll
    for (int i = 0; i < kElements; i += 4) {
      const float* r_vector = &r_acc[i / kThreadM][i % kThreadM];
      ptx::st_shared_f32x4(s_own + i * Config::kGroupThreads * 4,
                           float4{r_vector[1], r_vector[0], r_vector[3], r_vector[2]});
    }
  }
  ptx::barrier_sync();
  if (group > 0) return false;
#pragma unroll
  for (int other = 0; other < Config::kGroups - 1; ++other) {
#pragma unroll
    for (int i = 0; i < kElements; i += 4) {
      const float4 sum = ptx::ld_shared_f32x4(s_sums + other * kGroupBytes + i * Config::kGroupThreads * 4);
      float* r_vector = &r_acc[i / kThreadM][i % kThreadM];
      r_vector[1] = ptx::add_rn(r_vector[1], sum.x), r_vector[0] = ptx::add_rn(r_vector[0], sum.y);
      r_vector[3] = ptx::add_rn(r_vector[3], sum.z), r_vector[2] = ptx::add_rn(r_vector[2], sum.w);
    }
  }
  return true;
}

// The first group's threads.
template <class Config>
struct GroupMeet {
  FG_DEVICE void operator()() const {
    if constexpr (Config::kGroups == 1) {
      ptx::barrier_sync();
    } else {
      ptx::barrier_sync(1, Config::kGroupThreads);
    }
  }
};

// With the tile's k in several parts: true in the block that has their sum.
template <class Config>
FG_DEVICE bool sum_parts(const SplitParams& split, const SplitPart& part, Accumulators<Config>& r_acc) {
  constexpr int kElements = Config::kThreadM * Config::kThreadN;
  const SplitThreads<Config::kGroupThreads, GroupMeet<Config>> threads{ptx::thread_index(), ptx::shared_base()};
  return sum_split_parts<kElements>(split, part, threads, [&r_acc](int i) -> float& {
    return r_acc[i / Config::kThreadM][(i ^ 1) % Config::kThreadM];
  });
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerSm)
    sgemm_ffma_kernel(const __grid_constant__ GemmParams params) {
  const GemmProblem& problem = params.problem;
  SplitPart part{params.first_tile + ptx::block_index(), 0};
  if constexpr (Config::kSplits) part = split_part(params.split, part.tile);
  const BlockTile tile = block_tile<Config>(params, part.tile);
  Accumulators<Config> r_acc = {};
  if (Config::kPlain || has_product(problem)) {
    if constexpr (!Config::kPlain) {
      prefetch_c(problem, tile.batch, {tile.first_m, tile.first_n, Config::kTileM, Config::kTileN},
                 ptx::thread_index(), Config::kThreads);
    }
    Mainloop<Config>(tile_operands<Config>(params, tile, part.index)).run(r_acc);
    if constexpr (Config::kGroups > 1) {
      if (!add_groups<Config>(r_acc)) return;
    }
    if constexpr (Config::kSplits) {
      if (params.split.splits > 1 && !sum_parts<Config>(params.split, part, r_acc)) return;
    }
  } else if (part.index > 0 || ptx::thread_index() >= Config::kGroupThreads) {
    return;
  }
  const Epilogue epilogue =
      Config::kPlain ? make_plain_epilogue(problem, tile.batch) : make_epilogue(problem, tile.batch);
  const ThreadTileOrigin origin = thread_tile_origin<Config>(problem, tile.first_m, tile.first_n);
  store_scaled<Config>(epilogue, origin, r_acc);
  finish_stored<Config>(epilogue, origin);
}

}  // namespace fastgemm::ffma
