// The wait for a phase of a barrier in shared memory, as every family with bulk copies has it.
#pragma once

#include "kernels/ptx/mbarrier.cuh"

namespace fastgemm {

// Returns when the phase of `parity` has ended.
FG_DEVICE void wait_for(ptx::SharedAddress barrier, int parity) {
  while (!ptx::mbarrier_try_wait(barrier, parity)) {
  }
}

}  // namespace fastgemm
