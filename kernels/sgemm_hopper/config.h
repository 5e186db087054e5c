// Compile-time shape of the Hopper FFMA SGEMM kernels, and where operands lie in shared memory.
//
// A warp multiplies 64 elements of the "wide" operand by 64 of the "narrow" one; a block's warps lie side by side along
// both. An SM holds eight warps, which is what their accumulators leave room for: one large block, or several small
// ones. Unmirrored, wide is A (along m) and narrow is B (along n); mirrored, they change places. The wide operand is
// contiguous along its own axis in device memory; the narrow one is, or along k.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "kernels/tile/thread_tile_map.cuh"

namespace fastgemm::hopper {

inline constexpr int kThreadWide = 16;
inline constexpr int kThreadNarrow = 8;
inline constexpr int kLanesWide = 4;
inline constexpr int kLanesNarrow = 8;
inline constexpr int kWarpWide = kLanesWide * kThreadWide;
inline constexpr int kWarpNarrow = kLanesNarrow * kThreadNarrow;
inline constexpr int kWarpsOfSm = 8;
inline constexpr int kUnrolledSteps = 8;  // 17 KB of code; twice as much costs 5 % on an H200 (CUDA 13.0)
inline constexpr int kRasterGroup = 16;   // tiles of the wide axis that the raster walks before one of the narrow axis

// Shared memory of a stage: the wide operand as (tile k, extent), then the narrow one, the same or, where it is
// k-contiguous, as (extent, tile k) with the swizzle that spans a row, of 64 or 128 bytes.
inline constexpr int kSwizzleAlignment = 1024;
inline constexpr int kSwizzleRows = 8;  // rows that far apart have the same phase, with either swizzle

// Where the 16-byte chunk `chunk` of a k-contiguous row lies.
template <int kRowBytes>
__host__ __device__ constexpr int chunk_offset(int row, int chunk) {
  static_assert(kRowBytes == 64 || kRowBytes == 128, "a row fills a swizzle span");
  constexpr int kChunks = kRowBytes / 16;
  return row * kRowBytes + ((chunk ^ row / (kSwizzleRows / kChunks) % kChunks) * 16);
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

// A block of kWarpsWide x kWarpsNarrow warps with a ring of kStages stages, each of kTileK steps of k. A block that has
// an SM to itself works through a share of the tiles; smaller ones take one tile each, or a part of its k.
template <int kWarpsWideValue, int kWarpsNarrowValue, int kTileKValue, int kStagesValue>
struct Shape {
  static constexpr int kWarpsWide = kWarpsWideValue;
  static constexpr int kWarpsNarrow = kWarpsNarrowValue;
  static constexpr int kWarps = kWarpsWide * kWarpsNarrow;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kBlocksPerSm = kWarpsOfSm / kWarps;
  static constexpr int kTileWide = kWarpsWide * kWarpWide;
  static constexpr int kTileNarrow = kWarpsNarrow * kWarpNarrow;
  static constexpr int kTileK = kTileKValue;
  static constexpr int kStages = kStagesValue;
  static_assert(kTileK % kUnrolledSteps == 0, "whole loop bodies");
  static_assert(kStages >= 3, "one is multiplied, the next is there before that ends, another is filled");
  static constexpr bool kShares = kBlocksPerSm == 1;
  static_assert(kBlocksPerSm * kWarps == kWarpsOfSm, "blocks fill an SM");

  // A block works through at most so many tiles: its table of them lies in shared memory.
  static constexpr int kMaxSegments = kShares ? 1024 : 1;

  static constexpr int kRowBytes = kTileK * 4;  // k-contiguous
  static constexpr int kWideStepBytes = kTileWide * 4;
  static constexpr int kNarrowStepBytes = kTileNarrow * 4;
  static constexpr int kStageBytesWide = kTileK * kWideStepBytes;
  static constexpr int kStageBytes = kStageBytesWide + kTileK * kNarrowStepBytes;

  // Shared memory: the ring of stages, a barrier "full" and one "empty" a stage, this block's share number, and the
  // segment table.
  static constexpr int kBarrierOffset = kStages * kStageBytes;
  static constexpr int kShareNumberOffset = kBarrierOffset + 128;
  static constexpr int kTableOffset = kShareNumberOffset + 16;
  static constexpr std::int64_t kSharedBytes = kTableOffset + (kMaxSegments + 1) * 16 + kSwizzleAlignment;
  static_assert(2 * kStages * 8 <= 128, "barriers have room");
  static_assert(kSharedBytes <= 232448, "what a block can have on Hopper");
  static_assert(kBlocksPerSm * (kSharedBytes + 1024) <= 233472, "what an SM has, 1 KB of it reserved for each block");
};

// Which operand is wide, and how the narrow one lies.
template <class ShapeType, bool kMirroredValue, bool kNarrowDepthContiguousValue>
struct Config : ShapeType {
  static constexpr bool kMirrored = kMirroredValue;
  static constexpr bool kNarrowDepthContiguous = kNarrowDepthContiguousValue;
  static constexpr int kTileM = kMirrored ? ShapeType::kTileNarrow : ShapeType::kTileWide;
  static constexpr int kTileN = kMirrored ? ShapeType::kTileWide : ShapeType::kTileNarrow;

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
