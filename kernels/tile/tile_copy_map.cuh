// Which parts of an operand's tile each thread of a block copies, and where to. Plain constexpr maps.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/tile/swizzle.cuh"

namespace fastgemm {

// Units of kUnit elements, 8 or 2. In each of kPasses passes neighbouring threads take neighbouring units of a line, as
// many lines as there are threads for; the next pass takes the lines after these.
template <class Tile, int kThreads, int kUnit>
struct TileCopyMap {
  static constexpr int kUnitsPerLine = Tile::kLineElements / kUnit;
  static constexpr int kLinesPerPass = kThreads / kUnitsPerLine;
  static constexpr int kPasses = Tile::kLines / kLinesPerPass;
  static_assert(kLinesPerPass * kUnitsPerLine == kThreads, "every thread copies in every pass");
  static_assert(kPasses * kLinesPerPass == Tile::kLines, "passes cover the tile");
  static_assert((kLinesPerPass & (kLinesPerPass - 1)) == 0, "phases of the passes are XORed");

  // A thread's unit in the first pass: its line, and its first element in that line.
  static __host__ __device__ constexpr int line(int thread) { return thread / kUnitsPerLine; }
  static __host__ __device__ constexpr int element(int thread) { return thread % kUnitsPerLine * kUnit; }

  // Byte offset of that unit in shared memory.
  static __host__ __device__ constexpr int target(int thread) {
    return Tile::offset(line(thread), element(thread) / kChunkElements) + element(thread) % kChunkElements * 2;
  }

  // From there to the unit of a later pass: (target ^ pass_flip) + pass_advance.
  static __host__ __device__ constexpr int pass_flip(int pass) {
    return Tile::phase(pass * kLinesPerPass) * kChunkBytes;
  }
  static __host__ __device__ constexpr int pass_advance(int pass) { return pass * kLinesPerPass * Tile::kLineBytes; }
};

}  // namespace fastgemm
