// Compile-time shape of the sliced FFMA SGEMM kernels for Hopper: small tiles whose k is shared out to slices of a
// block, so that also a tile of 2048 elements keeps four warps busy with 8 x 8 elements a thread.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "kernels/tile/thread_tile_map.cuh"

namespace fastgemm::sliced {

inline constexpr int kTileK = 32;   // 128 bytes of a k-contiguous row, which is what a 128-byte swizzle spans
inline constexpr int kChunkK = 4;   // of k that a thread multiplies in a go: a vector of a k-contiguous row
inline constexpr int kChunks = kTileK / kChunkK;
inline constexpr int kThreads = 128;
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kThreadHeld = 8;  // a thread's elements of the held operand, see mainloop.cuh
inline constexpr int kRowBytes = kTileK * 4;
inline constexpr int kSwizzleAlignment = 1024;
inline constexpr int kRun = 8;  // rows of D that a thread stores together

// How an operand comes to a stage, and how it lies there:
enum class Source {
  kSide,   // stored along m or n: by bulk copies, as (kTileK, size)
  kDepth,  // stored along k: by bulk copies, as rows of kTileK with the 128-byte swizzle
  kCopied  // either, columns anywhere: by copies of an element each, as (kTileK, size), rows four elements longer
};

// An operand's part of a tile: kSize elements along its side, kThread of them a thread, read by kLanes lanes of a warp.
template <Source kSourceValue, int kSizeValue, int kThreadValue, int kLanesValue>
struct Side {
  static constexpr Source kSource = kSourceValue;
  static constexpr int kSize = kSizeValue;
  static constexpr int kThread = kThreadValue;
  static constexpr int kLanes = kLanesValue;
  static constexpr bool kAlongDepth = kSource == Source::kDepth;
  static constexpr int kWidth = kLanes * kThread;  // of a warp
  static constexpr int kWarps = kSize / kWidth;    // along this side
  static constexpr int kPitch = (kSize + (kSource == Source::kCopied ? 4 : 0)) * 4;  // from one k to the next
  static constexpr int kBytes = kTileK * kPitch;
  static_assert(kWidth * kWarps == kSize, "warps cover the side");
  static_assert(kSize <= 256, "one bulk copy brings it");
  using Axis = std::conditional_t<kAlongDepth, StridedTileAxis<kThread, kLanes>, ThreadTileAxis<kThread, kLanes>>;

  // Bytes from the operand's stage to vector 0 of chunk 0 of a lane. A vector is four of k of one element where the
  // stage lies along k, else four elements of one k.
  __host__ __device__ static constexpr int first_offset(int warp, int lane) {
    if (!kAlongDepth) return (warp * kWidth + lane * 4) * 4;
    return (warp * kWidth + lane) * kRowBytes + lane % 8 * 16;
  }

  // From the address of a stage's chunk 0 that of chunk `chunk`.
  template <class Address>
  __host__ __device__ static constexpr Address chunk_address(Address s_first, int chunk) {
    return kAlongDepth ? s_first ^ static_cast<Address>(chunk * 16) : s_first + chunk * (kChunkK * kPitch);
  }

  // Vector `vector` of element row `depth` of the chunk at `s_chunk`.
  template <class Address>
  __host__ __device__ static constexpr Address side_vector(Address s_chunk, int depth, int vector) {
    return s_chunk + depth * kPitch + vector * (kLanes * 16);
  }

  // The four of k of element `element` of a chunk that lies along k.
  template <class Address>
  __host__ __device__ static constexpr Address depth_vector(Address s_chunk, int element) {
    return (s_chunk ^ static_cast<Address>(element * kLanes % 8 * 16)) + element * kLanes * kRowBytes;
  }
};

// Lanes along the streamed operand's side: four by eight, or what the tile's sides allow.
constexpr int streamed_lanes(int streamed, int held, int thread_streamed) {
  const int most_held = held / kThreadHeld;
  const int lanes = most_held < 8 ? 32 / most_held : 4;
  const int most = streamed / thread_streamed;
  return lanes < most ? lanes : most;
}

template <int kTileMValue, int kTileNValue, Source kSourceA, Source kSourceB>
struct Config {
  static constexpr int kTileM = kTileMValue;
  static constexpr int kTileN = kTileNValue;

