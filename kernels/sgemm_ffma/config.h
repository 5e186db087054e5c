// Compile-time shape of an FFMA SGEMM kernel: the tiles of the family, and what follows from them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/epilogue/epilogues.h"
#include "kernels/tile/slice_copy_map.cuh"
#include "kernels/tile/thread_tile_map.cuh"

namespace fastgemm::ffma {

// How operands travel to shared memory: cp.async (sm_80 and up), or through registers.
enum class Transfer { kAsync, kStaged };

// kSliceBarriers: warps wait only for those that share their slice of A or of B, not for the block.
// kMeetEarly: warps meet in the middle of a k tile, half a tile before they need what they waited for, and a stage is
// refilled one tile later; else they meet at its end.
// kSplits: a launch may cut k into parts, each a block's. Costs a few registers, which the large tiles do not have.
// kHasPlain: there are kernels of their own for plain epilogues, whole and in parts; for the tiles of small products,
// where the wait for code counts.
// kGroups: so many groups of warps share a tile, each with its own steps of every k tile; their sums are added at the
// end. Small products have too few tiles for warps to hide each other's latencies.

// Murray's kernel: 64x64 warp tiles, barriers on a half and on a quarter of the block. One H200, CUDA 13.0, 8192:
// slower than the next tile by 1 to 2 % (NN, NT) and 5 % (TN, TT).
struct Tile256x128x8 {
  static constexpr Transfer kTransfer = Transfer::kAsync;
  static constexpr int kTileM = 256;
  static constexpr int kTileN = 128;
  static constexpr int kTileK = 8;
  static constexpr int kStages = 4;
  static constexpr int kWarpsM = 4;
  static constexpr int kWarpsN = 2;
  static constexpr int kThreadM = 16;
  static constexpr int kThreadN = 8;
  static constexpr bool kSliceBarriers = true;
  static constexpr bool kMeetEarly = true;
  static constexpr int kBlocksPerSm = 1;
  static constexpr int kGroups = 1;
  static constexpr bool kSplits = false;
  static constexpr bool kHasPlain = false;
};

// The same with the block's barrier, and more stages in its place.
struct Tile256x128x8Block : Tile256x128x8 {
  static constexpr int kStages = 6;
  static constexpr bool kSliceBarriers = false;
};

struct Tile128x128x8 {
  static constexpr Transfer kTransfer = Transfer::kAsync;
  static constexpr int kTileM = 128;
  static constexpr int kTileN = 128;
  static constexpr int kTileK = 8;
  static constexpr int kStages = 4;
  static constexpr int kWarpsM = 2;
  static constexpr int kWarpsN = 2;
  static constexpr int kThreadM = 16;
  static constexpr int kThreadN = 8;
  static constexpr bool kSliceBarriers = false;
  static constexpr bool kMeetEarly = false;
  static constexpr int kBlocksPerSm = 2;
  static constexpr int kGroups = 1;
  static constexpr bool kSplits = true;
  static constexpr bool kHasPlain = false;
};

struct Tile128x64x8 {
  static constexpr Transfer kTransfer = Transfer::kAsync;
  static constexpr int kTileM = 128;
  static constexpr int kTileN = 64;
  static constexpr int kTileK = 8;
  static constexpr int kStages = 4;
  static constexpr int kWarpsM = 2;
  static constexpr int kWarpsN = 2;
  static constexpr int kThreadM = 8;
  static constexpr int kThreadN = 8;
  static constexpr bool kSliceBarriers = false;
  static constexpr bool kMeetEarly = false;
  static constexpr int kBlocksPerSm = 3;
  static constexpr int kGroups = 1;
  static constexpr bool kSplits = true;
  static constexpr bool kHasPlain = false;
};

struct Tile64x64x16 {
  static constexpr Transfer kTransfer = Transfer::kAsync;
  static constexpr int kTileM = 64;
  static constexpr int kTileN = 64;
  static constexpr int kTileK = 16;
  static constexpr int kStages = 4;
  static constexpr int kWarpsM = 1;
  static constexpr int kWarpsN = 2;
  static constexpr int kThreadM = 8;
  static constexpr int kThreadN = 8;
  static constexpr bool kSliceBarriers = false;
  static constexpr bool kMeetEarly = false;
  static constexpr int kBlocksPerSm = 4;
  static constexpr int kGroups = 1;
  static constexpr bool kSplits = true;
  static constexpr bool kHasPlain = true;
};

struct Tile32x32x16 {
  static constexpr Transfer kTransfer = Transfer::kAsync;
  static constexpr int kTileM = 32;
  static constexpr int kTileN = 32;
  static constexpr int kTileK = 16;
  static constexpr int kStages = 3;
  static constexpr int kWarpsM = 1;
  static constexpr int kWarpsN = 2;
  static constexpr int kThreadM = 4;
  static constexpr int kThreadN = 4;
  static constexpr bool kSliceBarriers = false;
  static constexpr bool kMeetEarly = false;
  static constexpr int kBlocksPerSm = 8;
  static constexpr int kGroups = 1;
  static constexpr bool kSplits = true;
  static constexpr bool kHasPlain = true;
};

// Small tiles with groups.
struct Tile64x64x32 : Tile64x64x16 {
  static constexpr int kTileK = 32;
  static constexpr int kStages = 3;
  static constexpr int kBlocksPerSm = 3;
  static constexpr int kGroups = 2;
};

struct Tile32x32x32 : Tile32x32x16 {
  static constexpr int kTileK = 32;
  static constexpr int kBlocksPerSm = 3;
  static constexpr int kGroups = 4;
};

// For a side of at most 16, bound by memory: many bytes under way.
struct Tile128x16x32 : Tile64x64x16 {
  static constexpr int kTileM = 128;
  static constexpr int kTileN = 16;
  static constexpr int kTileK = 32;
  static constexpr int kStages = 3;
  static constexpr int kWarpsM = 2;
  static constexpr int kWarpsN = 1;
  static constexpr int kThreadN = 4;
  static constexpr int kBlocksPerSm = 2;
  static constexpr int kGroups = 2;
};

struct Tile16x128x32 : Tile128x16x32 {
  static constexpr int kTileM = 16;
  static constexpr int kTileN = 128;
  static constexpr int kWarpsM = 1;
  static constexpr int kWarpsN = 2;
  static constexpr int kThreadM = 4;
  static constexpr int kThreadN = 8;
};

// The same tiles for chips without cp.async: two buffers, filled from registers; 64 KiB of shared memory an SM.
template <class AsyncTile>
struct Staged : AsyncTile {
  static constexpr Transfer kTransfer = Transfer::kStaged;
  static constexpr int kStages = 2;
  static constexpr bool kMeetEarly = false;
  static constexpr bool kHasPlain = false;
  static constexpr int kBlocksPerSm = AsyncTile::kBlocksPerSm < 3 ? AsyncTile::kBlocksPerSm : 3;
};

// A kernel: a tile, how each operand is copied, which epilogues there are, and whether k may be cut.
template <class Tile, SliceCopy kCopyOfA, SliceCopy kCopyOfB, Epilogues kEpilogues = Epilogues::kAll,
          bool kSplitsValue = Tile::kSplits>
struct Config : Tile {
  using Tile::kTileK, Tile::kTileM, Tile::kTileN, Tile::kWarpsM, Tile::kWarpsN, Tile::kStages;
  static constexpr bool kPlain = kEpilogues == Epilogues::kPlain;
  static constexpr bool kSplits = kSplitsValue;
  static constexpr SliceCopy kCopyA = kCopyOfA;
  static constexpr SliceCopy kCopyB = kCopyOfB;
  static constexpr bool kTransposesA = kCopyA == SliceCopy::kTransposed4;
  static constexpr bool kTransposesB = kCopyB == SliceCopy::kTransposed4;
  static constexpr bool kRowsA = kCopyA == SliceCopy::kRows16;
  static constexpr bool kRowsB = kCopyB == SliceCopy::kRows16;
  static constexpr int kGroups = Tile::kGroups;
  static constexpr int kGroupThreads = 32 * kWarpsM * kWarpsN;
  static constexpr int kThreads = kGroupThreads * kGroups;
  static constexpr int kGroupSteps = kTileK / kGroups;  // of a k tile, for each group

