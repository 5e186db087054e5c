// Host version of kernels/ptx/tma_store.cuh: a store reads and writes at the waits that cover it.
#pragma once

#include "kernels/ptx/tma.cuh"

namespace fastgemm::ptx {

FG_DEVICE void tma_store_2d(const TensorMap& map, int inner, int outer, SharedAddress source) {
  emulation::Thread& thread = emulation::current("tma_store_2d");
  thread.block->maybe_switch(thread);
  thread.block->bulk().store(thread, map, inner, outer, source);
}

FG_DEVICE void tma_store_3d(const TensorMap& map, int inner, int outer, int entry, SharedAddress source) {
  emulation::Thread& thread = emulation::current("tma_store_3d");
  thread.block->maybe_switch(thread);
  thread.block->bulk().store(thread, map, inner, outer, source, entry);
}

FG_DEVICE void tma_store_commit() {
  emulation::Thread& thread = emulation::current("tma_store_commit");
  thread.block->bulk().store_commit(thread);
}

template <int kPending>
FG_DEVICE void tma_store_wait_read() {
  emulation::Thread& thread = emulation::current("tma_store_wait_read");
  thread.block->maybe_switch(thread);
  thread.block->bulk().store_wait(thread, kPending, false);
}

template <int kPending>
FG_DEVICE void tma_store_wait() {
  emulation::Thread& thread = emulation::current("tma_store_wait");
  thread.block->maybe_switch(thread);
  thread.block->bulk().store_wait(thread, kPending, true);
}

}  // namespace fastgemm::ptx
