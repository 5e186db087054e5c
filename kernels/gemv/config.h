// Compile-time shape of a GEMV kernel: D has a long side, of any length, and a short one of at most kShort elements.
// The operand with the long side is read once, from device memory; the other one, k x kShort, from shared memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm::gemv {

// Which way the long operand's columns run.
enum class Stored { kAlongLong, kAlongDepth };

// The threads of a block lie along the long side in groups of kBlock elements, and along k in slices of kBlock: in a
// step every thread multiplies a block of 4 (long) x 4 (k).
inline constexpr int kBlock = 4;

// 256 threads, 16 groups: of 128 and 256 threads and 4 to 32 groups the best, or near it, at all of eleven shapes on
// one H200 (CUDA 13.0, L2 flushed): 4096 x 4 x 4096 FP32 23.8 us, where 128 threads took 26.4; 4096 x 1 x 14336 TN FP16
// 37.1 and 40.6.
inline constexpr int kThreads = 256;
inline constexpr int kGroups = 16;
inline constexpr int kSlices = kThreads / kGroups;
inline constexpr int kTileLong = kGroups * kBlock;
inline constexpr int kStepDepth = kSlices * kBlock;

template <DataType kTypeValue, int kShortValue, Stored kStoredValue, bool kWideValue>
struct Config {
  static constexpr DataType kType = kTypeValue;
  static constexpr int kShort = kShortValue;
  static constexpr Stored kStored = kStoredValue;
  static constexpr bool kWide = kWideValue;  // four elements a load, aligned to their size; else one
  static constexpr bool kAlongDepth = kStored == Stored::kAlongDepth;

  // Steps whose loads are under way together, as many as registers allow. Loading a group while another is multiplied
  // takes the same registers and gained nothing (one H200, 4096 x 1 and 8 x 4096).
  static constexpr int kUnroll = kWide && kShort <= (kType == DataType::kFloat16 ? 2 : 1) ? 4 : 2;
  static constexpr int kGroupDepth = kUnroll * kStepDepth;
  static constexpr int kBlocksPerSm = 2;

  // The short operand comes to shared memory in chunks of k, as FP32: (step, short, slice, 4 of k), so that the lanes
  // of a warp read whole lines. The sums of the slices come there later: (slice, short, long), slices kSlicePitch apart
  // so that eight of them fall into different banks.
  static constexpr int kChunkDepth = kShort <= 4 ? 256 : kGroupDepth;  // all in one round of loads
  static constexpr int kChunkBytes = kChunkDepth * kShort * 4;
  static constexpr int kSlicePitch = (kShort * kTileLong + 4) * 4;  // bytes
  static constexpr int kSumBytes = kSlices * kSlicePitch;
  static constexpr int kSharedBytes = kChunkBytes > kSumBytes ? kChunkBytes : kSumBytes;

  // The threads that hold the tile's sums in the end, four neighbours along the long side each.
  static constexpr int kVectors = kGroups * kShort;
  static constexpr int kHolders = kVectors < 32 ? 32 : kVectors;
  static_assert(kHolders <= kThreads, "a vector a thread");
  static_assert(kChunkDepth % kGroupDepth == 0, "chunks are whole groups of steps");
};

// Where a thread works: lanes lie along the way in which the long operand is stored.
struct ThreadPlace {
  int group = 0;  // of kGroups along the long side
  int slice = 0;  // of kSlices along k
};

template <class Config>
__host__ __device__ constexpr ThreadPlace thread_place(int thread) {
  if (!Config::kAlongDepth) return {thread % kGroups, thread / kGroups};
  return {thread / kSlices, thread % kSlices};
}

// Offset in the tile of element `index` of a group along the long side, and in a step of element `index` of a slice
// along k. Four neighbours where they are loaded together or apart in memory anyway; else lanes are neighbours.
template <class Config>
__host__ __device__ constexpr int long_offset(int group, int index) {
  return Config::kWide || Config::kAlongDepth ? group * kBlock + index : group + index * kGroups;
}

template <class Config>
__host__ __device__ constexpr int depth_offset(int slice, int index) {
  if (Config::kWide || !Config::kAlongDepth) return slice * kBlock + index;
  return slice + index * kSlices;
}

// The inverse: where k `depth` of a step stands among the slices.
struct SlicePlace {
  int slice = 0;
  int index = 0;
};

template <class Config>
__host__ __device__ constexpr SlicePlace slice_place(int depth) {
  if (Config::kWide || !Config::kAlongDepth) return {depth / kBlock, depth % kBlock};
  return {depth % kSlices, depth / kSlices};
}

}  // namespace fastgemm::gemv
