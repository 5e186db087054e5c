// The ring of shared memory stages, its barriers, and the thread that keeps it full.
#pragma once

#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/sgemm_tensor/config.h"
#include "kernels/sgemm_tensor/params.h"
#include "kernels/tile/barrier_wait.cuh"

namespace fastgemm::sgemm_tensor {

// Where the parts of a block's shared memory begin.
template <class Config>
struct SharedLayout {
  ptx::SharedAddress s_ring;
  FG_DEVICE SharedLayout()
      : s_ring((ptx::shared_base() + kSwizzleAlignment - 1) / kSwizzleAlignment * kSwizzleAlignment) {}
  FG_DEVICE ptx::SharedAddress left(int stage) const { return s_ring + stage * Config::kStageBytes; }
  FG_DEVICE ptx::SharedAddress right(int stage) const { return left(stage) + Config::kLeftBytes; }
  FG_DEVICE ptx::SharedAddress strip(int warp) const {
    return s_ring + Config::kResultOffset + warp * Strip::kBytes;
  }
  FG_DEVICE ptx::SharedAddress full(int stage) const { return s_ring + Config::kBarrierOffset + stage * 8; }
  FG_DEVICE ptx::SharedAddress empty(int stage) const { return full(Config::kStages + stage); }
  FG_DEVICE ptx::SharedAddress turn(int warpgroup) const { return full(2 * Config::kStages + warpgroup); }
};

// A full barrier ends with the one arrival that announces its bytes, an empty one when all warps that multiply, of all
// blocks of the cluster, have left the stage, a turn when all warps of the other warpgroup have given it away. By one
// thread.
template <class Config>
FG_DEVICE void init_barriers(const SharedLayout<Config>& shared) {
  for (int stage = 0; stage < Config::kStages; ++stage) {
    ptx::mbarrier_init(shared.full(stage), 1);
    ptx::mbarrier_init(shared.empty(stage), kConsumerWarps * Config::kCluster);
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
};

// The tiles of a block: every `step`-th of the clusters' from `first` on, and of those of a cluster the one that is its
// own.
template <class Config>
struct WorkList {
  int first;
  int step;
  int end;
  FG_DEVICE explicit WorkList(const ProductParams& params)
      : first(static_cast<int>(ptx::block_index()) / Config::kCluster),
        step(static_cast<int>(ptx::grid_size()) / Config::kCluster),
        end(grid(params).tiles_m * grid(params).tiles_n) {}

  FG_DEVICE static TileCoordinate place(const ProductParams& params, int index) {
    constexpr int kGroup = Config::kSharesLeft ? kRasterGroup : kRasterGroup / Config::kCluster;
    TileCoordinate at = tile_place(grid(params), index, kGroup);
    if constexpr (Config::kCluster > 1) {
      int& along = Config::kSharesLeft ? at.m : at.n;
      along = along * Config::kCluster + ptx::cluster_rank();
    }
    return at;
  }

 private:
  FG_DEVICE static const TileGrid& grid(const ProductParams& params) {
    return params.tiles<Config::kMethod>().grid;
  }
};

// Copies one k block of an operand: all parts of kRows rows.
template <class Config, int kRows>
FG_DEVICE void copy_parts(const ptx::TensorMap& map, int row, int k_block, ptx::SharedAddress s_tile,
                          ptx::SharedAddress barrier) {
  using Part = typename Config::Part;
  constexpr int kBoxElements = Part::kRowBytes / 2;
#pragma unroll
  for (int copy = 0; copy < Part::kCopies; ++copy) {
    ptx::tma_load_2d(s_tile + copy * kRows * Part::kRowBytes, map, (k_block * Part::kCopies + copy) * kBoxElements, row,
                     barrier);
  }
}

// Of an operand that both blocks of a pair need, this one's half of the rows, to both.
template <class Config, int kRows>
FG_DEVICE void copy_half_to_pair(const ptx::TensorMap& map, int row, int k_block, ptx::SharedAddress s_tile,
                                 ptx::SharedAddress barrier) {
  using Part = typename Config::Part;
  constexpr int kBoxElements = Part::kRowBytes / 2;
  constexpr std::uint16_t kBoth = (1 << kPair) - 1;
  const int first = ptx::cluster_rank() * (kRows / kPair);
#pragma unroll
  for (int copy = 0; copy < Part::kCopies; ++copy) {
    ptx::tma_load_2d_multicast(s_tile + (copy * kRows + first) * Part::kRowBytes, map,
                               (k_block * Part::kCopies + copy) * kBoxElements, row + first, barrier, kBoth);
  }
}

// One k block of an operand.
template <class Config, Side kSide>
FG_DEVICE void copy_operand(const ProductParams& params, int row, int k_block, ptx::SharedAddress s_tile,
                            ptx::SharedAddress barrier) {
  constexpr int kRows = kSide == kLeft ? Config::kTileLeft : Config::kTileRight;
  const ptx::TensorMap& map = params.tiles<Config::kMethod>().parts[kSide];
  if constexpr (Config::kCluster > 1 && Config::kSharesLeft == (kSide == kLeft)) {
    copy_half_to_pair<Config, kRows>(map, row, k_block, s_tile, barrier);
  } else {
    copy_parts<Config, kRows>(map, row, k_block, s_tile, barrier);
  }
}

// Copies the k blocks of all tiles of this block, in order. By one thread.
template <class Config>
class Feed {
 public:
  FG_DEVICE Feed(const ProductParams& params, const SharedLayout<Config>& shared)
      : params_(params), shared_(shared), list_(params), k_blocks_(params.tiles<Config::kMethod>().k_blocks) {}

  // Fills the ring for the first time, when all stages are empty.
  FG_DEVICE void start() {
    const TileCoordinate place = list_.place(params_, list_.first);
    for (int k_block = 0; k_block < ahead(); ++k_block) copy_block(place, k_block);
  }

  // The rest, or all if start() has not been called, each as soon as its stage is empty.
  FG_DEVICE void run(bool started) {
    int first_block = started ? ahead() : 0;
    for (int k_block = 0; k_block < first_block; ++k_block) at_.advance();
    for (int tile = list_.first; tile < list_.end; tile += list_.step) {
      const TileCoordinate place = list_.place(params_, tile);
      for (int k_block = first_block; k_block < k_blocks_; ++k_block) {
        wait_for(shared_.empty(at_.stage), at_.parity ^ 1);
        copy_block(place, k_block);
      }
      first_block = 0;
    }
  }

  // By any thread, where what start() has copied is of no use: until it is there, so that its place is free.
  FG_DEVICE void drop_started() const {
    for (int stage = 0; stage < ahead(); ++stage) wait_for(shared_.full(stage), 0);
  }

 private:
  // How many blocks of k of the first tile start() copies.
  FG_DEVICE int ahead() const {
    if (list_.first >= list_.end) return 0;
    return k_blocks_ < Config::kStages ? k_blocks_ : Config::kStages;
  }

  FG_DEVICE void copy_block(const TileCoordinate& place, int k_block) {
    const ptx::SharedAddress barrier = shared_.full(at_.stage);
    ptx::mbarrier_arrive_expect_tx(barrier, Config::kStageBytes);
    copy_operand<Config, kLeft>(params_, place.n * Config::kTileLeft, k_block, shared_.left(at_.stage), barrier);
    copy_operand<Config, kRight>(params_, place.m * Config::kTileRight, k_block, shared_.right(at_.stage), barrier);
    at_.advance();
  }

  const ProductParams& params_;
  SharedLayout<Config> shared_;
  WorkList<Config> list_;
  RingPosition<Config> at_;
  int k_blocks_;
};

}  // namespace fastgemm::sgemm_tensor
