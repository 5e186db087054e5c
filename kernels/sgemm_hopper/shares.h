// How a launch's work is cut into shares, one a block: all k blocks of all tiles in one row, tile after tile, in equal
// pieces. A tile that a border cuts is begun by the share before the border and continued by the one after it, in the
// same chain of FMAs. With fewer tiles than SMs that would make SMs wait for each other: there the parts of a tile are
// multiplied side by side and their sums added. Plain arithmetic, for host and device; in 32 bits, whose divisions are
// several times shorter.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <limits>

namespace fastgemm::hopper {

struct ShareGrid {
  int tiles = 0;
  int k_blocks = 0;      // of a tile, the last perhaps partial; 1 or more; tiles * k_blocks is an int
  int shares = 0;        // at most kMaxShares, and at most `tiles` where length is 0
  bool chained = false;  // borders may cut tiles
  int length = 0;        // not 0: borders cut tiles into parts to be added; k blocks of every share but the last
};

inline constexpr int kMaxShares = 1 << 16;

// Part of a tile: k blocks first .. end - 1.
struct Segment {
  int tile = 0;
  int first = 0;
  int end = 0;
};

// A share's k blocks: begin .. end - 1, counted over all tiles. It works through its tiles from the last to the first:
// the beginning of its last tile comes first, so that the next share, which needs it last, never waits in practice.
struct Share {
  int begin = 0;
  int end = 0;
  int segments = 0;
};

__host__ __device__ constexpr int share_border(const ShareGrid& grid, int share) {
  const auto shares = static_cast<std::uint32_t>(grid.shares);
  const auto number = static_cast<std::uint32_t>(share);
  if (grid.length > 0) {
    const auto all = static_cast<std::uint32_t>(grid.tiles * grid.k_blocks);
    const std::uint32_t border = number * static_cast<std::uint32_t>(grid.length);
    return static_cast<int>(border < all ? border : all);
  }
  const auto units = static_cast<std::uint32_t>(grid.chained ? grid.tiles * grid.k_blocks : grid.tiles);
  // units * share / shares, without overflow
  const std::uint32_t border = units / shares * number + units % shares * number / shares;
  return static_cast<int>(border) * (grid.chained ? 1 : grid.k_blocks);
}

__host__ __device__ constexpr Share make_share(const ShareGrid& grid, int share) {
  Share result{share_border(grid, share), share_border(grid, share + 1), 0};
  const int first_tile = result.begin / grid.k_blocks;
  const int last_tile = (result.end - 1) / grid.k_blocks;
  if (result.end > result.begin) result.segments = last_tile - first_tile + 1;
  return result;
}

// Segment `index` (0 to segments - 1) of a share, in the order of work.
__host__ __device__ constexpr Segment segment_of(const ShareGrid& grid, const Share& share, int index) {
  Segment segment;
  segment.tile = (share.end - 1) / grid.k_blocks - index;
  const int tile_begin = segment.tile * grid.k_blocks;
  segment.first = share.begin > tile_begin ? share.begin - tile_begin : 0;
  segment.end = share.end - tile_begin < grid.k_blocks ? share.end - tile_begin : grid.k_blocks;
  return segment;
}

// Where segment `index` begins among the k blocks of its share, in the order of work.
__host__ __device__ constexpr int blocks_before(const ShareGrid& grid, const Share& share, int index) {
  if (index == 0) return 0;
  if (index >= share.segments) return share.end - share.begin;
  const Segment first = segment_of(grid, share, 0);
  return first.end - first.first + (index - 1) * grid.k_blocks;
}

// The shares that work on a tile, with grid.length.
struct TileParts {
  int first_share = 0;
  int count = 0;
};

__host__ __device__ constexpr TileParts parts_of_tile(const ShareGrid& grid, int tile) {
  const int first = tile * grid.k_blocks / grid.length;
  return {first, (tile * grid.k_blocks + grid.k_blocks - 1) / grid.length - first + 1};
}

// Cuts tiles into at most `most` parts, for at most `sm_count` shares. A tile of K k blocks is cut into
// (K - 1) / length + 2 parts at most, and length is K / (most - 1) or more.
constexpr void cut_tiles(ShareGrid& grid, int sm_count, int most) {
  const std::int64_t wanted = std::int64_t{grid.tiles} * (most - 1);
  if (wanted <= grid.tiles || sm_count <= grid.tiles) return;
  const int shares = wanted < sm_count ? static_cast<int>(wanted) : sm_count;
  const int blocks = grid.tiles * grid.k_blocks;
  grid.length = blocks / shares + (blocks % shares > 0 ? 1 : 0);
  grid.shares = blocks / grid.length + (blocks % grid.length > 0 ? 1 : 0);
}

// How many shares a launch on `sm_count` SMs has: one an SM, or more where a share could not hold so many tiles; with
// fewer tiles than SMs, one a tile.
constexpr std::int64_t share_count(std::int64_t tiles, int sm_count, int max_segments) {
  const std::int64_t for_table = tiles / (max_segments - 2) + 1;
  const std::int64_t wanted = for_table > sm_count ? for_table : sm_count;
  return wanted < tiles ? wanted : tiles;
}

// Whether tiles of so many k blocks can be shared out.
constexpr bool can_share(std::int64_t tiles, std::int64_t k_blocks, int sm_count, int max_segments) {
  return tiles <= std::numeric_limits<std::int32_t>::max() / k_blocks &&
         share_count(tiles, sm_count, max_segments) <= kMaxShares;
}

}  // namespace fastgemm::hopper
