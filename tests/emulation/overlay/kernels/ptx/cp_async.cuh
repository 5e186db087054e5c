// Host version of kernels/ptx/cp_async.cuh: a copy's bytes appear in shared memory only at the wait that covers them.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

inline void cp_async_any(SharedAddress destination, const void* source, int width, int valid, const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  thread.block->maybe_switch(thread);
  thread.copies.issue(thread, destination, source, width, valid, operation);
}

FG_DEVICE void cp_async_4(SharedAddress destination, const void* source, int valid) {
  cp_async_any(destination, source, 4, valid, "cp_async_4");
}

FG_DEVICE void cp_async_8(SharedAddress destination, const void* source, int valid) {
  cp_async_any(destination, source, 8, valid, "cp_async_8");
}

FG_DEVICE void cp_async_16(SharedAddress destination, const void* source, int valid) {
  cp_async_any(destination, source, 16, valid, "cp_async_16");
}

FG_DEVICE void cp_async_commit() { emulation::current("cp_async_commit").copies.commit(); }

template <int kPending>
FG_DEVICE void cp_async_wait() {
  emulation::Thread& thread = emulation::current("cp_async_wait");
  thread.copies.wait(thread, kPending);
}

// The copies land here and now: what another thread sees of them before it has waited for the barrier is a race anyway.
FG_DEVICE void cp_async_arrive(SharedAddress barrier) {
  emulation::Thread& thread = emulation::current("cp_async_arrive");
  thread.block->maybe_switch(thread);
  thread.copies.commit();
  thread.copies.wait(thread, 0);
  thread.block->mbarriers().arrive(thread, barrier, 0, "cp_async_arrive");
}

}  // namespace fastgemm::ptx
