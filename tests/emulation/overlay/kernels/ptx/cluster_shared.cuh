// Host version of kernels/ptx/cluster_shared.cuh.
#pragma once

#include "kernels/ptx/cluster.cuh"

namespace fastgemm::ptx {

FG_DEVICE void st_cluster_f32x4(SharedAddress address, float4 value) {
  constexpr const char* kOperation = "st_cluster_f32x4";
  emulation::Thread& thread = emulation::current(kOperation);
  thread.block->maybe_switch(thread);
  thread.block->check_reached(thread, address, kOperation);
  thread.block->shared().store<float4>(thread, address, value, kOperation, emulation::SharedMemory::Reach::kCluster);
}

}  // namespace fastgemm::ptx
