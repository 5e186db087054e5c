// Host side of the family: the launches of a product. Which of them does the work is decided on the device: nothing
// here waits, and all of it can be captured. Each launch but the very first begins while the one before ends, so that
// those which have nothing to do cost little.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"
#include "kernels/sgemm_tensor/kernel.cuh"
#include "kernels/sgemm_tensor/pieces.h"
#include "kernels/sgemm_tensor/split.cuh"
#include "kernels/sgemm_tensor/strict_launch.cuh"

namespace fastgemm::sgemm_tensor {

// Smaller products that FP16 parts cannot serve are strict: two launches more would cost the others too much.
inline constexpr double kBf16Operations = 0x1p32;

// Sums one by one are for products for which cuBLAS, too, takes k in one chain, or in few long ones: D of 2^23 elements
// and more, and such as fills one wave of its 256x128 tiles on 132 SMs. There their errors, rms, were at most 0.86 of
// cublasSgemm's in 328 products with 15 sizes of D, k from 512 to 8192, all operations, uniform in (0, 1); with other
// sizes, from 2048 x 1536 on, up to 2.4. One H200, CUDA 13.0.
inline bool supports_large(const GemmProblem& problem) {
  const double size_of_d = static_cast<double>(problem.m) * static_cast<double>(problem.n);
  const std::int64_t tiles = (problem.m + 255) / 256 * ((problem.n + 127) / 128);
  return (size_of_d >= 0x1p23 || (size_of_d >= 0x1p22 && tiles <= 132)) && supports(problem);
}

inline WorkspaceNeed workspace(const GemmProblem& problem) { return workspace_need({problem.m, problem.n, problem.k}); }

inline int split_blocks(const PieceLaunch& piece) {
  const std::int64_t rows = rows_at_a_time(piece.split.depth);
  const std::int64_t items = (piece.problem.m + piece.problem.n + rows - 1) / rows;
  const std::int64_t most = std::int64_t{kSplitBlocksPerSm} * piece.context.sm_count;
  return static_cast<int>(std::min({items, most, std::int64_t{kMaxSplitBlocks}}));
}

// `overlaps`: begins while the launch before it ends.
template <Method kMethod>
cudaError_t launch_split(const PieceLaunch& piece, bool overlaps) {
  const ptx::LaunchShape shape{.blocks = split_blocks(piece),
                               .threads = kSplitThreads,
                               .shared_bytes = kSplitSharedBytes,
                               .overlaps = overlaps};
  return ptx::launch_grid(split_kernel<kMethod>, shape, piece.context.stream, piece.split);
}

template <class Config>
cudaError_t launch_product(const PieceLaunch& piece) {
  using Part = typename Config::Part;
  constexpr int kTiles[kSides] = {Config::kTileLeft, Config::kTileRight};
  ProductParams params;
  for (int side = 0; side < kSides; ++side) {
    const SplitOperand& operand = piece.split.operands[side];
    const std::int64_t pitch = part_pitch<Config::kMethod>(piece.split.depth);
    const cudaError_t error = ptx::encode_tensor_map(
        &params.parts[side], {.base = operand.g_parts,
                              .element_bytes = 2,
                              .inner = pitch,
                              .outer = operand.rows,
                              .ld = pitch,
                              .box_inner = Part::kRowBytes / 2,
                              .box_outer = kTiles[side],
                              .swizzle = Part::kRowBytes == 128 ? ptx::TensorSwizzle::k128Bytes
                                                                : ptx::TensorSwizzle::k64Bytes});
    if (error != cudaSuccess) return error;
    params.g_unscale[side] = operand.g_unscale;
  }
  params.g_method = piece.split.g_method;
  params.g_summaries = piece.split.g_summaries;
  params.summary_count = split_blocks(piece);
  params.bf16_available = piece.split.bf16_available;
  params.problem = piece.problem;
  params.grid = {static_cast<int>((piece.problem.m + Config::kTileM - 1) / Config::kTileM),
                 static_cast<int>((piece.problem.n + Config::kTileN - 1) / Config::kTileN)};
  constexpr int kSumDepth = kBlockK * Part::kBlocksPerSum;
  params.k_blocks = (piece.split.depth + kSumDepth - 1) / kSumDepth * Part::kBlocksPerSum;
  const int tiles = params.grid.tiles_m * params.grid.tiles_n;
  const ptx::LaunchShape shape{.blocks = std::min(tiles, piece.context.sm_count),
                               .threads = kThreads,
                               .shared_bytes = Config::kSharedBytes,
                               .overlaps = true};
  return ptx::launch_grid(sgemm_tensor_kernel<Config>, shape, piece.context.stream, params);
}

// What the kernel table needs of a tile.
template <class Shape>
struct Launcher {
  using Fp16 = Config<Shape, Method::kFp16x3>;
  using Bf16 = Config<Tile128x128, Method::kBf16x6>;  // three sums of 256 columns would be too many registers
  static constexpr std::int64_t kSharedBytes =
      Fp16::kSharedBytes > Bf16::kSharedBytes ? Fp16::kSharedBytes : Bf16::kSharedBytes;

  static cudaError_t prepare() {
    if (ptx::tensor_map_encoder() == nullptr) return cudaErrorNotSupported;
    cudaError_t error = cudaSuccess;
    for (const auto kernel : {split_kernel<Method::kFp16x3>, split_kernel<Method::kBf16x6>}) {
      if (error == cudaSuccess) error = ptx::prepare_kernel(kernel, kSplitSharedBytes);
    }
    if (error == cudaSuccess) error = ptx::prepare_kernel(sgemm_tensor_kernel<Fp16>, Fp16::kSharedBytes);
    if (error == cudaSuccess) error = ptx::prepare_kernel(sgemm_tensor_kernel<Bf16>, Bf16::kSharedBytes);
    return error == cudaSuccess ? StrictLauncher<StrictTile>::prepare() : error;
  }

  // At most one of the three products finds its method chosen.
  static cudaError_t launch_piece(const PieceLaunch& piece, bool is_first) {
    cudaError_t error = launch_split<Method::kFp16x3>(piece, !is_first);
    if (error == cudaSuccess) error = launch_product<Fp16>(piece);
    if (piece.split.bf16_available) {
      if (error == cudaSuccess) error = launch_split<Method::kBf16x6>(piece, true);
      if (error == cudaSuccess) error = launch_product<Bf16>(piece);
    }
    return error == cudaSuccess ? StrictLauncher<StrictTile>::launch(piece, true) : error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    if (context.flags == nullptr) return cudaErrorNotSupported;
    const Extents whole{problem.m, problem.n, problem.k};
    const PiecePlan plan = plan_pieces(whole, context.workspace_bytes);
    return for_each_piece(problem, plan.piece, [&](const GemmProblem& piece, bool is_first) {
      const bool bf16 = plan.bf16_available && 2.0 * piece.m * piece.n * piece.k >= kBf16Operations;
      return launch_piece(prepare_piece(piece, context, bf16), is_first);
    });
  }
};

}  // namespace fastgemm::sgemm_tensor
