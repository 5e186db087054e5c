// Operand tiles and epilogue strips: every place is used once, and no access of the HGEMM kernels meets a bank twice.
#include "kernels/tile/swizzle.cuh"

#include <set>

#include "kernels/tile/mma_fragments.cuh"
#include "kernels/tile/tile_copy_map.cuh"
#include "tests/kernels/tile/banks.h"
#include "tests/support/catch.h"

namespace fastgemm {
namespace {

using tests::warp_conflicts;

// Conflicts of all ldmatrix that read the tile, for an operand in either place.
template <class Tile, MmaOperand kOperand>
int read_conflicts() {
  int conflicts = 0;
  for (int row = 0; row < Tile::kRows; row += kBlockRows) {
    for (int k = 0; k < Tile::kDepth; k += kBlockDepth) {
      conflicts += warp_conflicts(16, [&](int lane) { return block_offset<Tile, kOperand>(row, k, lane); });
    }
  }
  return conflicts;
}

template <class Map>
int target_in_pass(int thread, int pass) {
  return (Map::target(thread) ^ Map::pass_flip(pass)) + Map::pass_advance(pass);
}

// Conflicts of the stores that fill the tile.
template <class Tile, int kThreads, int kUnit>
int fill_conflicts() {
  using Map = TileCopyMap<Tile, kThreads, kUnit>;
  int conflicts = 0;
  for (int pass = 0; pass < Map::kPasses; ++pass) {
    for (int warp = 0; warp < kThreads / 32; ++warp) {
      conflicts += warp_conflicts(2 * kUnit, [&](int lane) { return target_in_pass<Map>(warp * 32 + lane, pass); });
    }
  }
  return conflicts;
}

// Whether the copies put each element of the tile where the layout says, each once.
template <class Tile, int kThreads, int kUnit>
bool fills_tile() {
  using Map = TileCopyMap<Tile, kThreads, kUnit>;
  std::set<int> seen;
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int pass = 0; pass < Map::kPasses; ++pass) {
      const int line = Map::line(thread) + pass * Map::kLinesPerPass;
      const int target = target_in_pass<Map>(thread, pass);
      const int element = Map::element(thread);
      if (target != Tile::offset(line, element / kChunkElements) + element % kChunkElements * 2) return false;
      if (!seen.insert(line * Tile::kLineElements + element).second) return false;
    }
  }
  return static_cast<int>(seen.size()) == Tile::kBytes / 2 / kUnit;
}

template <class Tile>
bool offsets_are_distinct() {
  std::set<int> seen;
  for (int line = 0; line < Tile::kLines; ++line) {
    for (int chunk = 0; chunk < Tile::kChunksPerLine; ++chunk) {
      const int offset = Tile::offset(line, chunk);
      if (offset < 0 || offset + kChunkBytes > Tile::kBytes || offset % kChunkBytes != 0) return false;
      if (!seen.insert(offset).second) return false;
    }
  }
  return true;
}

template <class Tile, int kThreads>
void check_copies() {
  CAPTURE(Tile::kRows, Tile::kDepth, Tile::kDepthContiguous, kThreads);
  CHECK(fills_tile<Tile, kThreads, 8>());
  CHECK(fills_tile<Tile, kThreads, 2>());
  CHECK(fill_conflicts<Tile, kThreads, 8>() == 0);
  CHECK(fill_conflicts<Tile, kThreads, 2>() == 0);
}

template <int kRows, int kDepth, bool kDepthContiguous>
void check_tile() {
  using Tile = OperandTile<kRows, kDepth, kDepthContiguous, true>;
  CAPTURE(kRows, kDepth, kDepthContiguous);
  CHECK(offsets_are_distinct<Tile>());
  CHECK(read_conflicts<Tile, MmaOperand::kWide>() == 0);
  CHECK(read_conflicts<Tile, MmaOperand::kNarrow>() == 0);
  check_copies<Tile, 128>();
  check_copies<Tile, 256>();
}

template <int kRows>
void check_strip() {
  using Strip = EpilogueStrip<kRows>;
  CAPTURE(kRows);
  std::set<int> seen;
  for (int column = 0; column < Strip::kColumns; ++column) {
    for (int row = 0; row < kRows; ++row) seen.insert(Strip::offset(row, column));
  }
  CHECK(seen.size() == static_cast<std::size_t>(kRows) * Strip::kColumns);
  CHECK(*seen.rbegin() + 4 <= Strip::kBytes);

  int writes = 0;  // two floats a lane, in fragment layout
  for (int m = 0; m < kRows; m += 8) {
    for (int pair = 0; pair < 4; pair += 2) {
      writes += warp_conflicts(
          8, [&](int lane) { return Strip::offset(m + accumulator_m(lane, pair), accumulator_n(lane, pair)); });
    }
  }
  CHECK(writes == 0);

  int runs = 0;  // eight rows a lane, in two reads
  constexpr int kLanesPerColumn = kRows / 8;
  for (int first = 0; first < Strip::kColumns; first += 32 / kLanesPerColumn) {
    for (int half = 0; half < 2; ++half) {
      runs += warp_conflicts(16, [&](int lane) {
        return Strip::offset(lane % kLanesPerColumn * 8 + half * 4, first + lane / kLanesPerColumn);
      });
    }
  }
  CHECK(runs == 0);

  for (int row = 0; row < kRows; row += 32) {
    CHECK(warp_conflicts(4, [&](int lane) { return Strip::offset(row + lane, 3); }) == 0);
  }
}

}  // namespace

TEST_CASE("operand tiles are filled once and read without bank conflicts", "[tile]") {
  check_tile<64, 32, true>();
  check_tile<64, 32, false>();
  check_tile<64, 64, true>();
  check_tile<64, 64, false>();
  check_tile<128, 32, true>();
  check_tile<128, 32, false>();
  check_tile<128, 64, true>();
  check_tile<128, 64, false>();
  check_tile<256, 32, true>();
  check_tile<256, 32, false>();
  check_tile<256, 64, true>();
  check_tile<256, 64, false>();
  check_copies<OperandTile<256, 32, true, true>, 512>();
  check_copies<OperandTile<256, 32, false, true>, 512>();
  check_copies<OperandTile<128, 32, true, true>, 512>();
  check_copies<OperandTile<128, 32, false, true>, 512>();
}

TEST_CASE("without the swizzle the conflicts are there, so they are really counted", "[tile]") {
  // Lines of 64 bytes: eight rows meet two to a wave. Lines of 128 bytes and more: all eight meet.
  CHECK(read_conflicts<OperandTile<16, 32, true, false>, MmaOperand::kWide>() == 2 * 4 * 3);
  CHECK(read_conflicts<OperandTile<16, 64, true, false>, MmaOperand::kWide>() == 4 * 4 * 7);
  CHECK(read_conflicts<OperandTile<128, 16, false, false>, MmaOperand::kNarrow>() == 8 * 4 * 7);
}

TEST_CASE("epilogue strips are written and read without bank conflicts", "[tile]") {
  check_strip<32>();
  check_strip<64>();
  check_strip<128>();
}

}  // namespace fastgemm
