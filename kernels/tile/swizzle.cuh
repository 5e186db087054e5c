// How a tile of FP16 operand lies in shared memory: as it lies in device memory, line by line, with the 16-byte chunks
// of each line permuted so that neither the copies into it nor ldmatrix meet a bank twice. Plain constexpr maps; the
// host tests count the conflicts. The XOR permutation is the one of CUTLASS's "tensor op multiplicand" layouts.
#pragma once

#include <cuda_runtime_api.h>

namespace fastgemm {

inline constexpr int kChunkBytes = 16;    // what one row of an 8x8 ldmatrix matrix holds
inline constexpr int kChunkElements = 8;  // FP16
inline constexpr int kWaveBytes = 128;    // all 32 banks once

// A tile (rows, depth) of an operand: rows run along m for A and along n for B, depth along k. Lines are the runs that
// are contiguous in device memory: along k when kDepthContiguous, else along the rows.
template <int kRowsValue, int kDepthValue, bool kDepthContiguousValue, bool kSwizzleValue>
struct OperandTile {
  static constexpr int kRows = kRowsValue;
  static constexpr int kDepth = kDepthValue;
  static constexpr bool kDepthContiguous = kDepthContiguousValue;
  static constexpr bool kSwizzle = kSwizzleValue;
  static constexpr int kLines = kDepthContiguous ? kRows : kDepth;
  static constexpr int kLineElements = kDepthContiguous ? kDepth : kRows;
  static constexpr int kLineBytes = kLineElements * 2;
  static constexpr int kChunksPerLine = kLineBytes / kChunkBytes;
  static constexpr int kBytes = kLines * kLineBytes;
  static_assert((kChunksPerLine & (kChunksPerLine - 1)) == 0, "phases are XORed into the chunk number");
  static_assert(kBytes % kWaveBytes == 0, "stages follow each other and must start on bank 0");

  // Short lines share one wave of the banks; those that do need no different phase.
  static constexpr int kLinesPerWave = kLineBytes < kWaveBytes ? kWaveBytes / kLineBytes : 1;
  static constexpr int kPhases = kChunksPerLine < 8 ? kChunksPerLine : 8;

  // What is XORed into the chunk numbers of a line. A selection of bits, so phase(a ^ b) == phase(a) ^ phase(b).
  static __host__ __device__ constexpr int phase(int line) {
    return kSwizzle ? (line / kLinesPerWave) & (kPhases - 1) : 0;
  }

  // Byte offset of a chunk in the tile.
  static __host__ __device__ constexpr int offset(int line, int chunk) {
    return line * kLineBytes + (chunk ^ phase(line)) * kChunkBytes;
  }
};

// A warp's strip of accumulators on its way from fragments to whole columns of D: kColumns columns of kRows floats,
// each padded by 32 bytes, with neighbouring 16-byte chunks exchanged in every other group. Writes of two floats a lane
// in fragment layout, reads of 16 bytes a lane with 32 bytes between lanes, and reads of one float a lane are all free
// of bank conflicts.
template <int kRowsValue>
struct EpilogueStrip {
  static constexpr int kRows = kRowsValue;
  static constexpr int kColumns = 16;
  static constexpr int kColumnBytes = (kRows + 8) * 4;
  static constexpr int kBytes = kColumns * kColumnBytes;
  static_assert(kRows % 32 == 0, "a warp reads whole columns");

  // Byte offset of element (row, column).
  static __host__ __device__ constexpr int offset(int row, int column) {
    const int chunk = row / 4;
    const int exchanged = chunk ^ (((chunk / 8) ^ column) & 1);
    return column * kColumnBytes + exchanged * kChunkBytes + (row & 3) * 4;
  }
};

}  // namespace fastgemm
