// The ring of shared memory stages, its barriers, and the thread that keeps it full.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/hgemm_wgmma/config.h"
#include "kernels/hgemm_wgmma/params.h"
#include "kernels/ptx/cluster.cuh"
#include "kernels/tile/barrier_wait.cuh"
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

// A full barrier ends with the one arrival that announces its bytes, an empty one when all warps that multiply the
// stage, of all blocks of the cluster, have left it, a turn when all warps of the other warpgroup have given it away. By
// one thread.
template <class Config>
FG_DEVICE void init_barriers(const SharedLayout<Config>& shared) {
  for (int stage = 0; stage < Config::kStages; ++stage) {
    ptx::mbarrier_init(shared.full(stage), 1);
    ptx::mbarrier_init(shared.empty(stage), 4 * Config::kGroupsOfTile * Config::kCluster);
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

// A block's place among those of its cluster, and the cluster's among all; without clusters a block is one.
template <class Config>
struct ClusterPlace {
  int rank = 0;
  int index = 0;
  int count = 0;
  FG_DEVICE ClusterPlace()
      : index(static_cast<int>(ptx::block_index()) / Config::kCluster),
        count(static_cast<int>(ptx::grid_size()) / Config::kCluster) {
    if constexpr (Config::kCluster > 1) rank = ptx::cluster_rank();
  }
};

template <class Config>
FG_DEVICE void cluster_meet() {
  if constexpr (Config::kCluster > 1) {
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
}

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

// The share of one block of a pair in a k block of the operand that both need: every other box along m or n, copied to
// both.
template <Major kMajor, int kTile, int kBox>
FG_DEVICE void copy_share_to_pair(const ptx::TensorMap& map, int first, int first_k, int entry,
                                  ptx::SharedAddress s_tile, ptx::SharedAddress barrier, int rank) {
  constexpr std::uint16_t kBoth = 3;
#pragma unroll 1
  for (int row = rank * kBox; row < kTile; row += kPair * kBox) {
    const ptx::SharedAddress s_box = s_tile + row * (kTileK * 2);  // also where boxes hold 64 along m or n
    if constexpr (kMajor == Major::kK) {
      ptx::tma_load_3d_multicast(s_box, map, first_k, first + row, entry, barrier, kBoth);
    } else {
      ptx::tma_load_3d_multicast(s_box, map, first + row, first_k, entry, barrier, kBoth);
    }
  }
}

// The tile of a block in a cluster whose tiles are number `index`.
template <class Config>
FG_DEVICE TilePlace place_in_cluster(const WgmmaParams& params, int index) {
  TilePlace place = tile_place(params.grid, index, kRasterGroup);
  if constexpr (Config::kCluster > 1) place.tile_n = place.tile_n * Config::kCluster + ptx::cluster_rank();
  return place;
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
    place = place_in_cluster<Config>(params, static_cast<int>(part.tile));
  }
};

// Of C, what will be added to the tile, into L2: a warp waits for it box by box, or strip by strip. With beta on one
// H200 (CUDA 13.0), with none prefetched, only the first tile's (prefetch_first_c), and so: 1024 x 1024 x 1024 NN
// from 128 x 64 14.5, 13.5, 13.6 us; 2048 from 256 x 128 36.6, 36.0, 34.6, from 192 x 128 56.4, 57.4, 50.8; 4096 from
// 256 x 128 207.9, 208.8, 209.7, from 128 x 64 261.4, 258.8, 255.7.
template <class Config>
FG_DEVICE void prefetch_c_of_tile(const WgmmaParams& params, const TilePlace& place) {
  if (!params.c_by_copies || load_scalar(params.problem.beta) == 0.0f) return;
#pragma unroll 1
  for (int row = 0; row < Config::kTileM; row += kPrefetchRows) {
    ptx::tma_prefetch_3d(params.c, place.tile_m * Config::kTileM + row, place.tile_n * Config::kTileN,
                         place.entry * params.c_entry_step);
  }
}

// Copies the k blocks of all of this block's work, in order. Used by one thread.
template <class Config>
class Feed {
 public:
  FG_DEVICE Feed(const WgmmaParams& params, const SharedLayout<Config>& shared)
      : params_(params), shared_(shared) {}

  // Fills the ring for the first time, when all stages are still empty: before the block meets at a barrier. There is a
  // first item.
  FG_DEVICE void start() {
    const WorkItem<Config> item(params_, own_.index);
    const int blocks = item.steps.end - item.steps.begin;
    started_ = blocks < Config::kStages ? blocks : Config::kStages;
    for (int block = 0; block < started_; ++block) copy_block(item.place, item.steps.begin + block);
    if constexpr (Config::kGeneral) prefetch_c_of_tile<Config>(params_, item.place);
  }

  // The rest, each as soon as its stage is empty.
  FG_DEVICE void run() {
    for (int number = own_.index; number < params_.items; number += own_.count) {
      const WorkItem<Config> item(params_, number);
      if constexpr (Config::kGeneral) {
        if (started_ == 0) prefetch_c_of_tile<Config>(params_, item.place);
      }
      for (int k_block = item.steps.begin + started_; k_block < item.steps.end; ++k_block) {
        wait_for(shared_.empty(at_.stage), at_.parity ^ 1);
        copy_block(item.place, k_block);
      }
      if constexpr (Config::kAddsC) copy_c(item.place);
      started_ = 0;
    }
  }

 private:
  // Of C, what is added to the tile, into the stages after the tile's last k block.
  FG_DEVICE void copy_c(const TilePlace& place) {
    for (int box = 0; box < Config::kBoxesAlongM; box += Config::kCBoxesOfStage) {
      const int left = Config::kBoxesAlongM - box;
      const int boxes = left < Config::kCBoxesOfStage ? left : Config::kCBoxesOfStage;
      wait_for(shared_.empty(at_.stage), at_.parity ^ 1);
      for (int i = 0; i < boxes; ++i) {
        ptx::tma_load_3d(shared_.left(at_.stage) + i * Config::kCBoxBytes, params_.c,
                         place.tile_m * Config::kTileM + (box + i) * kBoxRows, place.tile_n * Config::kTileN,
                         place.entry * params_.c_entry_step, shared_.full(at_.stage));
      }
      // Last, so that C has been read for whoever sees the phase end: D may be the same memory.
      ptx::mbarrier_arrive_expect_tx(shared_.full(at_.stage), boxes * Config::kCBoxBytes);
      at_.advance();
    }
  }

  FG_DEVICE void copy_block(const TilePlace& place, int k_block) {
    const ptx::SharedAddress barrier = shared_.full(at_.stage);
    ptx::mbarrier_arrive_expect_tx(barrier, Config::kStageBytes);
    copy_operand<Config::kMajorLeft, Config::kTileLeft>(params_.left, place.tile_n * Config::kTileLeft,
                                                        k_block * kTileK, place.entry * params_.left_entry_step,
                                                        shared_.left(at_.stage), barrier);
    const int first_right = place.tile_m * Config::kTileRight;
    const int entry_right = place.entry * params_.right_entry_step;
    const ptx::SharedAddress s_right = shared_.right(at_.stage);
    if constexpr (Config::kCluster > 1) {
      copy_share_to_pair<Config::kMajorRight, Config::kRightRows, Config::kPairBox>(
          params_.right, first_right, k_block * kTileK, entry_right, s_right, barrier, own_.rank);
    } else {
      copy_operand<Config::kMajorRight, Config::kRightRows>(params_.right, first_right, k_block * kTileK, entry_right,
                                                            s_right, barrier);
    }
    at_.advance();
  }

  const WgmmaParams& params_;
  SharedLayout<Config> shared_;
  ClusterPlace<Config> own_;
  RingPosition<Config> at_;
  int started_ = 0;  // k blocks of the first item that start() has copied
};

}  // namespace fastgemm::hgemm_wgmma
