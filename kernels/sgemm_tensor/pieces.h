// What a product of parts takes, and its pieces: each a problem of its own, with its place in the workspace. Host side,
// the same for all families that multiply parts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/sgemm_tensor/params.h"
#include "kernels/sgemm_tensor/plan.h"

namespace fastgemm::sgemm_tensor {

// Shorter sums have few roundings in FP32: parts would be less accurate.
inline constexpr std::int64_t kMinDepth = 256;
inline constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 31) - 1024;
// Batch entries are launched one after another: worth it for few large ones.
inline constexpr std::int64_t kMaxEntries = 64;
inline constexpr std::int64_t kLargeEntry = std::int64_t{1} << 20;  // elements of D

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
  split.g_tickets = context.flags + 1;
  split.g_items_done = context.flags + 2;
  split.g_method = static_cast<std::uint32_t*>(place(layout.method));
  return piece;
}

// Calls launch(piece, is_first) for one piece after another, none larger than `most`, to the first error: stretches of
// k of the same part of D follow each other.
template <class Launch>
cudaError_t for_each_piece(const GemmProblem& problem, const Extents& most, const Launch& launch) {
  PiecePlace at;
  bool is_first = true;
  for (at.entry = 0; at.entry < problem.batch_count; ++at.entry) {
    for (at.first.n = 0; at.first.n < problem.n; at.first.n += most.n) {
      for (at.first.m = 0; at.first.m < problem.m; at.first.m += most.m) {
        for (at.first.k = 0; at.first.k < problem.k; at.first.k += most.k) {
          at.size = {std::min(most.m, problem.m - at.first.m), std::min(most.n, problem.n - at.first.n),
                     std::min(most.k, problem.k - at.first.k)};
          const cudaError_t error = launch(piece_problem(problem, at), is_first);
          if (error != cudaSuccess) return error;
          is_first = false;
        }
      }
    }
  }
  return cudaSuccess;
}

}  // namespace fastgemm::sgemm_tensor
