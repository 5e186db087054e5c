// How a chain of FMAs passes from one block to the next: tickets, flags and parked accumulators, all in device memory.
// A block waits only for the block with the ticket before its own, which is running or done, so that any number of
// resident blocks makes progress. All words are 0 before a launch and 0 again after it.
#pragma once

#include "kernels/ptx/global.cuh"
#include "kernels/ptx/inter_block.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/sgemm_hopper/mainloop.cuh"
#include "kernels/sgemm_hopper/params.h"

namespace fastgemm::hopper {

// The next share, in the order in which blocks begin. By one thread a block.
FG_DEVICE int draw_ticket(const HopperParams& params) {
  const auto ticket = static_cast<int>(ptx::atomic_add_gpu_u32(params.flags, 1));
  if (ticket == params.grid.shares - 1) ptx::st_release_gpu_u32(params.flags, 0);  // nobody draws after the last
  return ticket;
}

// Flag and place of the accumulators that share `share` - 1 parks for share `share`.
FG_DEVICE std::uint32_t* flag_of(const HopperParams& params, int share) { return params.flags + share; }

FG_DEVICE float* parked_for(const HopperParams& params, int share) {
  return params.parked + static_cast<std::int64_t>(share - 1) * (kTileWide * kTileNarrow) + ptx::thread_index() * 4;
}

// Accumulators travel as vectors whose neighbours are exchanged: ptxas then gives odd registers to even elements, and
// so accumulators and the wide elements that meet them lie in different banks.
FG_DEVICE void park_accumulators(const HopperParams& params, int share, const Accumulators& r_acc) {
  float* g_parked = parked_for(params, share + 1);
#pragma unroll
  for (int j = 0; j < kThreadNarrow; ++j) {
#pragma unroll
    for (int i = 0; i < kThreadWide; i += 4) {
      ptx::st_global_f32x4(g_parked, float4{r_acc[j][i + 1], r_acc[j][i], r_acc[j][i + 3], r_acc[j][i + 2]});
      g_parked += kThreads * 4;
    }
  }
  ptx::fence_gpu();
  ptx::barrier_sync();
  if (ptx::thread_index() == 0) ptx::st_release_gpu_u32(flag_of(params, share + 1), 1);
}

FG_DEVICE void resume_accumulators(const HopperParams& params, int share, Accumulators& r_acc) {
  if (ptx::thread_index() == 0) {
    while (ptx::ld_acquire_gpu_u32(flag_of(params, share)) == 0) {
    }
    ptx::st_release_gpu_u32(flag_of(params, share), 0);
  }
  ptx::barrier_sync();
  const float* g_parked = parked_for(params, share);
#pragma unroll
  for (int j = 0; j < kThreadNarrow; ++j) {
#pragma unroll
    for (int i = 0; i < kThreadWide; i += 4) {
      const float4 value = ptx::ld_global_f32x4(g_parked);
      r_acc[j][i + 1] = value.x, r_acc[j][i] = value.y, r_acc[j][i + 3] = value.z, r_acc[j][i + 2] = value.w;
      g_parked += kThreads * 4;
    }
  }
}

}  // namespace fastgemm::hopper
