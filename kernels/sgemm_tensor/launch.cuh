// Host side of the family: what a row takes, and the launches of a product. Which of them does the work is decided on
// the device: nothing here waits, and all of it can be captured. Each launch but a piece's first begins while the one
// before ends, so that those which have nothing to do cost little.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"
#include "kernels/sgemm_tensor/kernel.cuh"
#include "kernels/sgemm_tensor/plan.h"
#include "kernels/sgemm_tensor/split.cuh"
#include "kernels/sgemm_tensor/strict.cuh"

namespace fastgemm::sgemm_tensor {

// Shorter sums have few roundings in FP32: parts would be less accurate.
inline constexpr std::int64_t kMinDepth = 256;
inline constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 31) - 1024;
// Batch entries are launched one after another: worth it for few large ones.
inline constexpr std::int64_t kMaxEntries = 64;
inline constexpr std::int64_t kLargeEntry = std::int64_t{1} << 20;  // elements of D

// Smaller products that FP16 parts cannot serve are strict: two launches more would cost the others too much.
inline constexpr double kBf16Operations = 0x1p32;

inline bool supports(const GemmProblem& problem) {
  if (problem.type_ab != DataType::kFloat32 || problem.type_cd != DataType::kFloat32) return false;
  if (problem.m > kMaxExtent || problem.n > kMaxExtent || problem.k < kMinDepth || problem.k >= kMaxDepth) return false;
  const std::int64_t tiles = ((problem.m + 63) / 64) * ((problem.n + 127) / 128);
  if (tiles >= kMaxTiles) return false;
  const bool by_pointers = problem.a.pointers != nullptr || problem.b.pointers != nullptr ||
                           problem.c.pointers != nullptr || problem.d.pointers != nullptr;
  return !by_pointers && (problem.batch_count == 1 ||
                          (problem.batch_count <= kMaxEntries && problem.m * problem.n >= kLargeEntry));
}

// Sums one by one are for products for which cuBLAS, too, takes k in one chain: large D.
inline bool supports_large(const GemmProblem& problem) {
  constexpr double kLargeD = 0x1p23;
  return static_cast<double>(problem.m) * static_cast<double>(problem.n) >= kLargeD && supports(problem);
}

inline WorkspaceNeed workspace(const GemmProblem& problem) { return workspace_need({problem.m, problem.n, problem.k}); }

// A piece of the product: rows and columns of D from (m, n), a stretch of k, of one batch entry.
struct PiecePlace {
  Extents first;
  Extents size;
  std::int64_t entry = 0;
};

inline const void* element(const void* data, std::int64_t index) {
  return data == nullptr ? nullptr : static_cast<const float*>(data) + index;
}

// The piece as a problem of its own. D holds the sum so far from the second stretch of k on; bias and activation wait
// for the last.
inline GemmProblem piece_problem(const GemmProblem& whole, const PiecePlace& place) {
  const auto& [m, n, k] = place.first;
  const auto along = [](Op op, std::int64_t ld, std::int64_t row, std::int64_t column) {
    return op == Op::kN ? row + column * ld : column + row * ld;
  };
  GemmProblem piece = whole;
  piece.m = place.size.m;
  piece.n = place.size.n;
  piece.k = place.size.k;
  piece.batch_count = 1;
  piece.a.data = element(whole.a.data, along(whole.op_a, whole.a.ld, m, k) + place.entry * whole.a.batch_stride);
  piece.b.data = element(whole.b.data, along(whole.op_b, whole.b.ld, k, n) + place.entry * whole.b.batch_stride);
  piece.c.data = element(whole.c.data, m + n * whole.c.ld + place.entry * whole.c.batch_stride);
  piece.d.data = const_cast<void*>(element(whole.d.data, m + n * whole.d.ld + place.entry * whole.d.batch_stride));
  piece.bias = element(whole.bias, m + place.entry * whole.bias_stride);
  if (k > 0) {
    piece.beta = {.value = 1.0f};
    piece.c = {.data = piece.d.data, .ld = whole.d.ld};
  }
  if (k + place.size.k < whole.k) {
    piece.bias = nullptr;
    piece.activation = Activation::kNone;
  }
  return piece;
}