  // TN takes a thread tile on its side (8x16 for 16x8): 4 % faster there, where NN and NT lose 10 % by it (one H200).
  static constexpr bool kMirrored = kTransposesA && kTransposesB;
  static constexpr int kThreadM = kMirrored ? Tile::kThreadN : Tile::kThreadM;
  static constexpr int kThreadN = kMirrored ? Tile::kThreadM : Tile::kThreadN;
  static constexpr int kLanesM = kTileM / kWarpsM / kThreadM;
  static constexpr int kLanesN = kTileN / kWarpsN / kThreadN;
  using Lanes = LaneGrid<kLanesM, kLanesN>;
  // Rows are read along k, four steps at a time; then a thread's rows lie a lane apart, so that lanes read neighbours.
  using AxisM = std::conditional_t<kRowsA, StridedTileAxis<kThreadM, kLanesM>, ThreadTileAxis<kThreadM, kLanesM>>;
  using AxisN = std::conditional_t<kRowsB, StridedTileAxis<kThreadN, kLanesN>, ThreadTileAxis<kThreadN, kLanesN>>;
  static constexpr int kRowThreads = kRowsA ? kThreadM : kRowsB ? kThreadN : 1;  // rows a thread reads along k
  static constexpr int kRowLanes = kRowsA ? kLanesM : kLanesN;
  static_assert(!(kRowsA && kRowsB) && !((kRowsA || kRowsB) && Tile::kSliceBarriers), "one operand, whole slices");
  static_assert(AxisM::kWidth * kWarpsM == kTileM && AxisN::kWidth * kWarpsN == kTileN, "warp tiles fill the tile");