  // The streamed operand is one whose registers hold neighbours along its side.
  static constexpr bool kStreamsA = kSourceA != Source::kDepth;
  static_assert(kStreamsA || kSourceB != Source::kDepth, "one operand lies along its side");
  static constexpr int kTileStreamed = kStreamsA ? kTileM : kTileN;
  static constexpr int kTileHeld = kStreamsA ? kTileN : kTileM;

  // 16 x 8 elements a thread, which load 6 vectors for 128 products, where a warp does not become larger than the tile
  // by that; else 8 x 8, with 4 vectors for 64.
  static constexpr int kThreadStreamed = kTileM * kTileN >= 4096 ? 16 : 8;
  static constexpr int kLanesStreamed = streamed_lanes(kTileStreamed, kTileHeld, kThreadStreamed);
  static constexpr int kLanesHeld = 32 / kLanesStreamed;
  using Streamed = Side<kStreamsA ? kSourceA : kSourceB, kTileStreamed, kThreadStreamed, kLanesStreamed>;
  using Held = Side<kStreamsA ? kSourceB : kSourceA, kTileHeld, kThreadHeld, kLanesHeld>;
  using SideA = std::conditional_t<kStreamsA, Streamed, Held>;
  using SideB = std::conditional_t<kStreamsA, Held, Streamed>;

  static constexpr int kWarpsOfTile = Streamed::kWarps * Held::kWarps;
  static constexpr int kSlices = kWarps / kWarpsOfTile;
  static constexpr int kChunksOfSlice = kChunks / kSlices;
  static_assert(kSlices * kWarpsOfTile == kWarps && kChunksOfSlice % 2 == 0, "slices share out the chunks of a stage");

  // A stage: the operand of bulk copies first, since these want aligned addresses.
  static constexpr bool kCopiesA = kSourceA == Source::kCopied;
  static constexpr bool kCopiesB = kSourceB == Source::kCopied;
  static constexpr int kOffsetA = kCopiesA ? SideB::kBytes : 0;
  static constexpr int kOffsetB = kCopiesA ? 0 : SideA::kBytes;
  static constexpr int kBulkBytes = (kCopiesA ? 0 : SideA::kBytes) + (kCopiesB ? 0 : SideB::kBytes);
  static constexpr int kStageBytes =
      (SideA::kBytes + SideB::kBytes + kSwizzleAlignment - 1) / kSwizzleAlignment * kSwizzleAlignment;

  // As many blocks an SM as registers allow, as many stages as shared memory then holds.
  static constexpr int kBlocksPerSm = kThreadStreamed == 8 && kStageBytes <= 24 * 1024 ? 3 : 2;
  static constexpr int kRoom = (kBlocksPerSm == 3 ? 75 : 112) * 1024 - 2048;
  static constexpr int kFitting = kRoom / kStageBytes;
  static constexpr int kStages = kFitting < 6 ? kFitting : 6;
  static_assert(kStages >= 2, "the next one has landed before the present one is done with");

  // Shared memory: the ring of stages, a barrier "full" a stage, a word. In the end the sums of the
  // slices take the ring's place: (slice, n, m), rows longer by four so that rows fall into different banks.
  static constexpr int kBarrierOffset = kStages * kStageBytes;
  static constexpr int kWordOffset = kBarrierOffset + (kStages + 1) / 2 * 16;
  static constexpr std::int64_t kSharedBytes = kWordOffset + 16 + kSwizzleAlignment;
  static constexpr int kSumPitch = (kTileM + 4) * 4;
  static constexpr int kSliceBytes = kTileN * kSumPitch;
  static_assert(kSlices * kSliceBytes <= kBarrierOffset, "sums have room");

  static constexpr int kElements = kTileM * kTileN / kThreads;  // of D, a thread, in runs of kRun rows
  static constexpr int kRuns = kElements / kRun;
  static_assert(kRuns * kRun == kElements && kTileM % kRun == 0, "whole runs");
};

}  // namespace fastgemm::sliced
