// What makes one kernel: its tile, the parts it multiplies, and what its shared memory holds.
//
// wgmma multiplies a "left" operand, 64 rows a warpgroup, by a "right" one, and a thread then holds neighbours along
// the columns. D is contiguous along m, so columns are m: left is op(B) transposed, right op(A). Both come as parts, k
// contiguous, whatever the layout of A and B is.
#pragma once

#include <cstdint>

#include "kernels/sgemm_tensor/parts.h"
#include "kernels/tile/swizzle.cuh"
#include "kernels/tile/wgmma_descriptor.cuh"

namespace fastgemm::sgemm_tensor {

inline constexpr int kBlockK = 32;  // k of a stage: FP16 hi and lo, or a BF16 part, of so many k are one swizzled row

inline constexpr int kWarpgroups = 2;  // that multiply; one more warpgroup starts the copies
inline constexpr int kWarpgroupThreads = 128;
inline constexpr int kConsumers = kWarpgroups * kWarpgroupThreads;
inline constexpr int kConsumerWarps = kConsumers / 32;
inline constexpr int kThreads = kConsumers + kWarpgroupThreads;
inline constexpr int kConsumerRegisters = 240;
inline constexpr int kProducerRegisters = 24;
static_assert(kConsumers * kConsumerRegisters + kWarpgroupThreads * kProducerRegisters <= 65536, "the register file");

inline constexpr int kSwizzleAlignment = 1024;
inline constexpr int kRasterGroup = 16;  // tiles of n that the raster walks before one of m
inline constexpr int kPair = 2;          // blocks of a cluster, where they work in pairs

using Strip = EpilogueStrip<32>;  // how results leave: (32 of m, 16 of n)
static_assert(Strip::kBytes % 16 == 0, "strips and barriers follow each other");

// Which part of left meets which of right.
struct PartPair {
  int left = 0;
  int right = 0;
};

// How sums of kBlocksPerSum blocks of k are added up, see mainloop.cuh. In groups of kBlocksPerGroup, whose rests are
// kept, for tiles that leave registers for it; one by one for one that has none left and is for products so large that
// cuBLAS takes k in one chain; each keeping its rest where tensor cores have twice the work.
enum class SumOrder { kOneByOne, kInGroups, kKeepingRests };
inline constexpr int kBlocksPerGroup = 8;

// How parts lie in a row of memory and in a stage, and their products, small ones first. Those from kLargeFrom on are
// summed apart from the others.
template <Method kMethod>
struct Parts;

// A row of 32 k is 128 bytes: hi, then lo. One copy brings both.
template <>
struct Parts<Method::kFp16x3> {
  static constexpr int kCount = 2;
  static constexpr int kCopies = 1;
  static constexpr int kRowBytes = 128;
  static constexpr WgmmaSwizzle kSwizzle = WgmmaSwizzle::k128Bytes;
  static constexpr int kLargeFrom = 0;
  static constexpr int kPairCount = 3;
  static constexpr int kBlocksPerSum = 1;
  static __host__ __device__ constexpr int offset(int part, int) { return part * 64; }
  static __host__ __device__ constexpr PartPair pair(int index) {
    constexpr PartPair kPairs[kPairCount] = {{1, 0}, {0, 1}, {0, 0}};
    return kPairs[index];
  }
};

// A part's 32 k are 64 bytes, its rows are a tile of their own.
template <>
struct Parts<Method::kBf16x6> {
  static constexpr int kCount = 3;
  static constexpr int kCopies = 3;
  static constexpr int kRowBytes = 64;
  static constexpr WgmmaSwizzle kSwizzle = WgmmaSwizzle::k64Bytes;
  static constexpr int kLargeFrom = 5;  // so that one product that outweighs all others is rounded once, not cut off
  static constexpr int kPairCount = 6;
  static constexpr int kBlocksPerSum = 2;
  static __host__ __device__ constexpr int offset(int part, int rows) { return part * rows * 64; }
  static __host__ __device__ constexpr PartPair pair(int index) {
    constexpr PartPair kPairs[kPairCount] = {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
    return kPairs[index];
  }
};

struct Tile256x128 {
  static constexpr bool kPairs = true;
  static constexpr bool kTakesTurns = false;
  static constexpr int kTileM = 256, kTileN = 128, kFp16Stages = 4;
  static constexpr SumOrder kFp16SumOrder = SumOrder::kOneByOne;
};

struct Tile128x128 {
  static constexpr bool kPairs = false;
  static constexpr bool kTakesTurns = true;
  static constexpr int kTileM = 128, kTileN = 128, kFp16Stages = 6, kBf16Stages = 4;
  static constexpr SumOrder kFp16SumOrder = SumOrder::kInGroups;
};

struct Tile64x128 {
  static constexpr bool kPairs = false;
  static constexpr bool kTakesTurns = true;
  static constexpr int kTileM = 64, kTileN = 128, kFp16Stages = 8;
  static constexpr SumOrder kFp16SumOrder = SumOrder::kInGroups;
};

// Shape: kTileM, kTileN, kFp16Stages, kFp16SumOrder; kPairs: large products are by pairs of blocks; kBf16Stages where
// it multiplies BF16 parts.
template <class Shape, Method kMethodValue, int kClusterValue>
struct Config : Shape {
  static constexpr Method kMethod = kMethodValue;
  static constexpr int kCluster = kClusterValue;  // blocks, 1 or kPair
  using Part = Parts<kMethod>;
  static constexpr int kTileLeft = Shape::kTileN;
  static constexpr int kTileRight = Shape::kTileM;
  static_assert(kTileLeft == kWarpgroups * 64, "a warpgroup multiplies 64 rows");
  static_assert(kTileRight % Strip::kRows == 0, "whole strips");
  // What both blocks of a pair need, each of which copies half of it to both; the tile's longer side.
  static constexpr bool kSharesLeft = kTileLeft > kTileRight;
  static constexpr int kSharedRows = kSharesLeft ? kTileLeft : kTileRight;
  static_assert(kSharedRows / kPair * Part::kRowBytes % kSwizzleAlignment == 0, "halves of a swizzled tile");
  // Of kTileRight, those that a short sum has: half where two sums of all of them would be too many registers.
  static constexpr int kSumColumns = kTileRight <= 192 ? kTileRight : kTileRight / 2;

