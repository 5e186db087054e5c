// Which lane holds what in the warp-wide matrix instructions, as plain constexpr maps. PTX ISA, "Matrix fragments for
// mma.m16n8k16 with floating point type" and "ldmatrix".
//
// A warp computes its part of D transposed: the rows of mma run along n (16 each, from B), its columns along m (8 each,
// from A). So the two neighbours that a lane holds are neighbours in a column of D.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/tile/swizzle.cuh"

namespace fastgemm {

// Both operands are fetched in blocks of 16 rows x 16 of k by one ldmatrix.x4. Its register i holds the 8x8 matrix with
// rows 8 * (i % 2) and k 8 * (i / 2): as the 16x16 operand of mma it is {0, 1, 2, 3}; as the 8-wide operand the first
// eight rows are {0, 2}, the next eight {1, 3}.
inline constexpr int kBlockRows = 16;
inline constexpr int kBlockDepth = 16;

// Byte offset in Tile of the 16 bytes whose address `lane` gives for the block at (row, k). Where the rows are
// contiguous the matrices are stored transposed, and ldmatrix transposes them back.
template <class Tile>
__host__ __device__ constexpr int block_offset(int row, int k, int lane) {
  const int within = lane & 7;
  const int second_rows = (lane >> 3) & 1;
  const int second_depth = lane >> 4;
  if constexpr (Tile::kDepthContiguous) {
    return Tile::offset(row + second_rows * 8 + within, k / kChunkElements + second_depth);
  } else {
    return Tile::offset(k + second_depth * 8 + within, row / kChunkElements + second_rows);
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

// Place of a lane's accumulator register (0 to 3) in a 16 (n) x 8 (m) result. Registers 2i and 2i + 1 are neighbours in m.
__host__ __device__ constexpr int accumulator_n(int lane, int index) { return lane / 4 + 8 * (index / 2); }
__host__ __device__ constexpr int accumulator_m(int lane, int index) { return lane % 4 * 2 + index % 2; }

}  // namespace fastgemm
