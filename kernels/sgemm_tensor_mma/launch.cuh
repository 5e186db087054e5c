// Host side of the family: the launches of a product. Which of them does the work is decided on the device: nothing here
// waits, and all of it can be captured.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ptx/launch.cuh"
#include "kernels/sgemm_tensor/pieces.h"
#include "kernels/sgemm_tensor/strict_launch.cuh"
#include "kernels/sgemm_tensor_mma/kernel.cuh"

namespace fastgemm::sgemm_tensor_mma {

using sgemm_tensor::Extents;
using sgemm_tensor::PieceLaunch;

// Of another name than the other family's: see the split kernel.
struct StrictTile : sgemm_tensor::StrictTile {};
using StrictLauncher = sgemm_tensor::StrictLauncher<StrictTile>;

inline Extents at_most_deep(const GemmProblem& problem) {
  return {problem.m, problem.n, std::min(problem.k, sgemm_tensor::kDeep)};
}

// Room for two parts: there are never three.
inline WorkspaceNeed workspace(const GemmProblem& problem) {
  const Extents whole = at_most_deep(problem);
  return {sgemm_tensor::workspace_layout(sgemm_tensor::least_piece(whole), false).bytes,
          sgemm_tensor::workspace_layout(whole, false).bytes};
}

// The largest piece: all of D in stretches of k that are not too short, else pieces of D.
inline Extents largest_piece(const GemmProblem& problem, std::size_t workspace_bytes) {
  const Extents whole = at_most_deep(problem);
  const Extents piece = sgemm_tensor::whole_d(whole, false, workspace_bytes, sgemm_tensor::kShortStretch);
  return piece.k > 0 ? piece : sgemm_tensor::part_of_d(whole, workspace_bytes);
}

// What the kernel table needs of a tile.
template <class Shape>
struct Launcher {
  using Config = sgemm_tensor_mma::Config<Shape>;

  static cudaError_t prepare() {
    cudaError_t error =
        ptx::prepare_kernel(sgemm_tensor_mma_split_kernel<Config>, sgemm_tensor::kSplitSharedBytes);
    if (error == cudaSuccess) error = ptx::prepare_kernel(sgemm_tensor_mma_kernel<Config>, Config::kSharedBytes);
    return error == cudaSuccess ? StrictLauncher::prepare() : error;
  }

  static cudaError_t launch_split(const PieceLaunch& piece) {
    using namespace sgemm_tensor;
    const std::int64_t rows = rows_at_a_time(piece.split.depth);
    const std::int64_t items = (piece.problem.m + piece.problem.n + rows - 1) / rows;
    const std::int64_t most = std::int64_t{kSplitBlocksPerSm} * piece.context.sm_count;
    const ptx::LaunchShape shape{.blocks = std::min({items, most, std::int64_t{kMaxSplitBlocks}}),
                                 .threads = kSplitThreads,
                                 .shared_bytes = kSplitSharedBytes};
    return ptx::launch_grid(sgemm_tensor_mma_split_kernel<Config>, shape, piece.context.stream, piece.split);
  }

  static cudaError_t launch_product(const PieceLaunch& piece) {
    ProductParams params;
    std::copy_n(piece.split.operands, sgemm_tensor::kSides, params.operands);
    params.g_method = piece.split.g_method;
    params.problem = piece.problem;
    params.grid = {static_cast<int>((piece.problem.m + Config::kTileM - 1) / Config::kTileM),
                   static_cast<int>((piece.problem.n + Config::kTileN - 1) / Config::kTileN)};
    params.k_blocks = (piece.split.depth + kBlockK - 1) / kBlockK;
    const ptx::LaunchShape shape{.blocks = std::int64_t{params.grid.tiles_m} * params.grid.tiles_n,
                                 .threads = Config::kThreads,
                                 .shared_bytes = Config::kSharedBytes};
    return ptx::launch_grid(sgemm_tensor_mma_kernel<Config>, shape, piece.context.stream, params);
  }

  // At most one of the two products finds its method chosen.
  static cudaError_t launch_piece(const PieceLaunch& piece) {
    cudaError_t error = launch_split(piece);
    if (error == cudaSuccess) error = launch_product(piece);
    return error == cudaSuccess ? StrictLauncher::launch(piece, false) : error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    if (context.flags == nullptr) return cudaErrorNotSupported;
    const Extents most = largest_piece(problem, context.workspace_bytes);
    return sgemm_tensor::for_each_piece(problem, most, [&](const GemmProblem& piece, bool) {
      return launch_piece(sgemm_tensor::prepare_piece(piece, context, false));
    });
  }
};

}  // namespace fastgemm::sgemm_tensor_mma
