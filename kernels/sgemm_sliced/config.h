// Compile-time shape of the sliced FFMA SGEMM kernels for Hopper: small tiles whose k is shared out to slices of a
// block, so that also a tile of 2048 elements keeps four warps multiplying 8 x 8 elements a thread.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "kernels/tile/thread_tile_map.cuh"

namespace fastgemm::sliced {

inline constexpr int kTileK = 32;   // 128 bytes of a k-contiguous row, which is what a 128-byte swizzle spans
inline constexpr int kChunkK = 4;   // of k that a thread multiplies from registers: a vector of a k-contiguous row
inline constexpr int kChunks = kTileK / kChunkK;
inline constexpr int kThreads = 128;
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kThreadTile = 8;  // a thread's elements along either side
inline constexpr int kVectors = kThreadTile * kChunkK / 4;  // of an operand in a chunk, a thread
inline constexpr int kStepBytes = kTileK * 4;  // of one element of m or n in a stage
inline constexpr int kSwizzleAlignment = 1024;
inline constexpr int kRun = 8;  // rows of D that a thread stores together

enum class Along { kSide, kDepth };  // which way the columns of a stored operand run: along m or n, or along k

// An operand's part of a tile: kSize elements along its side, which kLanes lanes of a warp read.
template <Along kAlongValue, int kSizeValue, int kLanesValue>
struct Side {
  static constexpr Along kAlong = kAlongValue;
  static constexpr int kSize = kSizeValue;
  static constexpr int kLanes = kLanesValue;
  static constexpr int kWidth = kLanes * kThreadTile;  // of a warp
  static constexpr int kWarps = kSize / kWidth;        // along this side
  static constexpr int kStageBytes = kSize * kStepBytes;
  static_assert(kWidth * kWarps == kSize && kStageBytes % kSwizzleAlignment == 0, "warps cover the side");
  static_assert(kSize <= 256, "one copy brings it");
  using Axis = std::conditional_t<kAlong == Along::kDepth, StridedTileAxis<kThreadTile, kLanes>,
                                  ThreadTileAxis<kThreadTile, kLanes>>;

  // Bytes from the operand's stage to vector 0 of chunk 0 of a lane. Stored along k a stage is rows of 128 bytes with
  // the 128-byte swizzle and a vector is four of k of one element; else it is (kTileK, kSize), and a vector is four
  // elements of one k.
  __host__ __device__ static constexpr int first_offset(int warp, int lane) {
    if (kAlong == Along::kSide) return (warp * kWidth + lane * 4) * 4;
    return (warp * kWidth + lane) * kStepBytes + lane % 8 * 16;
  }

  // `chunk` of the address of a stage's chunk 0.
  template <class Address>
  __host__ __device__ static constexpr Address chunk_address(Address s_first, int chunk) {
    return kAlong == Along::kSide ? s_first + chunk * (kChunkK * kSize * 4) : s_first ^ static_cast<Address>(chunk * 16);
  }

  // Vector `vector` of the chunk whose vector 0 is at `s_chunk`.
  template <class Address>
  __host__ __device__ static constexpr Address vector_address(Address s_chunk, int vector) {
    if (kAlong == Along::kSide) return s_chunk + vector / 2 * (kSize * 4) + vector % 2 * (kLanes * 16);
    return (s_chunk ^ static_cast<Address>(vector * kLanes % 8 * 16)) + vector * kLanes * kStepBytes;
  }

  // Where element `element` at `depth` stands among a chunk's vectors.
  __host__ __device__ static constexpr int vector_of(int element, int depth) {
    return kAlong == Along::kSide ? depth * 2 + element / 4 : element;
  }
  __host__ __device__ static constexpr int place_of(int element, int depth) {
    return kAlong == Along::kSide ? element % 4 : depth;
  }
};

template <int kTileMValue, int kTileNValue, Along kAlongA, Along kAlongB>
struct Config {
  static constexpr int kTileM = kTileMValue;
  static constexpr int kTileN = kTileNValue;

  // Lanes as near to a square as the tile lets them be: they read (lanes m + lanes n) vectors.
  static constexpr int kFewer = (kTileM < kTileN ? kTileM : kTileN) / kThreadTile;
  static constexpr int kLanesShort = kFewer < 4 ? kFewer : 4;
  static constexpr int kLanesM = kTileM <= kTileN ? kLanesShort : 32 / kLanesShort;
  static constexpr int kLanesN = 32 / kLanesM;
  using SideA = Side<kAlongA, kTileM, kLanesM>;
  using SideB = Side<kAlongB, kTileN, kLanesN>;

  static constexpr int kWarpsOfTile = SideA::kWarps * SideB::kWarps;
  static constexpr int kSlices = kWarps / kWarpsOfTile;
  static constexpr int kChunksOfSlice = kChunks / kSlices;
  static_assert(kSlices * kWarpsOfTile == kWarps && kChunksOfSlice >= 1, "slices share out the chunks of a stage");

  // Three blocks an SM where shared memory lets them have three stages each.
  static constexpr int kStageBytes = SideA::kStageBytes + SideB::kStageBytes;
  static constexpr int kStages = kStageBytes <= 18432 ? 4 : 3;
  static constexpr int kBlocksPerSm = kStageBytes <= 24576 ? 3 : 2;

  // Shared memory: the ring of stages, a barrier "full" and one "empty" a stage, a word. In the end the sums of the
  // slices take the ring's place: (slice, n, m), rows longer by four so that rows fall into different banks.
  static constexpr int kBarrierOffset = kStages * kStageBytes;
  static constexpr int kWordOffset = kBarrierOffset + 2 * kStages * 8;
  static constexpr std::int64_t kSharedBytes = kWordOffset + 16 + kSwizzleAlignment;
  static constexpr int kSumPitch = (kTileM + 4) * 4;
  static constexpr int kSliceBytes = kTileN * kSumPitch;
  static_assert(kSlices * kSliceBytes <= kBarrierOffset, "sums have room");

  static constexpr int kElements = kTileM * kTileN / kThreads;  // of D, a thread, in runs of kRun rows
  static constexpr int kRuns = kElements / kRun;
  static_assert(kRuns * kRun == kElements && kTileM % kRun == 0, "whole runs");
};

}  // namespace fastgemm::sliced
