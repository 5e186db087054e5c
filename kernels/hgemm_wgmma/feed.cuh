// The ring of shared memory stages, its barriers, and the thread that keeps it full.
#pragma once

#include "kernels/hgemm_wgmma/config.h"
#include "kernels/hgemm_wgmma/params.h"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/tile/split_sum.cuh"

namespace fastgemm::hgemm_wgmma {

// Where the parts of a block's shared memory begin.
template <class Config>
struct SharedLayout {
  ptx::SharedAddress s_ring;
  FG_DEVICE SharedLayout()
      : s_ring((ptx::shared_base() + kSwizzleAlignment - 1) / kSwizzleAlignment * kSwizzleAlignment) {}
  FG_DEVICE ptx::SharedAddress left(int stage) const { return s_ring + stage * Config::kStageBytes; }
  FG_DEVICE ptx::SharedAddress right(int stage) const { return left(stage) + Config::kLeftBytes; }
  FG_DEVICE ptx::SharedAddress results(int warp) const {
    return s_ring + Config::kResultOffset + warp * Config::kWarpResultBytes;
  }
  FG_DEVICE ptx::SharedAddress full(int stage) const { return s_ring + Config::kBarrierOffset + stage * 8; }
  FG_DEVICE ptx::SharedAddress empty(int stage) const { return full(Config::kStages + stage); }
  FG_DEVICE ptx::SharedAddress turn(int warpgroup) const { return full(2 * Config::kStages + warpgroup); }
  FG_DEVICE ptx::SharedAddress word(int warpgroup) const { return s_ring + Config::kWordOffset + warpgroup * 4; }
};

FG_DEVICE void wait_for(ptx::SharedAddress barrier, int parity) {
  while (!ptx::mbarrier_try_wait(barrier, parity)) {
  }
}

// A full barrier ends with the one arrival that announces its bytes, an empty one when all warps that multiply the
// stage have left it, a turn when all warps of the other warpgroup have given it away. By one thread.
template <class Config>
FG_DEVICE void init_barriers(const SharedLayout<Config>& shared) {
  for (int stage = 0; stage < Config::kStages; ++stage) {
    ptx::mbarrier_init(shared.full(stage), 1);
    ptx::mbarrier_init(shared.empty(stage), 4 * Config::kGroupsOfTile);
  }
  for (int warpgroup = 0; warpgroup < kWarpgroups; ++warpgroup) ptx::mbarrier_init(shared.turn(warpgroup), 4);
  ptx::mbarrier_init_fence();
}

// A stage of the ring and the parity of its barriers.
template <class Config>
struct RingPosition {
  int stage = 0;
  int parity = 0;

  FG_DEVICE void advance() {
    if (++stage < Config::kStages) return;
    stage = 0;
    parity ^= 1;
  }

  FG_DEVICE void advance(int count) {
    stage += count % Config::kStages;
    parity ^= count / Config::kStages & 1;
    if (stage < Config::kStages) return;
    stage -= Config::kStages;
    parity ^= 1;
  }
};

// One k block of an operand, kTile elements along m or n: one box, or one for every 64 where k is not contiguous.
template <Major kMajor, int kTile>
FG_DEVICE void copy_operand(const ptx::TensorMap& map, int first, int first_k, int entry, ptx::SharedAddress s_tile,
                            ptx::SharedAddress barrier) {
  if constexpr (kMajor == Major::kK) {
    ptx::tma_load_3d(s_tile, map, first_k, first, entry, barrier);
  } else {
#pragma unroll
    for (int row = 0; row < kTile; row += 64) {
      ptx::tma_load_3d(s_tile + wgmma_row_bytes(row), map, first + row, first_k, entry, barrier);
    }
  }
}

// What one item of a block's work is.
template <class Config>
struct WorkItem {
  SplitPart part;
  TilePlace place;
  SplitSteps steps;  // of its k blocks

  FG_DEVICE WorkItem(const WgmmaParams& params, int item) : part{item, 0}, steps{0, params.k_blocks} {
    if constexpr (Config::kSplits) {
      if (params.split.splits > 1) {
        part = split_part(params.split, item);
        steps = split_steps(params.k_blocks, params.split.splits, part.index);
      }
    }
    place = tile_place(params.grid, static_cast<int>(part.tile), kRasterGroup);
  }
};

// Copies the k blocks of all of this block's work, in order. Used by one thread.
template <class Config>
class Feed {
 public:
  FG_DEVICE Feed(const WgmmaParams& params, const SharedLayout<Config>& shared) : params_(params), shared_(shared) {}

  // Fills the ring for the first time, when all stages are still empty: before the block meets at a barrier. There is a
  // first item.
  FG_DEVICE void start() {
    const WorkItem<Config> item(params_, static_cast<int>(ptx::block_index()));
    const int blocks = item.steps.end - item.steps.begin;
    started_ = blocks < Config::kStages ? blocks : Config::kStages;
    for (int block = 0; block < started_; ++block) copy_block(item.place, item.steps.begin + block);
  }

  // The rest, each as soon as its stage is empty.
  FG_DEVICE void run() {
    for (int number = static_cast<int>(ptx::block_index()); number < params_.items;
         number += static_cast<int>(ptx::grid_size())) {
      const WorkItem<Config> item(params_, number);
      for (int k_block = item.steps.begin + started_; k_block < item.steps.end; ++k_block) {
        wait_for(shared_.empty(at_.stage), at_.parity ^ 1);
        copy_block(item.place, k_block);
      }
      started_ = 0;
    }
  }

 private:
  FG_DEVICE void copy_block(const TilePlace& place, int k_block) {
    const ptx::SharedAddress barrier = shared_.full(at_.stage);
    ptx::mbarrier_arrive_expect_tx(barrier, Config::kStageBytes);
    copy_operand<Config::kMajorLeft, Config::kTileLeft>(params_.left, place.tile_n * Config::kTileLeft,
                                                        k_block * kTileK, place.entry * params_.left_entry_step,
                                                        shared_.left(at_.stage), barrier);
    copy_operand<Config::kMajorRight, Config::kTileRight>(params_.right, place.tile_m * Config::kTileRight,
                                                          k_block * kTileK, place.entry * params_.right_entry_step,
                                                          shared_.right(at_.stage), barrier);
    at_.advance();
  }

  const WgmmaParams& params_;
  SharedLayout<Config> shared_;
  RingPosition<Config> at_;
  int started_ = 0;  // k blocks of the first item that start() has copied
};

}  // namespace fastgemm::hgemm_wgmma
