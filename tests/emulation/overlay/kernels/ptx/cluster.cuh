// Host version of kernels/ptx/cluster.cuh: the blocks of a cluster are one Block of the engine.
#pragma once

#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"

namespace fastgemm::ptx {

FG_DEVICE int cluster_rank() { return emulation::current("cluster_rank").rank; }

FG_DEVICE void cluster_arrive() {
  emulation::Thread& thread = emulation::current("cluster_arrive");
  thread.block->cluster_arrive(thread);
}

FG_DEVICE void cluster_wait() {
  emulation::Thread& thread = emulation::current("cluster_wait");
  thread.block->cluster_wait(thread);
}

FG_DEVICE SharedAddress cluster_address(SharedAddress address, int rank) {
  emulation::Thread& thread = emulation::current("cluster_address");
  return thread.block->address_in(thread, address, rank, "cluster_address");
}

FG_DEVICE void mbarrier_arrive_cluster(SharedAddress barrier) {
  emulation::Thread& thread = mbarrier_caller("mbarrier_arrive_cluster");
  thread.block->mbarriers().arrive(thread, barrier, 0, "mbarrier_arrive_cluster");
}

inline void load_multicast(SharedAddress destination, const TensorMap& map, int inner, int outer, int entry,
                           SharedAddress barrier, std::uint16_t ranks, const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  emulation::Block& block = *thread.block;
  block.maybe_switch(thread);
  if (ranks >> block.cluster_size() != 0) {
    emulation::fail(thread, emulation::Fault::kBounds, operation, "a rank outside the cluster");
  }
  for (int rank = 0; rank < block.cluster_size(); ++rank) {
    if ((ranks >> rank & 1) == 0) continue;
    block.bulk().load(thread, block.address_in(thread, destination, rank, operation), map, inner, outer,
                      block.address_in(thread, barrier, rank, operation), entry);
  }
}

FG_DEVICE void tma_load_2d_multicast(SharedAddress destination, const TensorMap& map, int inner, int outer,
                                     SharedAddress barrier, std::uint16_t ranks) {
  constexpr int kNoEntry = emulation::BulkCopies::kNoEntry;
  load_multicast(destination, map, inner, outer, kNoEntry, barrier, ranks, "tma_load_2d_multicast");
}

FG_DEVICE void tma_load_3d_multicast(SharedAddress destination, const TensorMap& map, int inner, int outer, int entry,
                                     SharedAddress barrier, std::uint16_t ranks) {
  load_multicast(destination, map, inner, outer, entry, barrier, ranks, "tma_load_3d_multicast");
}

}  // namespace fastgemm::ptx
