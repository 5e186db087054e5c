// Which tile of D comes when. Plain arithmetic, for host and device.
#pragma once

#include "kernels/tile/tile_order.cuh"

namespace fastgemm::hgemm_wgmma {

// Tiles of D over the whole batch, fewer than kMaxTiles.
struct TileGrid {
  int tiles_m = 0;
  int tiles_n = 0;
  int tiles = 0;
};

inline constexpr int kMaxTiles = 1 << 27;  // so that 32-bit arithmetic does for the raster and the steps through it

struct TilePlace {
  int tile_m = 0;
  int tile_n = 0;
  int entry = 0;  // of the batch
};

// Entries come one after another; in each, a raster that walks `group` tiles of n before one of m.
__host__ __device__ constexpr TilePlace tile_place(const TileGrid& grid, int index, int group) {
  const int tiles_of_entry = grid.tiles_m * grid.tiles_n;
  const int entry = index / tiles_of_entry;
  const TileCoordinate at = grouped_raster_tile(index - entry * tiles_of_entry, grid.tiles_n, grid.tiles_m, group);
  return {at.n, at.m, entry};
}

}  // namespace fastgemm::hgemm_wgmma
