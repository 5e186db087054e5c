// The ring of shared memory stages and the copies that fill it. There is no producer warp: after each k block one warp,
// in turn, copies the block that takes the place of the one before.
#pragma once

#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/sgemm_sliced/config.h"
#include "kernels/sgemm_sliced/params.h"

namespace fastgemm::sliced {

// Where the parts of a block's shared memory begin.
template <class Config>
struct SharedLayout {
  ptx::SharedAddress s_ring;
  FG_DEVICE SharedLayout()
      : s_ring((ptx::shared_base() + kSwizzleAlignment - 1) / kSwizzleAlignment * kSwizzleAlignment) {}
  FG_DEVICE ptx::SharedAddress full(int stage) const { return s_ring + Config::kBarrierOffset + stage * 8; }
  FG_DEVICE ptx::SharedAddress empty(int stage) const { return full(Config::kStages + stage); }
  FG_DEVICE ptx::SharedAddress word() const { return s_ring + Config::kWordOffset; }
};

FG_DEVICE void wait_for(ptx::SharedAddress barrier, int parity) {
  while (!ptx::mbarrier_try_wait(barrier, parity)) {
  }
}

// A full barrier ends with the one arrival that announces its bytes; an empty one when every warp has left the stage.
template <class Config>
FG_DEVICE void init_barriers(const SharedLayout<Config>& shared) {
  for (int stage = 0; stage < Config::kStages; ++stage) {
    ptx::mbarrier_init(shared.full(stage), 1);
    ptx::mbarrier_init(shared.empty(stage), kWarps);
  }
  ptx::mbarrier_init_fence();
}

// The k blocks first .. first + count - 1 of the tile that begins at (row, column).
struct BlockRange {
  int row = 0;
  int column = 0;
  int first = 0;
  int count = 0;
};

// Starts the copies of block `block` of the range, if there is one, as soon as all warps have left its stage. By one
// thread.
template <class Config>
FG_DEVICE void copy_block(const SlicedParams& params, const SharedLayout<Config>& shared, const BlockRange& range,
                          int block) {
  if (block >= range.count) return;
  const int stage = block % Config::kStages;
  const int first_k = (range.first + block) * kTileK;
  wait_for(shared.empty(stage), (block / Config::kStages & 1) ^ 1);
  const ptx::SharedAddress barrier = shared.full(stage);
  const ptx::SharedAddress s_a = shared.s_ring + stage * Config::kStageBytes;
  const ptx::SharedAddress s_b = s_a + Config::SideA::kStageBytes;
  ptx::mbarrier_arrive_expect_tx(barrier, Config::kStageBytes);
  if constexpr (Config::SideA::kAlong == Along::kDepth) {
    ptx::tma_load_2d(s_a, params.a, first_k, range.row, barrier);
  } else {
    ptx::tma_load_2d(s_a, params.a, range.row, first_k, barrier);
  }
  if constexpr (Config::SideB::kAlong == Along::kDepth) {
    ptx::tma_load_2d(s_b, params.b, first_k, range.column, barrier);
  } else {
    ptx::tma_load_2d(s_b, params.b, range.column, first_k, barrier);
  }
}

}  // namespace fastgemm::sliced
