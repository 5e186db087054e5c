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
#include "kernels/sgemm_tensor/strict_launch.cuh"

namespace fastgemm::sgemm_tensor {

// Smaller products that FP16 parts cannot serve are strict, which takes about as long.
inline constexpr double kBf16Operations = 0x1p32;
inline constexpr int kFlags = 3;  // words
// From here on plain FP32 is a launch of its own, and blocks work in pairs if their number is even.
inline constexpr double kLargeOperations = 0x1p38;

inline double operations(const GemmProblem& problem) {
  return 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
}

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

// Of the tiles of a cluster.
template <class Config>
TileGrid tile_grid(const GemmProblem& problem) {
  constexpr int kOfM = Config::kTileM * (Config::kSharesLeft ? Config::kCluster : 1);
  constexpr int kOfN = Config::kTileN * (Config::kSharesLeft ? 1 : Config::kCluster);
  return {static_cast<int>((problem.m + kOfM - 1) / kOfM), static_cast<int>((problem.n + kOfN - 1) / kOfN)};
}

template <class Config>
cudaError_t describe_tiles(const PieceLaunch& piece, PartTiles& tiles) {
  using Part = typename Config::Part;
  constexpr int kBoxes[kSides] = {Config::kTileLeft / (Config::kSharesLeft ? Config::kCluster : 1),
                                  Config::kTileRight / (Config::kSharesLeft ? 1 : Config::kCluster)};
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
                             .box_outer = kBoxes[side],
                             .swizzle = Part::kRowBytes == 128 ? ptx::TensorSwizzle::k128Bytes
                                                               : ptx::TensorSwizzle::k64Bytes});
    if (error != cudaSuccess) return error;
  }
  tiles.grid = tile_grid<Config>(piece.problem);
  constexpr int kSumDepth = kBlockK * Part::kBlocksPerSum;
  tiles.k_blocks = (piece.split.depth + kSumDepth - 1) / kSumDepth * Part::kBlocksPerSum;
  return cudaSuccess;
}

// The launch that multiplies, by blocks alone or in pairs.
template <class Shape, int kCluster>
struct ProductLauncher {
  using Fp16 = Config<Shape, Method::kFp16x3, kCluster>;
  // Three sums of 256 columns would be too many registers, and so would be what pairs need.
  using Bf16 = Config<Tile128x128, Method::kBf16x6, 1>;
  static constexpr auto kKernel = sgemm_tensor_kernel<Fp16, Bf16>;
  static constexpr std::int64_t kSharedBytes =
      Fp16::kSharedBytes > Bf16::kSharedBytes ? Fp16::kSharedBytes : Bf16::kSharedBytes;

  static cudaError_t prepare() { return ptx::prepare_kernel(kKernel, kSharedBytes); }

  static cudaError_t launch(const PieceLaunch& piece, bool strict_apart) {
    ProductParams params;
    cudaError_t error = describe_tiles<Fp16>(piece, params.fp16);
    if (error == cudaSuccess && piece.split.bf16_available) error = describe_tiles<Bf16>(piece, params.bf16);
    if (error != cudaSuccess) return error;
    params.strict_apart = strict_apart;
    params.split = piece.split;
    params.summary_count = split_blocks(piece);
    params.problem = piece.problem;
    constexpr int kLeastM = std::min(StrictTiles::kTileM, Fp16::kTileM);
    constexpr int kLeastN = std::min(StrictTiles::kTileN, Fp16::kTileN);
    const std::int64_t tiles_m = (piece.problem.m + kLeastM - 1) / kLeastM;
    const std::int64_t tiles_n = (piece.problem.n + kLeastN - 1) / kLeastN;
    const std::int64_t clusters = (tiles_m * tiles_n + kCluster - 1) / kCluster;
    const std::int64_t most = piece.context.sm_count / kCluster;
    const ptx::LaunchShape shape{.blocks = std::min(clusters, most) * kCluster,
                                 .threads = kThreads,
                                 .shared_bytes = kSharedBytes,
                                 .overlaps = true,
                                 .cluster = kCluster};
    return ptx::launch_grid(kKernel, shape, piece.context.stream, params);
  }
};

// How a piece is launched. Pairs read a third less from L2, which saves power, but begin later: one H200, CUDA 13.0,
// TN, alone and in pairs: 1024 26.4 and 31.1 us, 2048 97.4 and 100.8, 4096 600 and 601, 8192 4522 and 4476. A launch
// for plain FP32 costs about 5 us where it has nothing to do, 1 % at 4096 and 0.1 % at 8192; where it has, 4096 took
// 3118 us with it, 4653 in the product's launch, and 8192 24.4 ms with it.
struct Launches {
  bool in_pairs = false;
  bool strict_apart = false;  // plain FP32 has a launch of its own; always so in pairs
};

template <class Shape>
Launches launches_of(const PieceLaunch& piece) {
  using Alone = Config<Shape, Method::kFp16x3, 1>;
  const TileGrid grid = tile_grid<Alone>(piece.problem);
  const bool even = (Alone::kSharesLeft ? grid.tiles_m : grid.tiles_n) % kPair == 0;
  const bool large = operations(piece.problem) >= kLargeOperations;
  return {.in_pairs = Shape::kPairs && large && even && piece.context.sm_count >= kPair, .strict_apart = large};
}

// What the kernel table needs of a tile.
template <class Shape>
struct Launcher {
  using Alone = ProductLauncher<Shape, 1>;
  using Pairs = ProductLauncher<Shape, Shape::kPairs ? kPair : 1>;
  static constexpr std::int64_t kSharedBytes = Alone::kSharedBytes;

  static cudaError_t prepare() {
    if (ptx::tensor_map_encoder() == nullptr) return cudaErrorNotSupported;
    cudaError_t error = ptx::prepare_kernel(split_kernel<Method::kFp16x3>, kSplitSharedBytes);
    if (error == cudaSuccess) error = Alone::prepare();
    if (error == cudaSuccess) error = Pairs::prepare();
    return error == cudaSuccess ? StrictLauncher<StrictTile>::prepare() : error;
  }

  static cudaError_t launch_piece(const PieceLaunch& piece, bool is_first, const Launches& launches) {
    cudaError_t error = launch_split(piece, !is_first);
    if (error == cudaSuccess) {
      error = launches.in_pairs ? Pairs::launch(piece, true) : Alone::launch(piece, launches.strict_apart);
    }
    if (error == cudaSuccess && launches.strict_apart) error = StrictLauncher<StrictTile>::launch(piece, true);
    return error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    if (context.flags == nullptr || context.flag_count < kFlags) return cudaErrorNotSupported;
    const Extents whole{problem.m, problem.n, problem.k};
    const PiecePlan plan = plan_pieces(whole, context.workspace_bytes);
    return for_each_piece(problem, plan.piece, [&](const GemmProblem& piece, bool is_first) {
      const bool bf16 = plan.bf16_available && operations(piece) >= kBf16Operations;
      const PieceLaunch prepared = prepare_piece(piece, context, bf16);
      return launch_piece(prepared, is_first, launches_of<Shape>(prepared));
    });
  }
};

}  // namespace fastgemm::sgemm_tensor
