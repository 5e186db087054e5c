// Compile-time shape of the sliced HGEMM kernels for Hopper: small tiles, few warps, each of which multiplies its slice
// of the k of every stage, so that no two read the same elements from shared memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/contract.h"
#include "kernels/epilogue/epilogues.h"
#include "kernels/tile/mma_fragments.cuh"
#include "kernels/tile/swizzle.cuh"

namespace fastgemm::hgemm_sliced {

inline constexpr int kWarps = 4;
inline constexpr int kThreads = kWarps * 32;
inline constexpr int kBoxK = 64;  // 128 bytes of a row along k, which is what a swizzle spans
inline constexpr int kStageAlignment = 1024;         // of the 128-byte swizzle
inline constexpr int kRun = 8;                       // rows of a column of D that a thread stores together
inline constexpr int kRunBytes = kRun * 4;
inline constexpr int kMostCluster = 8;  // blocks, that every GPU of compute capability 9.0 lets a cluster have
inline constexpr int kMostGroups = 32;  // clusters that share out a tile's k

// An operand's part of kBoxK of k in a stage, as one bulk copy brings it: rows along k, or up to 64 elements along m or
// n, which is the swizzle's width.
template <int kSizeValue, bool kAlongDepthValue>
struct Side {
  static constexpr int kSize = kSizeValue;
  static constexpr bool kAlongDepth = kAlongDepthValue;
  using Tile = OperandTile<kSize, kBoxK, kAlongDepth, true>;
  static constexpr int kBytes = Tile::kBytes;
  static constexpr int kBoxInner = kAlongDepth ? kBoxK : kSize;
  static constexpr int kBoxOuter = kAlongDepth ? kSize : kBoxK;
  static_assert(kSize <= 64 && kSize % kBlockRows == 0, "within the swizzle's width, whole fragments");
  static_assert(kBytes % kStageAlignment == 0, "the next operand begins on a swizzle's pattern");

  // From the address of what a lane reads of the block of fragments at (0, first k of a slice), that of the block `row`
  // rows and `k` of k further, both multiples of 16.
  template <class Address>
  __host__ __device__ static constexpr Address block_address(Address s_lane, int row, int k) {
    return (s_lane ^ static_cast<Address>(block_flip<Tile>(row, k))) + static_cast<Address>(block_advance<Tile>(row, k));
  }
};

// How FP32 sums of a tile lie in shared memory: column by column, in runs of eight rows, permuted so that neither stores
// in fragment layout, nor loads of 16 bytes a lane from one run after the other, meet a bank twice.
template <int kTileM, int kTileN>
struct SumTile {
  static constexpr int kRunsOfColumn = kTileM / kRun;
  static constexpr int kRuns = kRunsOfColumn * kTileN;
  static constexpr int kBytes = kRuns * kRunBytes;

  // What is XORed into a run's number within its column.
  __host__ __device__ static constexpr int turn(int column) {
    return kRunsOfColumn >= 4 ? column & 3 : (column >> 1) & 1;
  }
  // Number of a run from the tile's beginning.
  __host__ __device__ static constexpr int slot(int run, int column) {
    return column * kRunsOfColumn + (run ^ turn(column));
  }
  // Byte offset of half a run, four rows, within its slot.
  __host__ __device__ static constexpr int half_offset(int slot, int half) { return (half ^ (slot >> 2 & 1)) * 16; }

  // Byte offset of element (row, column).
  __host__ __device__ static constexpr int offset(int row, int column) {
    const int at = slot(row / kRun, column);
    return at * kRunBytes + half_offset(at, row / 4 & 1) + row % 4 * 4;
  }
};

// A kernel: its Shape with how op(A) and op(B) lie and the epilogues that it has code for.
template <class Shape, Op kOpA, Op kOpB, Epilogues kEpilogues>
struct Config : Shape {
  static constexpr bool kPlain = kEpilogues == Epilogues::kPlain;
  static constexpr int kTileM = Shape::kTileM;
  static constexpr int kTileN = Shape::kTileN;
  static constexpr int kTileK = Shape::kTileK;
  using SideA = Side<kTileM, kOpA == Op::kT>;
  using SideB = Side<kTileN, kOpB == Op::kN>;
  using Sums = SumTile<kTileM, kTileN>;

  static constexpr int kBoxes = kTileK / kBoxK;                  // of each operand along k, a stage
  static constexpr int kDepthOfSlice = kTileK / kWarps;          // of k, a stage
  static constexpr int kStepsOfSlice = kDepthOfSlice / kBlockDepth;
  static_assert(kStepsOfSlice * kBlockDepth * kWarps == kTileK, "warps share out the steps of mma of a stage");
  static_assert(kBoxK % kDepthOfSlice == 0, "a slice lies in one box");
  static_assert(kTileN % kMostCluster == 0, "each block of a cluster finishes whole columns");

  // Shared memory: the ring of stages, whose place the slices' sums take in the end, and behind those what the
  // cluster's blocks send; a barrier "full" a stage; a word. A stage: kBoxes times a box of A's and one of B's.
  static constexpr int kStages = Shape::kStages;
  static constexpr int kBoxBytes = SideA::kBytes + SideB::kBytes;
  static constexpr int kStageBytes = kBoxes * kBoxBytes;
  static constexpr int kLandingOffset = kWarps * Sums::kBytes;
  static constexpr int kBarrierOffset = kStages * kStageBytes;
  static constexpr int kWordOffset = kBarrierOffset + (kStages + 1) / 2 * 16;
  static constexpr std::int64_t kSharedBytes = kWordOffset + 16 + kStageAlignment;
  static_assert(kLandingOffset + Sums::kBytes <= kBarrierOffset, "sums have room");

  // Where k is shared out to several full clusters: of a block's share of the tile, so many elements a thread, and the
  // threads that hold some.
  static constexpr int kElements = 4;
  static constexpr int kSumThreads = kTileM * kTileN / kMostCluster / kElements;
  static_assert(kSumThreads <= kThreads && kSumThreads % 32 == 0, "whole warps sum");
};

}  // namespace fastgemm::hgemm_sliced
