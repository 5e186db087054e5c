// The ring of shared memory stages and the copies that fill it. There is no producer warp: after each k block one warp,
// in turn, copies the block that takes the place of the one before.
#pragma once

#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/sgemm_hopper/config.h"
#include "kernels/sgemm_hopper/params.h"
#include "kernels/sgemm_hopper/turn.cuh"
#include "kernels/tile/barrier_wait.cuh"
#include "kernels/tile/tile_order.cuh"

namespace fastgemm::hopper {

// Where the parts of a block's shared memory begin.
template <class Config>
struct SharedLayout {
  ptx::SharedAddress s_ring;
  FG_DEVICE SharedLayout()
      : s_ring((ptx::shared_base() + kSwizzleAlignment - 1) / kSwizzleAlignment * kSwizzleAlignment) {}
  FG_DEVICE ptx::SharedAddress full(int stage) const { return s_ring + Config::kBarrierOffset + stage * 8; }
  FG_DEVICE ptx::SharedAddress empty(int stage) const { return full(Config::kStages + stage); }
  FG_DEVICE ptx::SharedAddress turned(int stage) const { return empty(Config::kStages + stage); }
  FG_DEVICE ptx::SharedAddress word() const { return s_ring + Config::kWordOffset; }
  FG_DEVICE ptx::SharedAddress segment(int index) const { return s_ring + Config::kTableOffset + index * 16; }
};

// A full barrier ends with the one arrival that announces its bytes; an empty one when every warp has left the stage; a
// turned one when every warp has turned its part, round by round.
template <class Config>
FG_DEVICE void init_barriers(const SharedLayout<Config>& shared) {
  for (int stage = 0; stage < Config::kStages; ++stage) {
    ptx::mbarrier_init(shared.full(stage), 1);
    ptx::mbarrier_init(shared.empty(stage), kWarps);
    ptx::mbarrier_init(shared.turned(stage), kWarps * kRounds);
  }
  ptx::mbarrier_init_fence();
}

// An entry of the segment table: the tile's first elements, the k block in the tile less the block in the share, and
// the block in the share at which the segment begins. The entry after the last segment begins where the share ends.
template <class Config>
FG_DEVICE void write_segment(const SharedLayout<Config>& shared, const HopperParams& params, const Share& share,
                             int index) {
  const int begin = blocks_before(params.grid, share, index);
  uint4 entry{0, 0, 0, static_cast<std::uint32_t>(begin)};
  if (index < share.segments) {
    const Segment segment = segment_of(params.grid, share, index);
    const TileCoordinate at = grouped_raster_tile(segment.tile, params.tiles_wide, params.tiles_narrow, kRasterGroup);
    entry.x = static_cast<std::uint32_t>(at.m * kTileWide);
    entry.y = static_cast<std::uint32_t>(at.n * kTileNarrow);
    entry.z = static_cast<std::uint32_t>(segment.first - begin);
  }
  ptx::st_shared_u32x4(shared.segment(index), entry);
}

template <class Config>
class Feed {
 public:
  FG_DEVICE Feed(const HopperParams& params, const SharedLayout<Config>& shared, int blocks)
      : params_(params), shared_(shared), blocks_(blocks) {}

  // Starts the copies of block `block` of the share, if there is one, as soon as all warps have left its stage. By one
  // thread, which asks for blocks in ascending order.
  FG_DEVICE void copy_block(int block) {
    if (block >= blocks_) return;
    const int stage = block % Config::kStages;
    while (block >= static_cast<int>(ptx::ld_shared_u32(shared_.segment(segment_ + 1) + 12))) ++segment_;
    const uint4 entry = ptx::ld_shared_u32x4(shared_.segment(segment_));
    const int first_wide = static_cast<int>(entry.x);
    const int first_narrow = static_cast<int>(entry.y);
    const int first_k = (block + static_cast<int>(entry.z)) * kTileK;
    wait_for(shared_.empty(stage), (block / Config::kStages & 1) ^ 1);
    const ptx::SharedAddress barrier = shared_.full(stage);
    const ptx::SharedAddress s_stage = shared_.s_ring + stage * kStageBytes;
    if (Config::kTurns) ptx::fence_proxy_async();  // warps have written to the stage
    ptx::mbarrier_arrive_expect_tx(barrier, kStageBytes);
    if constexpr (Config::kTurns) {
      ptx::tma_load_2d(s_stage, params_.wide, first_k, first_wide, barrier);
    } else {
      ptx::tma_load_2d(s_stage, params_.wide, first_wide, first_k, barrier);
    }
    if constexpr (Config::kNarrowDepthContiguous) {
      ptx::tma_load_2d(s_stage + kStageBytesWide, params_.narrow, first_k, first_narrow, barrier);
    } else {
      ptx::tma_load_2d(s_stage + kStageBytesWide, params_.narrow, first_narrow, first_k, barrier);
    }
  }

 private:
  const HopperParams& params_;
  SharedLayout<Config> shared_;
  int blocks_;
  int segment_ = 0;
};

}  // namespace fastgemm::hopper
