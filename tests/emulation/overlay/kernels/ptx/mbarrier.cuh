// Host version of kernels/ptx/mbarrier.cuh.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

inline emulation::Thread& mbarrier_caller(const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  thread.block->maybe_switch(thread);
  return thread;
}

FG_DEVICE void mbarrier_init(SharedAddress barrier, int arrivals) {
  emulation::Thread& thread = mbarrier_caller("mbarrier_init");
  thread.block->mbarriers().init(thread, barrier, arrivals);
}

FG_DEVICE void mbarrier_init_fence() {
  emulation::Thread& thread = mbarrier_caller("mbarrier_init_fence");
  thread.block->mbarriers().init_fence(thread);
}

FG_DEVICE void mbarrier_arrive(SharedAddress barrier) {
  emulation::Thread& thread = mbarrier_caller("mbarrier_arrive");
  thread.block->mbarriers().arrive(thread, barrier, 0, "mbarrier_arrive");
}

FG_DEVICE void mbarrier_arrive_expect_tx(SharedAddress barrier, int bytes) {
  emulation::Thread& thread = mbarrier_caller("mbarrier_arrive_expect_tx");
  thread.block->mbarriers().arrive(thread, barrier, bytes, "mbarrier_arrive_expect_tx");
}

FG_DEVICE bool mbarrier_try_wait(SharedAddress barrier, int parity) {
  emulation::Thread& thread = mbarrier_caller("mbarrier_try_wait");
  return thread.block->mbarriers().wait(thread, barrier, parity, true, "mbarrier_try_wait");
}

FG_DEVICE bool mbarrier_test_wait(SharedAddress barrier, int parity) {
  emulation::Thread& thread = mbarrier_caller("mbarrier_test_wait");
  return thread.block->mbarriers().wait(thread, barrier, parity, false, "mbarrier_test_wait");
}

}  // namespace fastgemm::ptx
