// Where a box of results lies in shared memory, and the order of tiles.
#include <set>
#include <tuple>

#include "kernels/hgemm_wgmma/config.h"
#include "kernels/hgemm_wgmma/tile_list.h"
#include "tests/kernels/tile/banks.h"
#include "tests/support/catch.h"

namespace fastgemm::hgemm_wgmma {
namespace {

TEST_CASE("a box's chunks lie where the 128-byte swizzle of a copy looks for them", "[kernels]") {
  std::set<int> offsets;
  for (int column = 0; column < kBoxColumns; ++column) {
    for (int chunk = 0; chunk < kBoxRows / kChunkElements; ++chunk) {
      const int packed = column * kBoxRows * 2 + chunk * kChunkBytes;
      CHECK(box_offset(column, chunk) == (packed ^ (packed >> 7 & 7) << 4));
      offsets.insert(box_offset(column, chunk));
    }
  }
  CHECK(offsets.size() == kBoxBytes / kChunkBytes);
  CHECK(*offsets.rbegin() == kBoxBytes - kChunkBytes);
}

TEST_CASE("a box is filled and read without bank conflicts", "[kernels]") {
  for (int pair = 0; pair < kBoxRows / 16; ++pair) {
    const auto matrix_row = [pair](int lane) { return box_offset(lane % 16, 2 * pair + lane / 16); };
    CHECK(tests::warp_conflicts(kChunkBytes, matrix_row) == 0);
    // The kernel steps from pair to pair by one XOR.
    for (int lane = 0; lane < 32; ++lane) {
      CHECK(matrix_row(lane) == (box_offset(lane % 16, lane / 16) ^ 2 * pair * kChunkBytes));
    }
  }
  for (int column = 0; column < kBoxColumns; ++column) {
    const auto word = [column](int lane) { return box_offset(column, lane / 4) + lane % 4 * 4; };
    CHECK(tests::warp_conflicts(4, word) == 0);
  }
}

TEST_CASE("the list of tiles holds every tile of every batch entry once", "[kernels]") {
  for (const auto& [tiles_m, tiles_n, entries] : {std::tuple(1, 1, 1), std::tuple(5, 40, 1), std::tuple(7, 3, 4)}) {
    const TileGrid grid{tiles_m, tiles_n, tiles_m * tiles_n * entries};
    std::set<std::tuple<int, int, int>> seen;
    for (int index = 0; index < grid.tiles; ++index) {
      const TilePlace place = tile_place(grid, index, kRasterGroup);
      CHECK((place.tile_m >= 0 && place.tile_m < tiles_m));
      CHECK((place.tile_n >= 0 && place.tile_n < tiles_n));
      CHECK(place.entry == index / (tiles_m * tiles_n));
      seen.insert({place.tile_m, place.tile_n, place.entry});
    }
    CHECK(seen.size() == static_cast<std::size_t>(grid.tiles));
  }
}

}  // namespace
}  // namespace fastgemm::hgemm_wgmma
