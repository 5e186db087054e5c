// Where a block works, and the ring of shared memory stages that one thread's bulk copies fill.
#pragma once

#include "kernels/hgemm_sliced/config.h"
#include "kernels/hgemm_sliced/params.h"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/tile/barrier_wait.cuh"

namespace fastgemm::hgemm_sliced {

// Where the parts of a block's shared memory begin.
template <class Config>
struct SharedLayout {
  ptx::SharedAddress s_ring;
  FG_DEVICE SharedLayout()
      : s_ring((ptx::shared_base() + kStageAlignment - 1) / kStageAlignment * kStageAlignment) {}
  FG_DEVICE ptx::SharedAddress landing() const { return s_ring + Config::kLandingOffset; }
  FG_DEVICE ptx::SharedAddress full(int stage) const { return s_ring + Config::kBarrierOffset + stage * 8; }
  FG_DEVICE ptx::SharedAddress word() const { return s_ring + Config::kWordOffset; }
};

// The part of the product that is a block's: k blocks first .. first + count - 1 of the tile that begins at (row,
// column).
struct BlockPlace {
  int tile = 0;
  int row = 0;
  int column = 0;
  int rank = 0;   // in its cluster
  int group = 0;  // the cluster among the tile's
  int first = 0;
  int count = 0;
};

// Neighbours along the shorter side of the grid of tiles share in L2 what they read of the longer side's operand.
template <class Config>
FG_DEVICE BlockPlace block_place(const SlicedParams& params) {
  const auto block = static_cast<std::uint32_t>(ptx::block_index());
  const auto cluster = static_cast<std::uint32_t>(params.shares.cluster);
  const auto groups = static_cast<std::uint32_t>(params.shares.groups);
  const std::uint32_t number = block / cluster;
  BlockPlace place;
  place.rank = static_cast<int>(block - number * cluster);
  place.tile = static_cast<int>(number / groups);
  place.group = static_cast<int>(number) - place.tile * params.shares.groups;
  const bool along_m = params.tiles_m <= params.tiles_n;
  const int shorter = along_m ? params.tiles_m : params.tiles_n;
  const int across = place.tile / shorter;
  const int along = place.tile - across * shorter;
  place.row = (along_m ? along : across) * Config::kTileM;
  place.column = (along_m ? across : along) * Config::kTileN;
  const int parts = params.shares.cluster * params.shares.groups;
  const SplitSteps steps = split_steps(params.k_blocks, parts, place.group * params.shares.cluster + place.rank);
  place.first = steps.begin;
  place.count = steps.end - steps.begin;
  return place;
}

template <class Config>
class Feed {
 public:
  FG_DEVICE Feed(const SlicedParams& params, const SharedLayout<Config>& shared, const BlockPlace& place)
      : params_(params), shared_(shared), place_(place) {}

  // Makes the barriers and fills the ring, by one thread.
  FG_DEVICE void start() const {
    for (int stage = 0; stage < Config::kStages; ++stage) ptx::mbarrier_init(shared_.full(stage), 1);
    ptx::mbarrier_init_fence();
#pragma unroll 1
    for (int block = 0; block < Config::kStages && block < place_.count; ++block) copy_block(block, block);
  }

  // Starts the copies of block `block` of the range to a stage that nobody reads any more, by one thread.
  FG_DEVICE void copy_block(int block, int stage) const {
    const int first_k = (place_.first + block) * Config::kTileK;
    const ptx::SharedAddress barrier = shared_.full(stage);
    const ptx::SharedAddress s_stage = shared_.s_ring + stage * Config::kStageBytes;
    ptx::mbarrier_arrive_expect_tx(barrier, Config::kStageBytes);
#pragma unroll
    for (int box = 0; box < Config::kBoxes; ++box) {
      copy_side<typename Config::SideA>(s_stage + box * Config::kBoxBytes, params_.a, place_.row, first_k + box * kBoxK,
                                        barrier);
    }
#pragma unroll
    for (int box = 0; box < Config::kBoxes; ++box) {
      copy_side<typename Config::SideB>(s_stage + box * Config::kBoxBytes + Config::SideA::kBytes, params_.b,
                                        place_.column, first_k + box * kBoxK, barrier);
    }
  }

 private:
  template <class Side>
  FG_DEVICE static void copy_side(ptx::SharedAddress s_side, const ptx::TensorMap& map, int first, int first_k,
                                  ptx::SharedAddress barrier) {
    ptx::tma_load_2d(s_side, map, Side::kAlongDepth ? first_k : first, Side::kAlongDepth ? first : first_k, barrier);
  }

  const SlicedParams& params_;
  SharedLayout<Config> shared_;
  const BlockPlace& place_;
};

}  // namespace fastgemm::hgemm_sliced