  // What a group of threads copies and waits for: the slice of A that one row of warps reads and the slice of B that
  // one column of warps reads, each copied by those warps; or all of the tile, by the whole block.
  static constexpr int kSliceM = Tile::kSliceBarriers ? AxisM::kWidth : kTileM;
  static constexpr int kSliceN = Tile::kSliceBarriers ? AxisN::kWidth : kTileN;
  static constexpr int kSliceThreadsA = Tile::kSliceBarriers ? 32 * kWarpsN : kThreads;
  static constexpr int kSliceThreadsB = Tile::kSliceBarriers ? 32 * kWarpsM : kThreads;
  using MapA = SliceCopyMap<kCopyA, kSliceM, kTileK, kSliceThreadsA>;
  using MapB = SliceCopyMap<kCopyB, kSliceN, kTileK, kSliceThreadsB>;

  // Shared memory of a stage: (kTileK, kTileM) of A, then (kTileK, kTileN) of B, m and n contiguous, or
  // (kTileM, kTileK) and (kTileN, kTileK), k contiguous; padded, in bytes.
  static constexpr int kPitchA = ((kRowsA ? kTileK : kTileM) + kSlicePadding) * 4;
  static constexpr int kPitchB = ((kRowsB ? kTileK : kTileN) + kSlicePadding) * 4;
  static constexpr int kStageBytesA = (kRowsA ? kTileM : kTileK) * kPitchA;
  static constexpr int kStageBytes = kStageBytesA + (kRowsB ? kTileN : kTileK) * kPitchB;
  static constexpr int kStepBytesA = kRowsA ? 4 : kPitchA;  // to the next k
  static constexpr int kStepBytesB = kRowsB ? 4 : kPitchB;
  static constexpr int kRowPitch = kRowsA ? kPitchA : kPitchB;
  static constexpr std::int64_t kSharedBytes = std::int64_t{kStages} * kStageBytes;

  // The steps of a k tile at which warps meet, and how many tiles ahead copies run: one less than stages where all
  // have left a stage just before it is refilled, two less where the last meeting was half a tile earlier.
  static constexpr int kMeetStepA = Tile::kMeetEarly ? kTileK / 2 - 1 : kGroupSteps - 1;
  static constexpr int kMeetStepB = Tile::kMeetEarly ? kTileK / 2 + 1 : kGroupSteps - 1;
  static constexpr int kPrefetch = Tile::kMeetEarly ? kStages - 2 : kStages - 1;

  // Copies of a tile start in so many parts, spread over its steps: together at its beginning, but for the many small
  // ones of a transposed A, behind which fragment loads would queue (one H200, 256x128: TN up to 8 %, TT 4 % faster; NN
  // 3 %, NT 6 % slower). Tiles of 16 k start theirs together: so many copies in parts slow 64x64 down.
  static constexpr int kCopyParts = kTransposesA && kTileK == 8 ? 4 : 1;

  static_assert(kGroupSteps % 4 == 0, "two register sets of fragments in turn; copies start at every fourth step");
  static_assert(kPrefetch >= (Tile::kMeetEarly ? 2 : 1), "the next tile is complete when warps meet");
  static_assert(kGroups == 1 || !Tile::kMeetEarly, "groups meet with the block");
  static_assert((kGroups - 1) * kTileM * kTileN * 4 <= kSharedBytes, "the groups' sums fit where the stages were");
  static_assert(1 + kWarpsM + kWarpsN <= 16, "one named barrier a slice; barrier 0 is the block's");
};

}  // namespace fastgemm::ffma
