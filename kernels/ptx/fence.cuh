// Fences between the two ways to memory: plain accesses, and those of bulk copies and wgmma (sm_90). PTX ISA,
// "Async proxy".
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

// What this thread has written to shared memory, or knows of through a barrier, is there for bulk copies and wgmma that
// come after it.
FG_DEVICE void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The same for device memory.
FG_DEVICE void fence_proxy_async_global() { asm volatile("fence.proxy.async.global;" ::: "memory"); }

}  // namespace fastgemm::ptx
