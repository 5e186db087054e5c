// Memory through which the blocks of a split launch sum: LaunchContext.splits blocks work on every tile of D, each on
// a part of k. Each parks its FP32 partial tile in workspace and counts itself in the tile's flag; the
// last to count sums the parts in ascending k, stores the tile and sets the flag back to 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm {

// Tiles of D over the whole batch; no overflow where the launch could count them.
constexpr std::int64_t tiles_of(const GemmProblem& problem, TileShape tile) {
  const std::int64_t tiles_m = (problem.m + tile.m - 1) / tile.m;
  const std::int64_t tiles_n = (problem.n + tile.n - 1) / tile.n;
  return tiles_m * tiles_n * problem.batch_count;
}

// The flags of a split launch, one a tile, and its partial tiles: that of part `s` of tile `t` is number t * splits + s.
// They lie at the workspace's beginning; what a row asks for besides follows, at a multiple of kWorkspaceAlignment.
inline constexpr std::size_t kWorkspaceAlignment = 256;

constexpr std::size_t split_workspace_bytes(const GemmProblem& problem, TileShape tile, int splits) {
  if (splits <= 1) return 0;
  const auto tiles = static_cast<std::size_t>(tiles_of(problem, tile));
  const std::size_t bytes = tiles * splits * tile.m * tile.n * sizeof(float);
  return (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
}

// Part `index` of k begins at this k step of `steps`; part `splits` begins at `steps`. Parts differ by a step at most.
constexpr std::int64_t split_begin(std::int64_t steps, int splits, int index) { return steps * index / splits; }

}  // namespace fastgemm
