// The fragments that ldmatrix delivers are those that mma takes, and the one-XOR steps reach the same addresses.
#include "kernels/tile/mma_fragments.cuh"

#include <set>

#include "tests/support/catch.h"

namespace fastgemm {
namespace {

struct Element {
  int row = -1;
  int k = -1;
  bool operator==(const Element&) const = default;
};

// What lies at an offset of the tile, found by walking the layout.
template <class Tile>
Element element_at(int offset) {
  for (int line = 0; line < Tile::kLines; ++line) {
    for (int chunk = 0; chunk < Tile::kChunksPerLine; ++chunk) {
      if (Tile::offset(line, chunk) != offset / kChunkBytes * kChunkBytes) continue;
      const int along = chunk * kChunkElements + offset % kChunkBytes / 2;
      return Tile::kDepthContiguous ? Element{line, along} : Element{along, line};
    }
  }
  return {};
}

// The element that ldmatrix.x4 (.trans where the rows are contiguous) puts into half `half` of register `index`: matrix
// `index` has its rows at the addresses of lanes 8 * index to 8 * index + 7; a lane receives row lane / 4, columns
// 2 * (lane % 4) and the next; .trans exchanges row and column.
template <class Tile, MmaOperand kOperand>
Element delivered(int row, int k, int lane, int index, int half) {
  int matrix_row = lane / 4;
  int matrix_column = lane % 4 * 2 + half;
  if (!Tile::kDepthContiguous) std::swap(matrix_row, matrix_column);
  return element_at<Tile>(block_offset<Tile, kOperand>(row, k, index * 8 + matrix_row) + matrix_column * 2);
}

// What mma.m16n8k16 expects there: PTX ISA, fragments of A (wide) and of B (narrow, two of them in a block).
Element expected(MmaOperand operand, int row, int k, int lane, int index, int half) {
  const bool wide = operand == MmaOperand::kWide;
  const int upper_rows = wide ? index % 2 : index / 2;
  const int upper_depth = wide ? index / 2 : index % 2;
  return {row + lane / 4 + 8 * upper_rows, k + lane % 4 * 2 + half + 8 * upper_depth};
}

template <class Tile, MmaOperand kOperand>
bool delivers_fragments() {
  for (int row = 0; row < Tile::kRows; row += kBlockRows) {
    for (int k = 0; k < Tile::kDepth; k += kBlockDepth) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int part = 0; part < 8; ++part) {
          const int index = part / 2;
          const int half = part % 2;
          const Element got = delivered<Tile, kOperand>(row, k, lane, index, half);
          if (!(got == expected(kOperand, row, k, lane, index, half))) return false;
        }
      }
    }
  }
  return true;
}

// Every warp of kWarpRows rows, every block of its part, every lane; the tile may start at any multiple of 128 bytes.
template <class Tile, int kWarpRows, MmaOperand kOperand>
bool steps_reach_blocks() {
  constexpr int kStart = 3 * 128;
  for (int first = 0; first < Tile::kRows; first += kWarpRows) {
    for (int row = 0; row < kWarpRows; row += kBlockRows) {
      for (int k = 0; k < Tile::kDepth; k += kBlockDepth) {
        for (int lane = 0; lane < 32; ++lane) {
          const int base = kStart + block_offset<Tile, kOperand>(first, 0, lane);
          const int stepped = (base ^ block_flip<Tile>(row, k)) + block_advance<Tile>(row, k);
          if (stepped != kStart + block_offset<Tile, kOperand>(first + row, k, lane)) return false;
        }
      }
    }
  }
  return true;
}

template <class Tile>
void check_tile() {
  CAPTURE(Tile::kRows, Tile::kDepth, Tile::kDepthContiguous);
  CHECK(delivers_fragments<Tile, MmaOperand::kWide>());
  CHECK(delivers_fragments<Tile, MmaOperand::kNarrow>());
  CHECK(steps_reach_blocks<Tile, 16, MmaOperand::kWide>());
  CHECK(steps_reach_blocks<Tile, 32, MmaOperand::kWide>());
  CHECK(steps_reach_blocks<Tile, 32, MmaOperand::kNarrow>());
  CHECK(steps_reach_blocks<Tile, 64, MmaOperand::kNarrow>());
}

}  // namespace

TEST_CASE("ldmatrix delivers what mma takes, in one-XOR steps", "[tile]") {
  check_tile<OperandTile<64, 32, true, true>>();
  check_tile<OperandTile<64, 32, false, true>>();
  check_tile<OperandTile<64, 64, true, true>>();
  check_tile<OperandTile<64, 64, false, true>>();
  check_tile<OperandTile<128, 64, true, true>>();
  check_tile<OperandTile<256, 32, false, true>>();
  check_tile<OperandTile<64, 32, true, false>>();
  check_tile<OperandTile<64, 32, false, false>>();
}

TEST_CASE("accumulator registers cover a 16 x 8 block, pairs along m", "[tile]") {
  std::set<int> seen;
  for (int lane = 0; lane < 32; ++lane) {
    for (int index = 0; index < 4; ++index) seen.insert(accumulator_n(lane, index) * 8 + accumulator_m(lane, index));
    for (int index = 0; index < 4; index += 2) {
      CHECK(accumulator_n(lane, index) == accumulator_n(lane, index + 1));
      CHECK(accumulator_m(lane, index) + 1 == accumulator_m(lane, index + 1));
    }
  }
  CHECK(seen.size() == 128);
  CHECK(*seen.begin() == 0);
  CHECK(*seen.rbegin() == 127);
}

}  // namespace fastgemm
