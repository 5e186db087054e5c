// Warpgroup matrix multiply (sm_90a): order and completion. The products are in wgmma_f16.cuh and wgmma_bf16.cuh. PTX
// ISA, "Asynchronous warpgroup level matrix instructions". All four warps of a warpgroup execute the same ones.
//
//   wgmma_fence(); wgmma_...(); wgmma_...(); wgmma_commit(); ... wgmma_wait<0>();
#pragma once

#include "kernels/ptx/simt.cuh"
#include "kernels/tile/wgmma_descriptor.cuh"

namespace fastgemm::ptx {

// Orders the registers' earlier uses before the products that come; needed before the first product, and again where
// accumulators have been read or written since.
FG_DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// Closes the group of the products since the last one.
FG_DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// All but the latest kPending groups are done: accumulators are there, shared memory has been read.
template <int kPending>
FG_DEVICE void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// Keeps the compiler from moving uses of an accumulator before the wait above it. No instruction.
FG_DEVICE void wgmma_pin(float& accumulator) { asm volatile("" : "+f"(accumulator)::"memory"); }

// Registers a thread of this warpgroup, from the pool that warpgroups share: kCount is a multiple of 8, 24 to 256.
template <int kCount>
FG_DEVICE void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}
template <int kCount>
FG_DEVICE void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}

}  // namespace fastgemm::ptx