  // A stage: (kTileLeft, kBlockK) of all parts, then (kTileRight, kBlockK).
  static constexpr int kLeftBytes = kTileLeft * kBlockK * 2 * Part::kCount;
  static constexpr int kRightBytes = kTileRight * kBlockK * 2 * Part::kCount;
  static constexpr int kStageBytes = kLeftBytes + kRightBytes;
  static constexpr int kStages = [] {
    if constexpr (kMethod == Method::kFp16x3) return Shape::kFp16Stages;
    else return Shape::kBf16Stages;
  }();
  static_assert(kStages >= Part::kBlocksPerSum, "a whole sum");
  static constexpr SumOrder kSumOrder = kMethod == Method::kBf16x6 ? SumOrder::kKeepingRests : Shape::kFp16SumOrder;
  static_assert(kStageBytes % kSwizzleAlignment == 0, "swizzled tiles");
  static_assert(kSumColumns == kTileRight || kSumOrder == SumOrder::kOneByOne, "others have all columns' rests");

  // Shared memory: the ring of stages, every warp's strip on its way out, then barriers: "full" and "empty" of each
  // stage, and one a warpgroup whose turn to multiply it is. Those of BF16 parts lie behind all others: a kernel has
  // both.
  static constexpr int kResultOffset = kStages * kStageBytes;
  static constexpr int kBarrierOffset =
      kResultOffset + kConsumerWarps * Strip::kBytes + (kMethod == Method::kBf16x6 ? 256 : 0);
  static constexpr int kBarrierEnd = kBarrierOffset + (2 * kStages + kWarpgroups) * 8;
  static constexpr std::int64_t kSharedBytes = kBarrierEnd + kSwizzleAlignment;
  static_assert(kSharedBytes <= 232448, "what a block can have on Hopper");
};

}  // namespace fastgemm::sgemm_tensor
