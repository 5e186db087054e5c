// Asynchronous copies from device to shared memory (sm_80 and up). Each copies `valid` bytes and fills the rest of its
// width with zeros; with valid = 0 the source is not read. Source and destination must be aligned to the width.
// PTX ISA, "cp.async".
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

FG_DEVICE void cp_async_4(SharedAddress destination, const void* source, int valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(destination), "l"(source), "r"(valid) : "memory");
}

FG_DEVICE void cp_async_8(SharedAddress destination, const void* source, int valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(destination), "l"(source), "r"(valid) : "memory");
}

// Past L1: the line is kept in L2 alone.
FG_DEVICE void cp_async_16(SharedAddress destination, const void* source, int valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(source), "r"(valid) : "memory");
}

// Closes this thread's current group of copies.
FG_DEVICE void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most kPending of this thread's groups are still under way.
template <int kPending>
FG_DEVICE void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// Arrives at the mbarrier once all copies that this thread has started so far have landed; one of the arrivals that the
// barrier was made for (sm_80 and up). PTX ISA, "cp.async.mbarrier.arrive".
FG_DEVICE void cp_async_arrive(SharedAddress barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

}  // namespace fastgemm::ptx
