// What a kernel is told of the split of its launch (kernels/splits.h), and how a launch finds that out.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/splits.h"

namespace fastgemm {

// A part of k is summed in `splits` blocks a tile. With many of them the sum goes by groups of `group` parts: the last
// block of a group sums its group, the last block of the last groups sums the groups' sums. Either order is fixed.
struct SplitParams {
  float* parked = nullptr;         // partial tiles
  std::uint32_t* flags = nullptr;  // one a tile, then, with more than one group, one a group of each tile
  int tiles = 0;
  int splits = 1;
  int group = 1;   // parts a group; `splits` where there is one group
  int groups = 1;  // a tile
};

// The k steps of one part.
struct SplitSteps {
  int begin = 0;
  int end = 0;
};

// split_begin() in 32 bits, which make_split_params() makes sure of: a 64-bit division takes 0.1 us of a short kernel.
__host__ __device__ constexpr SplitSteps split_steps(int steps, int splits, int index) {
  const auto begin = [=](int part) {
    return static_cast<int>(static_cast<std::uint32_t>(steps) * static_cast<std::uint32_t>(part) /
                            static_cast<std::uint32_t>(splits));
  };
  return {begin(index), begin(index + 1)};
}

// The most parts that rows offer: with two levels of sums, 32 times 32.
inline constexpr int kMaxSplitsOfK = 1024;

// Beyond so many parts one block would read longer than a second round of parking and counting takes: 32 partial tiles
// of 64x64 are 512 KB, 4 us at what one SM takes from L2.
inline constexpr int kMaxFlatSplits = 24;

constexpr int square_root_up(int value) {
  int root = 1;
  while (root * root < value) ++root;
  return root;
}

// The split that `context` asks for, or none where its memory is too small or the sum must not be split. Tiles are
// those of the kernel that runs, which may be another than the row's.
inline SplitParams make_split_params(const GemmProblem& problem, TileShape tile, const LaunchContext& context) {
  SplitParams split;
  const std::int64_t steps = (problem.k + tile.k - 1) / tile.k;
  const int splits = static_cast<int>(std::min<std::int64_t>(context.splits, steps));
  constexpr std::int64_t kMaxProduct = std::numeric_limits<std::int32_t>::max();  // of split_steps(), and of blocks
  const std::int64_t tiles = tiles_of(problem, tile);
  if (splits <= 1 || context.flags == nullptr || context.workspace == nullptr || tiles > context.flag_count ||
      problem.math_mode == MathMode::kFp32Sequential || steps * splits > kMaxProduct || tiles * splits > kMaxProduct ||
      context.workspace_bytes < split_workspace_bytes(problem, tile, splits)) {
    return split;
  }
  split.parked = static_cast<float*>(context.workspace);
  split.flags = context.flags;
  split.tiles = static_cast<int>(tiles);
  split.splits = split.group = splits;
  if (splits <= kMaxFlatSplits) return split;
  const int group = square_root_up(splits);
  const int groups = (splits + group - 1) / group;
  if (tiles * (1 + groups) > context.flag_count) return split;
  split.group = group;
  split.groups = groups;
  return split;
}

}  // namespace fastgemm
