// Host version of kernels/ptx/fence.cuh.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

FG_DEVICE void fence_proxy_async() {
  emulation::Thread& thread = emulation::current("fence_proxy_async");
  thread.block->proxy_fence(thread);
}

// Of no meaning: bulk copies see device memory as threads do.
FG_DEVICE void fence_proxy_async_global() {}

}  // namespace fastgemm::ptx
