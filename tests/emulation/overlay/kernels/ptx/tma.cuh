// Host version of kernels/ptx/tma.cuh: a copy's bytes appear in shared memory when the phase that counts them ends.
#pragma once

#include <cuda.h>

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

using TensorMap = CUtensorMap;

FG_DEVICE void tma_load_2d(SharedAddress destination, const TensorMap& map, int inner, int outer,
                           SharedAddress barrier) {
  emulation::Thread& thread = emulation::current("tma_load_2d");
  thread.block->maybe_switch(thread);
  thread.block->bulk().load(thread, destination, map, inner, outer, barrier);
}

FG_DEVICE void tma_load_3d(SharedAddress destination, const TensorMap& map, int inner, int outer, int entry,
                           SharedAddress barrier) {
  emulation::Thread& thread = emulation::current("tma_load_3d");
  thread.block->maybe_switch(thread);
  thread.block->bulk().load(thread, destination, map, inner, outer, barrier, entry);
}

FG_DEVICE void tma_prefetch_3d(const TensorMap& map, int inner, int outer, int entry) {
  emulation::Thread& thread = emulation::current("tma_prefetch_3d");
  thread.block->bulk().check_prefetch(thread, map, inner, outer, entry);
}

FG_DEVICE void tma_prefetch_map(const TensorMap&) { emulation::current("tma_prefetch_map"); }

}  // namespace fastgemm::ptx
