// Compile-time shape of an FFMA SGEMM kernel: the tiles of the family, and what follows from them.
#pragma once

#include <cstdint>

#include "kernels/tile/slice_copy_map.cuh"
#include "kernels/tile/thread_tile_map.cuh"

namespace fastgemm::ffma {

// How operands travel to shared memory: cp.async (sm_80 and up), or through registers.
enum class Transfer { kAsync, kStaged };

// 64x64 warp tiles of 16x8 thread tiles. Each step of k holds an element of B over 16 FMAs, so that two of an FMA's
// three operands come from different register banks and the third from the operand cache.
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
  static constexpr int kBlocksPerSm = 1;
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
  static constexpr bool kSliceBarriers = true;
  static constexpr int kBlocksPerSm = 2;
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
  static constexpr bool kSliceBarriers = true;
  static constexpr int kBlocksPerSm = 3;
};

struct Tile64x64x16 {
  static constexpr Transfer kTransfer = Transfer::kAsync;
  static constexpr int kTileM = 64;
  static constexpr int kTileN = 64;
  static constexpr int kTileK = 16;
  static constexpr int kStages = 4;
  static constexpr int kWarpsM = 2;
  static constexpr int kWarpsN = 2;
  static constexpr int kThreadM = 8;
  static constexpr int kThreadN = 4;
  static constexpr bool kSliceBarriers = true;
  static constexpr int kBlocksPerSm = 4;
};

struct Tile32x32x16 {
  static constexpr Transfer kTransfer = Transfer::kAsync;
  static constexpr int kTileM = 32;
  static constexpr int kTileN = 32;
  static constexpr int kTileK = 16;
  static constexpr int kStages = 4;
  static constexpr int kWarpsM = 1;
  static constexpr int kWarpsN = 2;
  static constexpr int kThreadM = 4;
  static constexpr int kThreadN = 4;
  static constexpr bool kSliceBarriers = true;
  static constexpr int kBlocksPerSm = 12;
};

// The same tiles for chips without cp.async: two buffers, filled from registers.
template <class AsyncTile>
struct Staged : AsyncTile {
  static constexpr Transfer kTransfer = Transfer::kStaged;
  static constexpr int kStages = 2;
};

// 8 lanes along the longer side of a thread tile's counterpart, so that warp tiles come out near square.
template <int kThreadM, int kThreadN>
inline constexpr int kLanesAlongM = kThreadM > kThreadN ? 4 : 8;

// A kernel: a tile, and how each operand is copied.
template <class Tile, SliceCopy kCopyOfA, SliceCopy kCopyOfB>
struct Config : Tile {
  using Tile::kTileK, Tile::kTileM, Tile::kTileN, Tile::kWarpsM, Tile::kWarpsN, Tile::kStages;
  static constexpr SliceCopy kCopyA = kCopyOfA;
  static constexpr SliceCopy kCopyB = kCopyOfB;

  static constexpr int kThreads = 32 * kWarpsM * kWarpsN;
  static constexpr int kLanesM = kLanesAlongM<Tile::kThreadM, Tile::kThreadN>;
  static constexpr int kLanesN = 32 / kLanesM;
  using Lanes = LaneGrid<kLanesM, kLanesN>;
  using AxisM = ThreadTileAxis<Tile::kThreadM, kLanesM>;
  using AxisN = ThreadTileAxis<Tile::kThreadN, kLanesN>;
  static_assert(AxisM::kWidth * kWarpsM == kTileM && AxisN::kWidth * kWarpsN == kTileN, "warp tiles fill the tile");

  // A slice of A is what one row of warps reads, and those warps copy it; likewise B.
  static constexpr int kSliceThreadsA = 32 * kWarpsN;
  static constexpr int kSliceThreadsB = 32 * kWarpsM;
  using MapA = SliceCopyMap<kCopyA, AxisM::kWidth, kTileK, kSliceThreadsA>;
  using MapB = SliceCopyMap<kCopyB, AxisN::kWidth, kTileK, kSliceThreadsB>;

  // Shared memory of a stage: (kTileK, kTileM) of A, then (kTileK, kTileN) of B, m and n contiguous, rows padded.
  static constexpr int kPitchA = (kTileM + kSlicePadding) * 4;  // bytes
  static constexpr int kPitchB = (kTileN + kSlicePadding) * 4;
  static constexpr int kStageBytesA = kTileK * kPitchA;
  static constexpr int kStageBytes = kStageBytesA + kTileK * kPitchB;
  static constexpr std::int64_t kSharedBytes = std::int64_t{kStages} * kStageBytes;

  static_assert(kTileK % 2 == 0, "fragments alternate between two register sets");
  static_assert(kStages >= 2, "one stage is read while the others are filled");
  static_assert(1 + kWarpsM + kWarpsN <= 16, "one named barrier a slice; barrier 0 is the block's");
};

}  // namespace fastgemm::ffma