// What all launches of a piece share.
struct PieceLaunch {
  GemmProblem problem;
  SplitParams split;
  LaunchContext context;
  std::size_t bytes_from_parts = 0;  // of workspace, from the first part to its end
};

inline PieceLaunch prepare_piece(const GemmProblem& problem, const LaunchContext& context, bool bf16_available) {
  const WorkspaceLayout layout = workspace_layout({problem.m, problem.n, problem.k}, bf16_available);
  const auto unaligned = reinterpret_cast<std::uintptr_t>(context.workspace);
  const auto begin = (unaligned + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
  const auto place = [begin](std::size_t offset) { return reinterpret_cast<void*>(begin + offset); };
  PieceLaunch piece{.problem = problem, .context = context};
  piece.bytes_from_parts = layout.bytes - kWorkspaceAlignment - layout.parts[kLeft];
  SplitParams& split = piece.split;
  const fastgemm::Operand* const sources[kSides] = {&problem.b, &problem.a};
  const bool k_contiguous[kSides] = {problem.op_b == Op::kN, problem.op_a == Op::kT};
  for (int side = 0; side < kSides; ++side) {
    split.operands[side] = {.g_source = static_cast<const float*>(sources[side]->data),
                            .row_step = k_contiguous[side] ? sources[side]->ld : 1,
                            .k_step = k_contiguous[side] ? 1 : sources[side]->ld,
                            .rows = static_cast<int>(side == kLeft ? problem.n : problem.m),
                            .g_parts = static_cast<std::uint16_t*>(place(layout.parts[side])),
                            .g_unscale = static_cast<float*>(place(layout.unscale[side]))};
  }
  split.alpha = problem.alpha;
  split.depth = static_cast<int>(problem.k);
  split.bf16_available = bf16_available;
  split.g_summaries = static_cast<Summary*>(place(layout.summaries));
  split.g_blocks_done = context.flags;
  split.g_method = static_cast<std::uint32_t*>(place(layout.method));
  return piece;
}

template <Method kMethod>
cudaError_t launch_split(const PieceLaunch& piece) {
  const std::int64_t items = (piece.problem.m + piece.problem.n + kSplitWarps - 1) / kSplitWarps;
  const std::int64_t most = std::int64_t{kSplitBlocksPerSm} * piece.context.sm_count;
  const ptx::LaunchShape shape{.blocks = std::min({items, most, std::int64_t{kMaxSplitBlocks}}),
                               .threads = kSplitThreads,
                               .shared_bytes = kSplitSharedBytes,
                               .overlaps = kMethod != Method::kFp16x3};
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

// The strict kernels, by op(A) and op(B). Rare, so that copies of 4 bytes do for every alignment.
using StrictKernel = void (*)(StrictParams);
template <SliceCopy kCopyA, SliceCopy kCopyB>
using StrictConfig = ffma::Config<StrictTile, kCopyA, kCopyB>;
inline constexpr SliceCopy kAlong = SliceCopy::kContiguous4;
inline constexpr SliceCopy kAcross = SliceCopy::kTransposed4;
inline constexpr StrictKernel kStrictKernels[2][2] = {
    {sgemm_strict_kernel<StrictConfig<kAlong, kAcross>>, sgemm_strict_kernel<StrictConfig<kAlong, kAlong>>},
    {sgemm_strict_kernel<StrictConfig<kAcross, kAcross>>, sgemm_strict_kernel<StrictConfig<kAcross, kAlong>>}};
using AnyStrictConfig = StrictConfig<kAlong, kAlong>;

inline cudaError_t launch_strict(const PieceLaunch& piece) {
  const GemmProblem& problem = piece.problem;
  StrictParams params;
  params.gemm.problem = problem;
  params.gemm.tiles_m = static_cast<int>((problem.m + StrictTile::kTileM - 1) / StrictTile::kTileM);
  params.gemm.tiles_n = static_cast<int>((problem.n + StrictTile::kTileN - 1) / StrictTile::kTileN);
  params.g_method = piece.split.g_method;
  const std::int64_t tiles = std::int64_t{params.gemm.tiles_m} * params.gemm.tiles_n;
  const std::int64_t resident = std::int64_t{StrictTile::kBlocksPerSm} * piece.context.sm_count;
  constexpr std::int64_t kShortestPart = 256;  // of k
  LaunchContext context = piece.context;
  context.splits = static_cast<int>(std::clamp<std::int64_t>(resident / tiles, 1, problem.k / kShortestPart + 1));
  context.workspace = piece.split.operands[kLeft].g_parts;  // where parts lie that nobody reads then
  context.workspace_bytes = piece.bytes_from_parts;
  params.gemm.split = make_split_params(problem, {StrictTile::kTileM, StrictTile::kTileN, StrictTile::kTileK}, context);
  const ptx::LaunchShape shape{.blocks = tiles * params.gemm.split.splits,
                               .threads = AnyStrictConfig::kThreads,
                               .shared_bytes = AnyStrictConfig::kSharedBytes,
                               .overlaps = true};
  return ptx::launch_grid(kStrictKernels[problem.op_a == Op::kT][problem.op_b == Op::kT], shape, piece.context.stream,
                          params);
}

// What the kernel table needs of a tile.
template <class Shape>
struct Launcher {
  using Fp16 = Config<Shape, Method::kFp16x3>;
  using Bf16 = Config<Tile128x128, Method::kBf16x6>;  // three sums of 192 columns would be too many registers
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
    for (const auto& of_op_a : kStrictKernels) {
      for (const StrictKernel kernel : of_op_a) {
        if (error == cudaSuccess) error = ptx::prepare_kernel(kernel, AnyStrictConfig::kSharedBytes);
      }
    }
    return error;
  }

  // At most one of the three products finds its method chosen.
  static cudaError_t launch_piece(const PieceLaunch& piece) {
    cudaError_t error = launch_split<Method::kFp16x3>(piece);
    if (error == cudaSuccess) error = launch_product<Fp16>(piece);
    if (piece.split.bf16_available) {
      if (error == cudaSuccess) error = launch_split<Method::kBf16x6>(piece);
      if (error == cudaSuccess) error = launch_product<Bf16>(piece);
    }
    return error == cudaSuccess ? launch_strict(piece) : error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    if (context.flags == nullptr) return cudaErrorNotSupported;
    const Extents whole{problem.m, problem.n, problem.k};
    const PiecePlan plan = plan_pieces(whole, context.workspace_bytes);
    PiecePlace at;
    for (at.entry = 0; at.entry < problem.batch_count; ++at.entry) {
      for (at.first.n = 0; at.first.n < whole.n; at.first.n += plan.piece.n) {
        for (at.first.m = 0; at.first.m < whole.m; at.first.m += plan.piece.m) {
          for (at.first.k = 0; at.first.k < whole.k; at.first.k += plan.piece.k) {
            at.size = {std::min(plan.piece.m, whole.m - at.first.m), std::min(plan.piece.n, whole.n - at.first.n),
                       std::min(plan.piece.k, whole.k - at.first.k)};
            const GemmProblem piece = piece_problem(problem, at);
            const bool bf16 = plan.bf16_available && 2.0 * piece.m * piece.n * piece.k >= kBf16Operations;
            const cudaError_t error = launch_piece(prepare_piece(piece, context, bf16));
            if (error != cudaSuccess) return error;
          }
        }
      }
    }
    return cudaSuccess;
  }
};

}  // namespace fastgemm::sgemm_tensor
