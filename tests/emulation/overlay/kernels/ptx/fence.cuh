// Host version of kernels/ptx/fence.cuh.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

FG_DEVICE void fence_proxy_async() {
  emulation::Thread& thread = emulation::current("fence_proxy_async");
  thread.block->proxy_fence(thread);
}

}  // namespace fastgemm::ptx
