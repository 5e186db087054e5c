// Host side of strict.cuh: which kernel takes a piece, and in how many parts of k.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ptx/launch.cuh"
#include "kernels/sgemm_tensor/pieces.h"
#include "kernels/sgemm_tensor/strict.cuh"

namespace fastgemm::sgemm_tensor {

// Rare, so that copies of 4 bytes do for every alignment.
template <class Tile>
class StrictLauncher {
  using Kernel = void (*)(StrictParams);
  template <SliceCopy kCopyA, SliceCopy kCopyB>
  using Config = ffma::Config<Tile, kCopyA, kCopyB>;
  static constexpr SliceCopy kAlong = SliceCopy::kContiguous4;
  static constexpr SliceCopy kAcross = SliceCopy::kTransposed4;
  using AnyConfig = Config<kAlong, kAlong>;
  // By op(A) and op(B).
  static constexpr Kernel kKernels[2][2] = {
      {sgemm_strict_kernel<Config<kAlong, kAcross>>, sgemm_strict_kernel<Config<kAlong, kAlong>>},
      {sgemm_strict_kernel<Config<kAcross, kAcross>>, sgemm_strict_kernel<Config<kAcross, kAlong>>}};

 public:
  static cudaError_t prepare() {
    for (const auto& of_op_a : kKernels) {
      for (const Kernel kernel : of_op_a) {
        const cudaError_t error = ptx::prepare_kernel(kernel, AnyConfig::kSharedBytes);
        if (error != cudaSuccess) return error;
      }
    }
    return cudaSuccess;
  }

  // `overlaps`: begins while the launch before it ends.
  static cudaError_t launch(const PieceLaunch& piece, bool overlaps) {
    const GemmProblem& problem = piece.problem;
    StrictParams params;
    params.gemm.problem = problem;
    params.gemm.tiles_m = static_cast<int>((problem.m + Tile::kTileM - 1) / Tile::kTileM);
    params.gemm.tiles_n = static_cast<int>((problem.n + Tile::kTileN - 1) / Tile::kTileN);
    params.g_method = piece.split.g_method;
    const std::int64_t tiles = std::int64_t{params.gemm.tiles_m} * params.gemm.tiles_n;
    const std::int64_t resident = std::int64_t{Tile::kBlocksPerSm} * piece.context.sm_count;
    constexpr std::int64_t kShortestPart = 256;  // of k
    LaunchContext context = piece.context;
    context.splits = static_cast<int>(std::clamp<std::int64_t>(resident / tiles, 1, problem.k / kShortestPart + 1));
    context.workspace = piece.split.operands[kLeft].g_parts;  // where parts lie that nobody reads then
    context.workspace_bytes = piece.bytes_from_parts;
    params.gemm.split = make_split_params(problem, {Tile::kTileM, Tile::kTileN, Tile::kTileK}, context);
    params.parts = tiles * params.gemm.split.splits;
    const ptx::LaunchShape shape{.blocks = std::min(params.parts, resident),
                                 .threads = AnyConfig::kThreads,
                                 .shared_bytes = AnyConfig::kSharedBytes,
                                 .overlaps = overlaps};
    return ptx::launch_grid(kKernels[problem.op_a == Op::kT][problem.op_b == Op::kT], shape, piece.context.stream,
                            params);
  }
};

}  // namespace fastgemm::sgemm_tensor
