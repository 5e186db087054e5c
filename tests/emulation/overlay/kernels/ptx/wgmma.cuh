// Host version of kernels/ptx/wgmma.cuh: products run at the wait that covers them.
#pragma once

#include "kernels/ptx/simt.cuh"
#include "kernels/tile/wgmma_descriptor.cuh"

namespace fastgemm::ptx {

// Calls compute(lanes) once for all lanes of a warp.
template <class Compute>
void with_warp(const char* operation, Compute compute) {
  emulation::Thread& thread = emulation::current(operation);
  thread.block->collective(thread, operation, thread, compute);
}

FG_DEVICE void wgmma_fence() {
  with_warp("wgmma_fence",
            [](emulation::Lanes<emulation::Thread> lanes) { lanes[0]->block->wgmma().fence(*lanes[0]); });
}

FG_DEVICE void wgmma_commit() {
  with_warp("wgmma_commit",
            [](emulation::Lanes<emulation::Thread> lanes) { lanes[0]->block->wgmma().commit(*lanes[0]); });
}

template <int kPending>
FG_DEVICE void wgmma_wait() {
  with_warp("wgmma_wait",
            [](emulation::Lanes<emulation::Thread> lanes) { lanes[0]->block->wgmma().wait(lanes, kPending); });
}

FG_DEVICE void wgmma_pin(float&) {}

template <int kN, Major kMajorA, Major kMajorB>
void wgmma_any(float (&d)[kN / 2], std::uint64_t a, std::uint64_t b, bool accumulate, bool bfloat16,
               const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  emulation::WgmmaLane mine{&thread, d, a, b, accumulate};
  const emulation::WgmmaShape shape{kN, bfloat16, kMajorA == Major::kMn, kMajorB == Major::kMn};
  thread.block->collective(thread, operation, mine, [&](emulation::Lanes<emulation::WgmmaLane> lanes) {
    thread.block->wgmma().multiply(lanes, shape, operation);
  });
}

template <int kCount>
FG_DEVICE void setmaxnreg_inc() {
  static_assert(kCount % 8 == 0 && kCount >= 24 && kCount <= 256);
  with_warp("setmaxnreg_inc", [](emulation::Lanes<emulation::Thread>) {});
}

template <int kCount>
FG_DEVICE void setmaxnreg_dec() {
  static_assert(kCount % 8 == 0 && kCount >= 24 && kCount <= 256);
  with_warp("setmaxnreg_dec", [](emulation::Lanes<emulation::Thread>) {});
}

}  // namespace fastgemm::ptx
