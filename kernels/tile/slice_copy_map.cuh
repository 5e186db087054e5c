// How a group of threads copies its slice of an operand to shared memory: which element each thread takes in each
// pass. A slice is kWidth elements of m (of A) or n (of B) by kDepth of k; its rows lie kPitch floats apart in shared
// memory, m or n contiguous, whichever way the operand is stored.
#pragma once

#include <cuda_runtime_api.h>

namespace fastgemm {

enum class SliceCopy {
  kContiguous16,  // stored m- or n-contiguous, 16-byte copies
  kContiguous4,   // stored m- or n-contiguous, 4-byte copies
  kTransposed4,   // stored k-contiguous, 4-byte copies
  kRows16         // stored k-contiguous, 16-byte copies; k contiguous in shared memory too
};

constexpr bool stored_along_k(SliceCopy kind) { return kind == SliceCopy::kTransposed4 || kind == SliceCopy::kRows16; }

// An element of a slice: `along` m or n, and k.
struct SlicePosition {
  int along = 0;
  int k = 0;
};

// Rows of a tile in shared memory are this much longer than the tile: a multiple of 16 bytes, and such that 8 rows of
// 4 elements fall into 32 different banks, which a transposed copy writes at a time.
inline constexpr int kSlicePadding = 4;

// position(thread, pass) = first(thread) + offset(pass), so that only first() takes registers.
template <SliceCopy kKind, int kWidth, int kDepth, int kThreads>
struct SliceCopyMap {
  static constexpr bool kRows = kKind == SliceCopy::kRows16;
  static constexpr int kElements = kRows || kKind == SliceCopy::kContiguous16 ? 4 : 1;  // of one copy
  static constexpr int kPasses = kWidth * kDepth / kElements / kThreads;
  static_assert(kPasses * kElements * kThreads == kWidth * kDepth, "every thread takes the same number of copies");
  static_assert(kThreads % 32 == 0 && kWidth % 4 == 0, "whole warps, whole vectors");

  // Contiguous: threads lie along m or n; what is left of them starts the next rows of k.
  static constexpr int kCopiesPerRow = kWidth / kElements;
  static constexpr int kThreadsPerRow = kCopiesPerRow < kThreads ? kCopiesPerRow : kThreads;
  static constexpr int kRowsPerPass = kThreads / kThreadsPerRow;
  static constexpr int kPassesPerRow = kCopiesPerRow / kThreadsPerRow;

  // Transposed: the lanes of a warp are 8 of k by 4 of m or n (a 32-byte sector each), warps lie along m or n.
  static constexpr int kLanesK = 8;
  static constexpr int kAlongPerPass = kThreads / kLanesK;
  static constexpr int kPassesPerLanesK = kWidth / kAlongPerPass;
  static_assert(kKind != SliceCopy::kTransposed4 ||
                    (kDepth % kLanesK == 0 && kWidth % kAlongPerPass == 0),
                "transposed passes tile the slice");
  static_assert(stored_along_k(kKind) || (kThreads % kThreadsPerRow == 0 && kCopiesPerRow % kThreadsPerRow == 0),
                "contiguous passes tile the slice");

  // Rows: threads lie along k, the next ones in the next rows of m or n.
  static constexpr int kCopiesAlongK = kDepth / 4;
  static constexpr int kRowsOfPass = kThreads / kCopiesAlongK;
  static_assert(!kRows || (kThreads % kCopiesAlongK == 0 && kWidth % kRowsOfPass == 0), "passes tile the rows");

  // Passes that differ only in `along` form a run; the next run starts kRunDepth further in k.
  static constexpr bool kTransposed = kKind == SliceCopy::kTransposed4;
  static constexpr int kPassesPerRun = kRows ? kPasses : kTransposed ? kPassesPerLanesK : kPassesPerRow;
  static constexpr int kRunDepth = kRows ? kDepth : kTransposed ? kLanesK : kRowsPerPass;
  static constexpr int kAlongStep = kRows ? kRowsOfPass : kTransposed ? kAlongPerPass : kThreadsPerRow * kElements;

  __host__ __device__ static constexpr SlicePosition first(int thread) {
    if (kKind == SliceCopy::kTransposed4) {
      const int lane = thread % 32;
      return {thread / 32 * (32 / kLanesK) + lane / kLanesK, lane % kLanesK};
    }
    if (kKind == SliceCopy::kRows16) return {thread / kCopiesAlongK, thread % kCopiesAlongK * 4};
    return {thread % kThreadsPerRow * kElements, thread / kThreadsPerRow};
  }

  __host__ __device__ static constexpr SlicePosition offset(int pass) {
    return {pass % kPassesPerRun * kAlongStep, pass / kPassesPerRun * kRunDepth};
  }
};

}  // namespace fastgemm
