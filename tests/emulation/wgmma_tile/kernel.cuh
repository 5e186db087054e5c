// A small product the way Hopper kernels do it, for tests alone: one warp copies boxes of A and B into a ring of two
// stages, one warpgroup multiplies them, and D leaves as FP32 by plain stores and as FP16 by a bulk copy.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/stmatrix.cuh"
#include "kernels/ptx/tma_store.cuh"
#include "kernels/ptx/wgmma_f16.cuh"
#include "tests/emulation/wgmma_tile/tile.h"

namespace fastgemm::wgmma_tile {

// What the block's shared memory holds: the ring, then a barrier "full" and one "empty" a stage.
struct SharedLayout {
  ptx::SharedAddress s_ring;
  FG_DEVICE SharedLayout() : s_ring((ptx::shared_base() + 1023) / 1024 * 1024) {}
  FG_DEVICE ptx::SharedAddress a(int stage) const { return s_ring + stage * kStageBytes; }
  FG_DEVICE ptx::SharedAddress b(int stage) const { return a(stage) + kBytesA; }
  FG_DEVICE ptx::SharedAddress full(int stage) const { return s_ring + kStages * kStageBytes + stage * 8; }
  FG_DEVICE ptx::SharedAddress empty(int stage) const { return full(kStages + stage); }
};

FG_DEVICE void wait_for(ptx::SharedAddress barrier, int parity) {
  while (!ptx::mbarrier_try_wait(barrier, parity)) {
  }
}

// One box, or one a block of 64 mn, of an operand's k block.
template <Major kMajor>
FG_DEVICE void copy_operand(const ptx::TensorMap& map, int rows, int first_k, ptx::SharedAddress s_tile,
                            ptx::SharedAddress barrier) {
  if constexpr (kMajor == Major::kK) {
    ptx::tma_load_2d(s_tile, map, first_k, 0, barrier);
  } else {
    for (int row = 0; row < rows; row += 64) {
      ptx::tma_load_2d(s_tile + wgmma_row_bytes(row), map, row, first_k, barrier);
    }
  }
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void produce(const Params& params, const SharedLayout& shared) {
  for (int block = 0; block < params.k_blocks; ++block) {
    const int stage = block % kStages;
    wait_for(shared.empty(stage), (block / kStages & 1) ^ 1);
    ptx::mbarrier_arrive_expect_tx(shared.full(stage), kStageBytes);
    copy_operand<kMajorA>(params.a, kM, block * kK, shared.a(stage), shared.full(stage));
    copy_operand<kMajorB>(params.b, kN, block * kK, shared.b(stage), shared.full(stage));
  }
}

template <Major kMajorA, Major kMajorB>
FG_DEVICE void consume(const Params& params, const SharedLayout& shared, float (&r_acc)[kN / 2]) {
  for (int block = 0; block < params.k_blocks; ++block) {
    const int stage = block % kStages;
    wait_for(shared.full(stage), block / kStages & 1);
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < kK / 16; ++step) {
      const std::uint64_t a = swizzled_tile_descriptor<kMajorA>(shared.a(stage) + wgmma_step_bytes<kMajorA>(step));
      const std::uint64_t b = swizzled_tile_descriptor<kMajorB>(shared.b(stage) + wgmma_step_bytes<kMajorB>(step));
      ptx::wgmma_m64n128k16_f16<kMajorA, kMajorB>(r_acc, a, b, block > 0 || step > 0);
    }
    ptx::wgmma_commit();
    // The stage before is free once its own products are done; the latest ones may go on.
    if (block > 0) {
      ptx::wgmma_wait<1>();
      if (ptx::lane_index() == 0) ptx::mbarrier_arrive(shared.empty((block - 1) % kStages));
    }
  }
  ptx::wgmma_wait<0>();
#pragma unroll
  for (float& accumulator : r_acc) ptx::wgmma_pin(accumulator);
}

// FP16 (kM, kN), n contiguous, over the first stage of the ring.
FG_DEVICE void store_half(const Params& params, const SharedLayout& shared, const float (&r_acc)[kN / 2]) {
  const int lane = ptx::lane_index();
  const int row = ptx::warp_index() * 16 + lane % 16;
  ptx::barrier_sync(1, kConsumers);  // all products have read the ring
#pragma unroll
  for (int pair = 0; pair < kN / 16; ++pair) {
    std::uint32_t r[4];
#pragma unroll
    for (int matrix = 0; matrix < 4; ++matrix) {
      r[matrix] = ptx::f16x2_from_f32(r_acc[8 * pair + 2 * matrix], r_acc[8 * pair + 2 * matrix + 1]);
    }
    ptx::stmatrix_x4(shared.s_ring + row * kN * 2 + (2 * pair + lane / 16) * 16, r);
  }
  ptx::fence_proxy_async();
  ptx::barrier_sync(1, kConsumers);
  if (ptx::thread_index() == 0) {
    ptx::tma_store_2d(params.d_half, 0, 0, shared.s_ring);
    ptx::tma_store_commit();
    ptx::tma_store_wait_read<0>();
  }
}

template <Major kMajorA, Major kMajorB>
__global__ void __launch_bounds__(kThreads, 1) tile_kernel(const __grid_constant__ Params params) {
  const SharedLayout shared;
  if (ptx::thread_index() == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(shared.full(stage), 1);
      ptx::mbarrier_init(shared.empty(stage), kConsumers / 32);
    }
    ptx::mbarrier_init_fence();
  }
  ptx::barrier_sync();
  if (ptx::warp_index() == kConsumers / 32) {
    if (ptx::lane_index() == 0) produce<kMajorA, kMajorB>(params, shared);
    return;
  }
  float r_acc[kN / 2];
  consume<kMajorA, kMajorB>(params, shared, r_acc);
#pragma unroll
  for (int index = 0; index < kN / 2; ++index) {
    const int row = wgmma_row(ptx::thread_index(), index);
    const int column = wgmma_column(ptx::thread_index(), index);
    ptx::st_global_f32(params.d + row * kN + column, r_acc[index]);
  }
  store_half(params, shared, r_acc);
}

}  // namespace fastgemm::wgmma_tile
