// Stores to shared memory of other blocks of a cluster (sm_90). Addresses are those that cluster_address() gives; vector
// accesses must be aligned to their own size. PTX ISA, "st" with .shared::cluster.
#pragma once

#include "kernels/ptx/cluster.cuh"

namespace fastgemm::ptx {

// Visible there to threads that have met this one at the cluster's barrier.
FG_DEVICE void st_cluster_f32x4(SharedAddress address, float4 value) {
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(value.x), "f"(value.y),
               "f"(value.z), "f"(value.w)
               : "memory");
}

}  // namespace fastgemm::ptx
