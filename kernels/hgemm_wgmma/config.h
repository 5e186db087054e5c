// What makes one WGMMA kernel: its tile, the way its warpgroups share the work, and what its shared memory holds.
//
// wgmma multiplies a "left" operand, 64 rows a warpgroup, by a "right" one of up to 256 columns, and a thread then
// holds neighbours along the columns. D is contiguous along m, so columns are m: left is op(B) transposed, right op(A)
// transposed, and the product is a tile of D transposed.
#pragma once

#include <cstdint>

#include "kernels/epilogue/epilogues.h"
#include "kernels/tile/swizzle.cuh"
#include "kernels/tile/wgmma_descriptor.cuh"

namespace fastgemm::hgemm_wgmma {

inline constexpr int kTileK = kWgmmaTileDepth;
inline constexpr int kWarpgroups = 2;  // that multiply; one more warpgroup starts the copies
inline constexpr int kWarpgroupThreads = 128;
inline constexpr int kConsumers = kWarpgroups * kWarpgroupThreads;
inline constexpr int kConsumerWarps = kConsumers / 32;
inline constexpr int kThreads = kConsumers + kWarpgroupThreads;
inline constexpr int kLaunchRegisters = 168;  // a thread, which is what 384 threads can have
inline constexpr int kConsumerRegisters = 240;
inline constexpr int kProducerRegisters = 24;
static_assert(kConsumers * kConsumerRegisters + kWarpgroupThreads * kProducerRegisters <= kThreads * kLaunchRegisters,
              "setmaxnreg shares out what the launch has given, and waits for ever for more");

inline constexpr int kSwizzleAlignment = 1024;
inline constexpr int kRasterGroup = 16;  // tiles of n that the raster walks before one of m

// How a warp's FP16 results leave by bulk copies: boxes of (kBoxRows of m, kBoxColumns of n) with the 128-byte swizzle.
inline constexpr int kBoxRows = 64;
inline constexpr int kBoxColumns = 16;
inline constexpr int kBoxBytes = kBoxRows * kBoxColumns * 2;

// Byte offset of 16-byte chunk `chunk` (of m) of column `column` in such a box.
__host__ __device__ constexpr int box_offset(int column, int chunk) {
  return column * (kBoxRows * 2) + (chunk ^ column % 8) * kChunkBytes;
}

// And the last rows of m of a tile that is no multiple of those, without a swizzle: one after another in a box's place.
inline constexpr int kRestBoxRows = 16;
inline constexpr int kRestBoxBytes = kRestBoxRows * kBoxColumns * 2;

// How all other results leave: FP32 strips of (32 of m, 16 of n).
using Strip = EpilogueStrip<32>;

// Two blocks with the same rows of D and neighbouring columns, each of which copies half of op(A)'s tile to both: what
// comes from L2 falls by a third for tiles of 256 x 128.
inline constexpr int kPair = 2;

inline constexpr int kPrefetchRows = 64;  // of C, that one prefetch brings into L2

constexpr int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

// Ping-pong: each warpgroup computes tiles of its own and stores one while the other multiplies. Otherwise both share a
// tile, each half of its columns.
enum class Schedule { kPingPong, kCooperative };

// What a Shape has beside kTileM, kTileN, kStages and kBoxBuffers, the boxes a warp may have on their way. kSplits and
// kPairs: there are kernels that cut k, and for pairs of blocks.
struct TileDefaults {
  static constexpr Schedule kSchedule = Schedule::kPingPong;
  static constexpr bool kSplits = false;
  static constexpr bool kPairs = false;
};

// Epilogues::kPlain and kAddC here mean besides that D, and C, are FP16 in whole chunks.
template <class Shape, Major kMajorLeftValue, Major kMajorRightValue, Epilogues kEpiloguesValue, int kClusterValue,
          bool kSplitsValue>
struct Config : Shape {
  static constexpr bool kSplits = kSplitsValue;
  static constexpr bool kAddsC = kEpiloguesValue == Epilogues::kAddC;
  static constexpr bool kGeneral = kEpiloguesValue == Epilogues::kAll;
  static constexpr int kCluster = kClusterValue;  // blocks, 1 or kPair
  static constexpr Major kMajorLeft = kMajorLeftValue;
  static constexpr Major kMajorRight = kMajorRightValue;
  static constexpr bool kPingPong = Shape::kSchedule == Schedule::kPingPong;
  static constexpr int kTileLeft = Shape::kTileN;
  static constexpr int kTileRight = Shape::kTileM;
  static constexpr int kGroupLeft = kPingPong ? kTileLeft : kTileLeft / kWarpgroups;  // of a warpgroup
  static constexpr int kBlocks = kGroupLeft / 64;                                     // wgmma rows
  static constexpr int kGroupsOfTile = kPingPong ? 1 : kWarpgroups;
  static constexpr int kThreadsOfTile = kGroupsOfTile * kWarpgroupThreads;
  static_assert(kGroupLeft % 64 == 0 && kTileLeft <= 256, "whole wgmmas, one copy");
  static_assert(kTileRight % kRestBoxRows == 0 && kTileRight <= 256, "whole boxes, one wgmma");

