// Orders in which the tiles of an m x n grid are worked on, so that tiles under way together share rows of A and
// columns of B in L2. Each order is a bijection from 0 .. tiles_m * tiles_n - 1 to the grid.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace fastgemm {

struct TileCoordinate {
  int m = 0;
  int n = 0;
};

namespace detail {

// A rectangle of tiles that is entered at `corner` and walked along `along`, its first side; `across` is the other.
struct CurvePart {
  TileCoordinate corner;
  TileCoordinate along;   // unit step
  TileCoordinate across;  // unit step
  int length = 0;         // tiles along
  int breadth = 0;        // tiles across
};

__host__ __device__ constexpr TileCoordinate step(TileCoordinate from, TileCoordinate direction, int count) {
  return {from.m + direction.m * count, from.n + direction.n * count};
}

__host__ __device__ constexpr TileCoordinate opposite(TileCoordinate direction) {
  return {-direction.m, -direction.n};
}

// Half of a side, even where that is possible: parts with even sides join without a diagonal step.
__host__ __device__ constexpr int even_half(int side) {
  const int half = side / 2;
  return half % 2 != 0 && side > 2 ? half + 1 : half;
}

// Replaces `part` by that one of its parts which holds tile `index`, and counts `index` from that part's start.
// A part much longer than broad is cut in two; any other in three, walked across, along, and back across.
__host__ __device__ constexpr void descend(CurvePart& part, std::int64_t& index) {
  if (2 * static_cast<std::int64_t>(part.length) > 3 * static_cast<std::int64_t>(part.breadth)) {
    const int first = even_half(part.length);
    const std::int64_t area = static_cast<std::int64_t>(first) * part.breadth;
    if (index < area) {
      part.length = first;
    } else {
      index -= area;
      part.corner = step(part.corner, part.along, first);
      part.length -= first;
    }
    return;
  }
  const int near = even_half(part.breadth);  // breadth of the two side parts
  const int left = part.length / 2;
  const std::int64_t area_left = static_cast<std::int64_t>(near) * left;
  const std::int64_t area_far = static_cast<std::int64_t>(part.length) * (part.breadth - near);
  if (index < area_left) {
    part = {part.corner, part.across, part.along, near, left};
  } else if (index < area_left + area_far) {
    index -= area_left;
    part.corner = step(part.corner, part.across, near);
    part.breadth -= near;
  } else {
    index -= area_left + area_far;
    const TileCoordinate far_corner = step(step(part.corner, part.along, part.length - 1), part.across, near - 1);
    part = {far_corner, opposite(part.across), opposite(part.along), near, part.length - left};
  }
}

}  // namespace detail

// Tile `index` along a generalised Hilbert curve (after J. Cerveny's curve for rectangles of any size): consecutive
// tiles share a side, but for at most one diagonal step in grids whose sides' parities leave no other way.
__host__ __device__ constexpr TileCoordinate hilbert_tile(std::int64_t index, int tiles_m, int tiles_n) {
  detail::CurvePart part{{0, 0}, {1, 0}, {0, 1}, tiles_m, tiles_n};
  if (tiles_n > tiles_m) part = {{0, 0}, {0, 1}, {1, 0}, tiles_n, tiles_m};
  while (part.length > 1 && part.breadth > 1) detail::descend(part, index);
  const TileCoordinate direction = part.breadth == 1 ? part.along : part.across;
  return detail::step(part.corner, direction, static_cast<int>(index));
}

// Tile `index` of a raster that runs down `group` tiles of m, then one tile along n, and so on; then the next group.
// Index: an integer that holds group * tiles_n; 32 bits divide several times faster than 64.
template <class Index>
__host__ __device__ constexpr TileCoordinate grouped_raster_tile(Index index, int tiles_m, int tiles_n, int group) {
  const Index tiles_per_group = static_cast<Index>(group) * tiles_n;
  const int first_m = static_cast<int>(index / tiles_per_group) * group;
  const int height = tiles_m - first_m < group ? tiles_m - first_m : group;
  const Index within = index % tiles_per_group;
  return {first_m + static_cast<int>(within % height), static_cast<int>(within / height)};
}

}  // namespace fastgemm
