// Barriers in shared memory that also count bytes of bulk copies (sm_90). A phase ends when as many threads have arrived
// as mbarrier_init said and all expected bytes have landed; parity 0 is the first phase, and waiting for parity 1 on a
// fresh barrier returns at once. PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

// `barrier`: 8 bytes, 8-aligned. One thread makes it; the others may use it after mbarrier_init_fence and a barrier_sync.
FG_DEVICE void mbarrier_init(SharedAddress barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Makes this thread's mbarrier_init visible to bulk copies.
FG_DEVICE void mbarrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

FG_DEVICE void mbarrier_arrive(SharedAddress barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives, and adds `bytes` to what must land before the phase can end.
FG_DEVICE void mbarrier_arrive_expect_tx(SharedAddress barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Whether the phase of `parity` has ended; may suspend the thread for a while first.
FG_DEVICE bool mbarrier_try_wait(SharedAddress barrier, int parity) {
  std::uint32_t done;
  asm volatile(
      "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}

// The same without suspending the thread.
FG_DEVICE bool mbarrier_test_wait(SharedAddress barrier, int parity) {
  std::uint32_t done;
  asm volatile(
      "{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}

}  // namespace fastgemm::ptx
