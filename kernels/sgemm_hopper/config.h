// Compile-time shape of the Hopper FFMA SGEMM kernels, and where operands lie in shared memory.
//
// A tile is 256 elements of the "wide" operand by 128 of the "narrow" one. Unmirrored, wide is A (along m) and narrow
// is B (along n); mirrored, they change places. In device memory each is contiguous along its own axis or along k. The
// loop reads the wide operand along its axis: one that lies along k is turned in shared memory, a k block ahead.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "kernels/tile/thread_tile_map.cuh"

namespace fastgemm::hopper {

inline constexpr int kTileWide = 256;
inline constexpr int kTileNarrow = 128;
inline constexpr int kTileK = 32;  // 128 bytes of a k-contiguous row, which is what a 128-byte swizzle spans
inline constexpr int kThreads = 256;
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kWarpsWide = 4;
inline constexpr int kWarpsNarrow = 2;
inline constexpr int kThreadWide = 16;
inline constexpr int kThreadNarrow = 8;
inline constexpr int kLanesWide = 4;
inline constexpr int kLanesNarrow = 8;
inline constexpr int kUnrolledSteps = 8;  // 17 KB of code; twice as much costs 5 % on an H200 (CUDA 13.0)
inline constexpr int kRasterGroup = 16;   // tiles of the wide axis that the raster walks before one of the narrow axis
static_assert(kWarpsWide * kLanesWide * kThreadWide == kTileWide, "threads cover the tile");
static_assert(kWarpsNarrow * kLanesNarrow * kThreadNarrow == kTileNarrow, "threads cover the tile");

// A block works through at most so many tiles: its table of them lies in shared memory.
inline constexpr int kMaxSegments = 1024;

// Shared memory of a stage: the wide operand as (kTileK, extent), then the narrow one, the same or as (extent, kTileK)
// with the 128-byte swizzle where it is k-contiguous.
inline constexpr int kWideStepBytes = kTileWide * 4;
inline constexpr int kNarrowStepBytes = kTileNarrow * 4;
inline constexpr int kRowBytes = kTileK * 4;  // k-contiguous
inline constexpr int kStageBytesWide = kTileK * kWideStepBytes;
inline constexpr int kStageBytes = kStageBytesWide + kTileK * kNarrowStepBytes;
inline constexpr int kSwizzleAlignment = 1024;
static_assert(kRowBytes == 128, "a row fills one swizzle span");

// Where the 16-byte chunk `chunk` of a k-contiguous row lies.
__host__ __device__ constexpr int chunk_offset(int row, int chunk) {
  return row * kRowBytes + ((chunk ^ row % 8) * 16);
}

// Where vector `vector` (four elements) of a lane's wide fragment lies in a step's row of the stage.
__host__ __device__ constexpr int wide_offset(int warp_wide, int lane_wide, int vector) {
  using Axis = ThreadTileAxis<kThreadWide, kLanesWide>;
  return (warp_wide * Axis::kWidth + Axis::position(lane_wide, 4 * vector)) * 4;
}

// The same for a narrow fragment that is contiguous along its axis.
__host__ __device__ constexpr int narrow_offset(int warp_narrow, int lane_narrow, int vector) {
  using Axis = ThreadTileAxis<kThreadNarrow, kLanesNarrow>;
  return (warp_narrow * Axis::kWidth + Axis::position(lane_narrow, 4 * vector)) * 4;
}

// k-contiguous: which row of the tile is element `index` of a lane's fragment. The eight rows that a warp reads at once
// have eight different swizzle phases.
__host__ __device__ constexpr int narrow_row(int warp_narrow, int lane_narrow, int index) {
  using Axis = StridedTileAxis<kThreadNarrow, kLanesNarrow>;
  return warp_narrow * Axis::kWidth + Axis::position(lane_narrow, index);
}

// A wide operand that lies along k arrives as rows of kTileK. Turned, four rows have become kTileK vectors of four, whose
// places keep vectors that lanes read or write at once in different banks.
inline constexpr int kChunkK = 4;                      // of k
inline constexpr int kGroupBytes = 4 * kRowBytes;      // four rows
inline constexpr int kGroups = kTileWide / 4;          // of rows
inline constexpr int kTurnedStepBytes = kRowBytes;     // from one k to the next of a chunk
inline constexpr int kTurnedVectorBytes = kLanesWide * kGroupBytes;

// Where the four elements of a group lie at `depth` of k.
__host__ __device__ constexpr int turned_offset(int group, int depth) {
  return group * kGroupBytes + depth % kChunkK * kTurnedStepBytes + ((depth / kChunkK) ^ (group % kLanesWide)) * 16;
}

// From the address of a lane's chunk 0 in a turned operand that of chunk `chunk`.
template <class Address>
__host__ __device__ constexpr Address turned_chunk(Address s_first, int chunk) {
  return s_first ^ static_cast<Address>(chunk * 16);
}

// Which operand is wide, how the narrow one lies, and whether the wide one has to be turned.
template <bool kMirroredValue, bool kNarrowDepthContiguousValue, bool kTurnsValue = false>
struct Config {
  static constexpr bool kMirrored = kMirroredValue;
  static constexpr bool kTurns = kTurnsValue;
  static constexpr bool kNarrowDepthContiguous = kNarrowDepthContiguousValue;
  static constexpr int kTileM = kMirrored ? kTileNarrow : kTileWide;
  static constexpr int kTileN = kMirrored ? kTileWide : kTileNarrow;
  static constexpr int kStages = 4;  // as many as shared memory holds
  static_assert(kStages >= 3, "one is multiplied, the next has landed before that ends, another is filled");

  // Shared memory: the ring of stages, barriers "full", "empty" and "turned" a stage, a word (this block's share number,
  // later whether it was the last of a tile's parts), and the segment table.
  static constexpr int kBarrierOffset = kStages * kStageBytes;
  static constexpr int kWordOffset = kBarrierOffset + 128;
  static constexpr int kTableOffset = kWordOffset + 16;
  static constexpr std::int64_t kSharedBytes = kTableOffset + (kMaxSegments + 1) * 16 + kSwizzleAlignment;
  static_assert(3 * kStages * 8 <= 128, "barriers have room");
  static_assert(kSharedBytes <= 232448, "what a block can have on Hopper");

  // The thread tile in D.
  using AxisWide = ThreadTileAxis<kThreadWide, kLanesWide>;
  using AxisNarrow = std::conditional_t<kNarrowDepthContiguous, StridedTileAxis<kThreadNarrow, kLanesNarrow>,
                                        ThreadTileAxis<kThreadNarrow, kLanesNarrow>>;
  using AxisM = std::conditional_t<kMirrored, AxisNarrow, AxisWide>;
  using AxisN = std::conditional_t<kMirrored, AxisWide, AxisNarrow>;
  static constexpr int kThreadM = kMirrored ? kThreadNarrow : kThreadWide;
  static constexpr int kThreadN = kMirrored ? kThreadWide : kThreadNarrow;
};

}  // namespace fastgemm::hopper
