// Which lane holds what in the warp-wide matrix instructions, as plain constexpr maps. PTX ISA, "Matrix fragments for
// mma.m16n8k16 with floating point type" and "ldmatrix".
//
// A warp computes its part of D transposed: the rows of mma run along n (16 each, from B), its columns along m (8 each,
// from A). So the two neighbours that a lane holds are neighbours in a column of D.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/tile/swizzle.cuh"

namespace fastgemm {

// The two places of an operand in mma: 16 rows wide (from B), or 8 (from A).
enum class MmaOperand { kWide, kNarrow };

// Both operands are fetched in blocks of 16 rows x 16 of k by one ldmatrix.x4, whose four registers hold an 8x8 matrix
// each. They are asked for in the order that lets mma take them as they come: the wide operand is registers 0 to 3 with
// the rows running first; the narrow one is {0, 1} for the first eight rows and {2, 3} for the next, k running first.
inline constexpr int kBlockRows = 16;
inline constexpr int kBlockDepth = 16;

// Byte offset in Tile of the 16 bytes whose address `lane` gives for the block at (row, k). Where the rows are
// contiguous the matrices are stored transposed, and ldmatrix transposes them back.
template <class Tile, MmaOperand kOperand>
__host__ __device__ constexpr int block_offset(int row, int k, int lane) {
  const int within = lane & 7;
  const int first_bit = (lane >> 3) & 1;
  const int second_bit = lane >> 4;
  const int upper_rows = kOperand == MmaOperand::kWide ? first_bit : second_bit;
  const int upper_depth = kOperand == MmaOperand::kWide ? second_bit : first_bit;
  if constexpr (Tile::kDepthContiguous) {
    return Tile::offset(row + upper_rows * 8 + within, k / kChunkElements + upper_depth);
  } else {
    return Tile::offset(k + upper_depth * 8 + within, row / kChunkElements + upper_rows);
  }
}

// From a lane's address for block (r, k) = (first row of the warp, 0), that of block (r + row, k) in one XOR and one
// constant: address = (address ^ block_flip) + block_advance. Holds for row and k multiples of 16, a row inside the
// warp's aligned, power-of-two share, and a tile that starts on a multiple of 128 bytes.
template <class Tile>
__host__ __device__ constexpr int block_flip(int row, int k) {
  return (Tile::kDepthContiguous ? k : row) * 2 & (kWaveBytes - 1);
}

template <class Tile>
__host__ __device__ constexpr int block_advance(int row, int k) {
  const int along = (Tile::kDepthContiguous ? k : row) * 2 & ~(kWaveBytes - 1);
  return along + (Tile::kDepthContiguous ? row : k) * Tile::kLineBytes;
}

// Place of a lane's accumulator register (0 to 3) in a 16 (n) x 8 (m) result. Registers 2i and 2i + 1 are neighbours
// in m.
__host__ __device__ constexpr int accumulator_n(int lane, int index) { return lane / 4 + 8 * (index / 2); }
__host__ __device__ constexpr int accumulator_m(int lane, int index) { return lane % 4 * 2 + index % 2; }

}  // namespace fastgemm
