// How a launch's work is cut into shares, one a block: all k blocks of all tiles in one row, tile after tile, in equal
// pieces. A tile that a border cuts is begun by the share before the border and continued by the one after it, in the
// same chain of FMAs. Or, with more SMs than tiles, every tile in as many parts of k, whose sums are added afterwards.
// Plain arithmetic, for host and device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/split_params.h"

namespace fastgemm::hopper {

struct ShareGrid {
  std::int64_t tiles = 0;
  int k_blocks = 0;      // of a tile, the last perhaps partial; 1 or more
  int shares = 0;        // at most `tiles`; with several parts, tiles * parts
  bool chained = false;  // borders may cut tiles
  int parts = 1;         // of a tile's k blocks, each a share
};

// Part of a tile: k blocks first .. end - 1.
struct Segment {
  std::int64_t tile = 0;
  int first = 0;
  int end = 0;
};

// A share's k blocks: begin .. end - 1, counted over all tiles. It works through its tiles from the last to the first:
// the beginning of its last tile comes first, so that the next share, which needs it last, never waits in practice.
struct Share {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int segments = 0;
};

__host__ __device__ constexpr std::int64_t share_border(const ShareGrid& grid, std::int64_t share) {
  if (grid.parts > 1) {
    const auto number = static_cast<std::uint32_t>(share);
    const std::uint32_t tile = number / static_cast<std::uint32_t>(grid.parts);
    const int part = static_cast<int>(number - tile * static_cast<std::uint32_t>(grid.parts));
    return static_cast<std::int64_t>(tile) * grid.k_blocks + split_steps(grid.k_blocks, grid.parts, part).begin;
  }
  const std::int64_t unit = grid.chained ? 1 : grid.k_blocks;
  const std::int64_t units = grid.chained ? grid.tiles * grid.k_blocks : grid.tiles;
  // units * share / shares, without overflow
  return (units / grid.shares * share + units % grid.shares * share / grid.shares) * unit;
}

__host__ __device__ constexpr Share make_share(const ShareGrid& grid, std::int64_t share) {
  Share result{share_border(grid, share), share_border(grid, share + 1), 0};
  const std::int64_t first_tile = result.begin / grid.k_blocks;
  const std::int64_t last_tile = (result.end - 1) / grid.k_blocks;
  if (result.end > result.begin) result.segments = static_cast<int>(last_tile - first_tile + 1);
  return result;
}

// Segment `index` (0 to segments - 1) of a share, in the order of work.
__host__ __device__ constexpr Segment segment_of(const ShareGrid& grid, const Share& share, int index) {
  Segment segment;
  segment.tile = (share.end - 1) / grid.k_blocks - index;
  const std::int64_t tile_begin = segment.tile * grid.k_blocks;
  segment.first = share.begin > tile_begin ? static_cast<int>(share.begin - tile_begin) : 0;
  segment.end = share.end < tile_begin + grid.k_blocks ? static_cast<int>(share.end - tile_begin) : grid.k_blocks;
  return segment;
}

// Where segment `index` begins among the k blocks of its share, in the order of work.
__host__ __device__ constexpr int blocks_before(const ShareGrid& grid, const Share& share, int index) {
  if (index == 0) return 0;
  if (index >= share.segments) return static_cast<int>(share.end - share.begin);
  const Segment first = segment_of(grid, share, 0);
  return first.end - first.first + (index - 1) * grid.k_blocks;
}

// How many shares a launch on `sm_count` SMs has: one an SM, or more where a share could not hold so many tiles; with
// fewer tiles than SMs, one a tile.
constexpr int share_count(std::int64_t tiles, int sm_count, int max_segments) {
  const std::int64_t for_table = tiles / (max_segments - 2) + 1;
  const std::int64_t wanted = for_table > sm_count ? for_table : sm_count;
  return static_cast<int>(wanted < tiles ? wanted : tiles);
}

}  // namespace fastgemm::hopper
