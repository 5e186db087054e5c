// Programmatic dependent launch (sm_90): the next kernel of a stream begins while this one ends. PTX ISA,
// "griddepcontrol". Before sm_90 there are no such launches, and nothing to do.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

// Waits until the kernels this one depends on have ended and their writes are visible.
FG_DEVICE void griddepcontrol_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets kernels that depend on this one begin, once every block has said so or ended.
FG_DEVICE void griddepcontrol_launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace fastgemm::ptx