  // The last rows of m, fewer than a box has, leave by boxes of kRestBoxRows.
  static constexpr int kWholeBoxes = kTileRight / kBoxRows;
  static constexpr int kRestRows = kTileRight % kBoxRows;
  static_assert(kRestRows == 0 || kEpiloguesValue == Epilogues::kPlain, "other epilogues know whole boxes alone");

  // A stage: (kTileLeft, kTileK), then (kTileRight, kTileK), as wgmma_descriptor.cuh lays them out: in blocks of 64 along
  // m where m is contiguous, the last of which may hold more than the tile needs.
  static constexpr int kRightRows = kMajorRight == Major::kK ? kTileRight : round_up(kTileRight, 64);
  static constexpr int kPairBox = kMajorRight == Major::kK ? kTileRight / kPair : 64;  // along m, that a copy brings
  static_assert(kCluster == 1 || (kRightRows > kPairBox && kPairBox % 8 == 0), "a box a block, whole swizzles");
  static constexpr int kLeftBytes = kTileLeft * kTileK * 2;
  static constexpr int kRightBytes = kRightRows * kTileK * 2;
  static constexpr int kStageBytes = kLeftBytes + kRightBytes;

  // Where C is added, a tile of it follows the tile's last k block through the ring: boxes of (kBoxRows, kTileN).
  static constexpr int kBoxesAlongM = kWholeBoxes + (kRestRows > 0 ? 1 : 0);
  static constexpr int kCBoxBytes = kBoxRows * kTileLeft * 2;
  static constexpr int kCBoxesOfStage = kStageBytes / kCBoxBytes;
  static constexpr int kCStages = kAddsC ? (kBoxesAlongM + kCBoxesOfStage - 1) / kCBoxesOfStage : 0;
  static_assert(kCStages < Shape::kStages, "the ring holds C and a k block");
  static_assert(!kAddsC || !kSplits, "the sums are whole when C comes");

  // Shared memory: the ring of stages, every warp's results on their way out, then barriers: "full" and "empty" of each
  // stage, and one a warpgroup whose turn to multiply it is; and a word a warpgroup for the sum of a split k.
  static constexpr int kBoxesBytes = Shape::kBoxBuffers * kBoxBytes;
  static constexpr int kWarpResultBytes =
      round_up(kBoxesBytes > Strip::kBytes ? kBoxesBytes : Strip::kBytes, kSwizzleAlignment);
  static constexpr int kResultOffset = Shape::kStages * kStageBytes;
  static constexpr int kBarrierOffset = kResultOffset + kConsumerWarps * kWarpResultBytes;
  static constexpr int kWordOffset = kBarrierOffset + (2 * Shape::kStages + kWarpgroups) * 8;
  static constexpr std::int64_t kSharedBytes = kWordOffset + kWarpgroups * 4 + kSwizzleAlignment;
  static_assert(kSharedBytes <= 232448, "what a block can have on Hopper");
};

}  // namespace fastgemm::hgemm_wgmma
