// Host side of the family: the launches of a product. What they do is decided on the device: nothing here waits, and
// all of it can be captured. Each launch but the very first begins while the one before ends.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"
#include "kernels/sgemm_tensor/kernel.cuh"
#include "kernels/sgemm_tensor/pieces.h"
#include "kernels/sgemm_tensor/split.cuh"

namespace fastgemm::sgemm_tensor {

// Smaller products that FP16 parts cannot serve are strict, which takes about as long.
inline constexpr double kBf16Operations = 0x1p32;
inline constexpr int kFlags = 3;  // words

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
inline cudaError_t launch_split(const PieceLaunch& piece, bool overlaps) {
  const ptx::LaunchShape shape{.blocks = split_blocks(piece),
                               .threads = kSplitThreads,
                               .shared_bytes = kSplitSharedBytes,
                               .overlaps = overlaps};
  return ptx::launch_grid(split_kernel<Method::kFp16x3>, shape, piece.context.stream, piece.split);
}

template <class Config>
cudaError_t describe_tiles(const PieceLaunch& piece, PartTiles& tiles) {
  using Part = typename Config::Part;
  constexpr int kTiles[kSides] = {Config::kTileLeft, Config::kTileRight};
  for (int side = 0; side < kSides; ++side) {
    const SplitOperand& operand = piece.split.operands[side];
    const std::int64_t pitch = part_pitch<Config::kMethod>(piece.split.depth);
    const cudaError_t error = ptx::encode_tensor_map(
        &tiles.parts[side], {.base = operand.g_parts,
                             .element_bytes = 2,
                             .inner = pitch,
                             .outer = operand.rows,
                             .ld = pitch,
                             .box_inner = Part::kRowBytes / 2,
                             .box_outer = kTiles[side],
                             .swizzle = Part::kRowBytes == 128 ? ptx::TensorSwizzle::k128Bytes
                                                               : ptx::TensorSwizzle::k64Bytes});
    if (error != cudaSuccess) return error;
  }
  tiles.grid = {static_cast<int>((piece.problem.m + Config::kTileM - 1) / Config::kTileM),
                static_cast<int>((piece.problem.n + Config::kTileN - 1) / Config::kTileN)};
  constexpr int kSumDepth = kBlockK * Part::kBlocksPerSum;
  tiles.k_blocks = (piece.split.depth + kSumDepth - 1) / kSumDepth * Part::kBlocksPerSum;
  return cudaSuccess;
}

// What the kernel table needs of a tile.
template <class Shape>
struct Launcher {
  using Fp16 = Config<Shape, Method::kFp16x3>;
  using Bf16 = Config<Tile128x128, Method::kBf16x6>;  // three sums of 256 columns would be too many registers
  static constexpr auto kProduct = sgemm_tensor_kernel<Fp16, Bf16>;
  static constexpr std::int64_t kSharedBytes =
      Fp16::kSharedBytes > Bf16::kSharedBytes ? Fp16::kSharedBytes : Bf16::kSharedBytes;

  static cudaError_t prepare() {
    if (ptx::tensor_map_encoder() == nullptr) return cudaErrorNotSupported;
    cudaError_t error = ptx::prepare_kernel(split_kernel<Method::kFp16x3>, kSplitSharedBytes);
    if (error == cudaSuccess) error = ptx::prepare_kernel(kProduct, kSharedBytes);
    return error;
  }

  static cudaError_t launch_product(const PieceLaunch& piece) {
    ProductParams params;
    cudaError_t error = describe_tiles<Fp16>(piece, params.fp16);
    if (error == cudaSuccess && piece.split.bf16_available) error = describe_tiles<Bf16>(piece, params.bf16);
    if (error != cudaSuccess) return error;
    params.split = piece.split;
    params.summary_count = split_blocks(piece);
    params.problem = piece.problem;
    constexpr int kLeastM = std::min(StrictTiles::kTileM, Fp16::kTileM);
    constexpr int kLeastN = std::min(StrictTiles::kTileN, Fp16::kTileN);
    const std::int64_t tiles_m = (piece.problem.m + kLeastM - 1) / kLeastM;
    const std::int64_t tiles_n = (piece.problem.n + kLeastN - 1) / kLeastN;
    const ptx::LaunchShape shape{.blocks = std::min(tiles_m * tiles_n, std::int64_t{piece.context.sm_count}),
                                 .threads = kThreads,
                                 .shared_bytes = kSharedBytes,
                                 .overlaps = true};
    return ptx::launch_grid(kProduct, shape, piece.context.stream, params);
  }

  static cudaError_t launch_piece(const PieceLaunch& piece, bool is_first) {
    const cudaError_t error = launch_split(piece, !is_first);
    return error == cudaSuccess ? launch_product(piece) : error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    if (context.flags == nullptr || context.flag_count < kFlags) return cudaErrorNotSupported;
    const Extents whole{problem.m, problem.n, problem.k};
    const PiecePlan plan = plan_pieces(whole, context.workspace_bytes);
    return for_each_piece(problem, plan.piece, [&](const GemmProblem& piece, bool is_first) {
      const bool bf16 = plan.bf16_available && 2.0 * piece.m * piece.n * piece.k >= kBf16Operations;
      return launch_piece(prepare_piece(piece, context, bf16), is_first);
    });
  }
};

}  // namespace fastgemm::sgemm_tensor
