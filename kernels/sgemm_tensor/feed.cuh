// The ring of shared memory stages, its barriers, and the thread that keeps it full.
#pragma once

#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"
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

// A full barrier ends with the one arrival that announces its bytes, an empty one when all warps that multiply have
// left the stage, a turn when all warps of the other warpgroup have given it away. By one thread.
template <class Config>
FG_DEVICE void init_barriers(const SharedLayout<Config>& shared) {
  for (int stage = 0; stage < Config::kStages; ++stage) {
    ptx::mbarrier_init(shared.full(stage), 1);
    ptx::mbarrier_init(shared.empty(stage), kConsumerWarps);
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

// Copies the k blocks of all tiles of this block, in order. By one thread.
template <class Config>
FG_DEVICE void feed(const ProductParams& params, const SharedLayout<Config>& shared) {
  RingPosition<Config> at;
  const PartTiles& product = params.tiles<Config::kMethod>();
  const int tiles = product.grid.tiles_m * product.grid.tiles_n;
  if constexpr (Config::kMethod == Method::kBf16x6) ptx::fence_proxy_async_global();  // of parts from this launch
  for (auto tile = static_cast<int>(ptx::block_index()); tile < tiles; tile += static_cast<int>(ptx::grid_size())) {
    const TileCoordinate place = tile_place(product.grid, tile, kRasterGroup);
    for (int k_block = 0; k_block < product.k_blocks; ++k_block) {
      wait_for(shared.empty(at.stage), at.parity ^ 1);
      const ptx::SharedAddress barrier = shared.full(at.stage);
      ptx::mbarrier_arrive_expect_tx(barrier, Config::kStageBytes);
      copy_parts<Config, Config::kTileLeft>(product.parts[kLeft], place.n * Config::kTileLeft, k_block,
                                            shared.left(at.stage), barrier);
      copy_parts<Config, Config::kTileRight>(product.parts[kRight], place.m * Config::kTileRight, k_block,
                                             shared.right(at.stage), barrier);
      at.advance();
    }
  }
}

}  // namespace fastgemm::sgemm_tensor
