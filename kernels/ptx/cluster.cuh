// Clusters (sm_90): blocks that run at the same time and reach each other's shared memory. PTX ISA, "barrier.cluster",
// "mapa", "mbarrier.arrive", "cp.async.bulk.tensor".
#pragma once

#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"

namespace fastgemm::ptx {

FG_DEVICE int cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

// All threads of the cluster that have not ended meet: what one did before it arrived is visible to those that have
// waited.
FG_DEVICE void cluster_arrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
FG_DEVICE void cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }

// Where `address` of this block lies in the block with `rank`, as an address of the cluster's.
FG_DEVICE SharedAddress cluster_address(SharedAddress address, int rank) {
  SharedAddress mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

// At a barrier that cluster_address() gave. Orders what wgmma has read before what bulk copies write after the phase; no
// plain writes, which would take .release.cluster, a fence that doubled the time of a product.
FG_DEVICE void mbarrier_arrive_cluster(SharedAddress barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// tma_load_2d to the same place in each block whose rank is a bit of `ranks`, counted on the barrier that lies where
// `barrier` does in this one.
FG_DEVICE void tma_load_2d_multicast(SharedAddress destination, const TensorMap& map, int inner, int outer,
                                     SharedAddress barrier, std::uint16_t ranks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3}], [%4], %5;" ::"r"(destination),
      "l"(&map), "r"(inner), "r"(outer), "r"(barrier), "h"(ranks)
      : "memory");
}

// tma_load_3d to the same place in each block whose rank is a bit of `ranks`, counted on the barrier that lies where
// `barrier` does in this one.
FG_DEVICE void tma_load_3d_multicast(SharedAddress destination, const TensorMap& map, int inner, int outer, int entry,
                                     SharedAddress barrier, std::uint16_t ranks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3, %4}], [%5], %6;" ::"r"(destination),
      "l"(&map), "r"(inner), "r"(outer), "r"(entry), "r"(barrier), "h"(ranks)
      : "memory");
}

}  // namespace fastgemm::ptx
