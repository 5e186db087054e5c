// What makes one HGEMM kernel: its tile, and which techniques it uses. A row of the table is a struct derived from one
// of the defaults here; a Variant adds the operands' layout and alignment.
#pragma once

#include "kernels/contract.h"
#include "kernels/epilogue/epilogues.h"
#include "kernels/tile/swizzle.cuh"

namespace fastgemm::hgemm_mma {

// How the next tiles come into shared memory.
enum class Prefetch {
  kNone,       // loaded when they are needed
  kRegisters,  // loaded into registers during the products before, then stored to the other of two stages
  kAsync,      // cp.async, kStages - 1 tiles ahead
};

// sm_80 and up.
struct AmpereDefaults {
  static constexpr int kMmaDepth = 16;  // mma.m16n8k16
  static constexpr Prefetch kPrefetch = Prefetch::kAsync;
  static constexpr bool kWideCopies = true;       // 16 bytes a copy where alignment allows, else 4 or 2 x 2
  static constexpr bool kUnrolledCopies = true;
  static constexpr bool kSwizzle = true;
  static constexpr bool kXorSteps = true;         // fragment addresses step by one XOR; else computed in full
  static constexpr bool kDoubleFragments = true;  // the next k step's fragments load during this one's products
  static constexpr int kGroupRows = 2048;  // of D, that the tile order goes through before the next rows
  static constexpr int kBlocksPerSm = 1;
  static constexpr bool kSplits = false;  // a launch may cut k into parts, each a block's
  static constexpr bool kUnrolledStrips = false;  // of D; else one loop, in a third less code
  // There are kernels of their own for plain epilogues: of the tiles of small products, where the wait for code counts,
  // and of others that store single elements.
  static constexpr bool kHasPlain = false;
};

// sm_75: no cp.async, half the depth an instruction.
struct TuringDefaults : AmpereDefaults {
  static constexpr int kMmaDepth = 8;  // mma.m16n8k8
  static constexpr Prefetch kPrefetch = Prefetch::kRegisters;
  static constexpr int kStages = 2;
};

// A Config for given transpositions and alignments in bytes of A's columns and of B's (16, 4 or 2), with code for all
// epilogues or for plain ones, for k that is cut or for whole k.
template <class Config, Op kOpA, Op kOpB, int kAlignmentOfA, int kAlignmentOfB = kAlignmentOfA,
          Epilogues kEpilogues = Epilogues::kAll, bool kSplitsValue = Config::kSplits>
struct Variant : Config {
  static constexpr bool kPlain = kEpilogues == Epilogues::kPlain;
  static constexpr bool kSplits = kSplitsValue;
  static constexpr int kAlignmentA = kAlignmentOfA;
  static constexpr int kAlignmentB = kAlignmentOfB;
  static constexpr int kAlignment = kAlignmentA < kAlignmentB ? kAlignmentA : kAlignmentB;
  static constexpr int kWarpsM = Config::kTileM / Config::kWarpM;
  static constexpr int kWarps = kWarpsM * (Config::kTileN / Config::kWarpN);
  static constexpr int kThreads = kWarps * 32;
  static_assert(Config::kTileM % Config::kWarpM == 0 && Config::kTileN % Config::kWarpN == 0, "whole warp tiles");
  static_assert(Config::kWarpM % 32 == 0 && Config::kWarpN % 16 == 0, "whole fragments, whole epilogue columns");
  static_assert(Config::kTileK % 32 == 0, "at least two steps of 16, for the double-buffered fragments");

  // cp.async copies no fewer than 4 bytes, so operands at odd addresses go through registers.
  static constexpr Prefetch kPrefetch =
      Config::kPrefetch == Prefetch::kAsync && kAlignment < 4 ? Prefetch::kRegisters : Config::kPrefetch;
  static constexpr int kStages = kPrefetch == Prefetch::kAsync ? Config::kStages : kPrefetch == Prefetch::kNone ? 1 : 2;
  // Elements a copy.
  static constexpr int unit(int alignment) { return Config::kWideCopies && alignment == 16 ? 8 : 2; }

  using TileA = OperandTile<Config::kTileM, Config::kTileK, kOpA == Op::kT, Config::kSwizzle>;
  using TileB = OperandTile<Config::kTileN, Config::kTileK, kOpB == Op::kN, Config::kSwizzle>;
  using Strip = EpilogueStrip<Config::kWarpM>;
  static constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;
  static constexpr int kPipelineBytes = kStages * kStageBytes;
  static constexpr int kStripBytes = kWarps * Strip::kBytes;
  static constexpr int kSharedBytes = kPipelineBytes > kStripBytes ? kPipelineBytes : kStripBytes;
};

}  // namespace fastgemm::hgemm_mma
