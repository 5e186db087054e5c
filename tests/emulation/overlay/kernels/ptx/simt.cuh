// Host version of kernels/ptx/simt.cuh: threads are fibers of tests/emulation/engine.
#pragma once

#include <cuda_runtime_api.h>
#include <vector_functions.h>

#include <cmath>
#include <cstdint>

#include "tests/emulation/engine/block.h"

// Words of CUDA that crt/host_defines.h leaves to nvcc.
#ifndef __launch_bounds__
#define __launch_bounds__(...)
#endif
#ifndef __grid_constant__
#define __grid_constant__
#endif

#define FG_DEVICE inline
#define FG_HOST_DEVICE inline

namespace fastgemm::ptx {

using SharedAddress = std::uint32_t;

FG_DEVICE int thread_index() {
  const emulation::Thread& thread = emulation::current("thread_index");
  return thread.block->index_in_block(thread);
}
FG_DEVICE int lane_index() { return emulation::current("lane_index").lane(); }
FG_DEVICE std::int64_t block_index() {
  const emulation::Thread& thread = emulation::current("block_index");
  return thread.block->index_of_block(thread);
}
FG_DEVICE std::int64_t grid_size() { return emulation::current("grid_size").block->grid_size(); }

FG_DEVICE int warp_index() {
  emulation::Thread& thread = emulation::current("warp_index");
  thread.block->collective(thread, "warp_index", thread, [](emulation::Lanes<emulation::Thread>) {});
  return thread.block->index_in_block(thread) / emulation::kWarpSize;
}

FG_DEVICE SharedAddress shared_base() {
  const emulation::Thread& thread = emulation::current("shared_base");
  return emulation::SharedMemory::kBase + static_cast<std::uint32_t>(thread.rank) * emulation::SharedMemory::kRankStride;
}

FG_DEVICE void barrier_sync() {
  emulation::Thread& thread = emulation::current("barrier_sync");
  thread.block->barrier(thread, 0, 0, true, "barrier_sync");
}

FG_DEVICE void barrier_sync(int id, int threads) {
  emulation::Thread& thread = emulation::current("barrier_sync(id, threads)");
  thread.block->named_barrier(thread, id, threads, true, "barrier_sync(id, threads)");
}

FG_DEVICE void barrier_arrive(int id, int threads) {
  emulation::Thread& thread = emulation::current("barrier_arrive");
  thread.block->named_barrier(thread, id, threads, false, "barrier_arrive");
}

FG_DEVICE void warp_sync() {
  emulation::Thread& thread = emulation::current("warp_sync");
  thread.block->warp_sync(thread);
}

// Lane i receives the value of the lane it names, modulo the warp.
template <class Value>
Value shuffle_any(Value value, int source_lane) {
  struct Exchange {
    Value value;
    int source;
    Value result;
  };
  emulation::Thread& thread = emulation::current("shuffle");
  Exchange mine{value, source_lane, value};
  thread.block->collective(thread, "shuffle", mine, [](emulation::Lanes<Exchange> lanes) {
    for (Exchange* lane : lanes) lane->result = lanes[lane->source & 31]->value;
  });
  return mine.result;
}

FG_DEVICE std::uint32_t shuffle(std::uint32_t value, int source_lane) { return shuffle_any(value, source_lane); }
FG_DEVICE float shuffle(float value, int source_lane) { return shuffle_any(value, source_lane); }

}  // namespace fastgemm::ptx
