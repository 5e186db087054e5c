// Words in device memory through which the blocks of a launch talk to each other.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

// Reads after this one see what was written before the matching st_release_gpu.
FG_DEVICE std::uint32_t ld_acquire_gpu_u32(const std::uint32_t* address) {
  std::uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

FG_DEVICE void st_release_gpu_u32(std::uint32_t* address, std::uint32_t value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

// Adds, and returns what was there before.
FG_DEVICE std::uint32_t atomic_add_gpu_u32(std::uint32_t* address, std::uint32_t value) {
  std::uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(address), "r"(value) : "memory");
  return before;
}

// The same for a number that stands for nothing else in memory: orders nothing, and need not wait for what was written.
FG_DEVICE std::uint32_t atomic_add_relaxed_gpu_u32(std::uint32_t* address, std::uint32_t value) {
  std::uint32_t before;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(address), "r"(value) : "memory");
  return before;
}

// Orders this thread's accesses, and those of threads it met at a barrier, for the whole device.
FG_DEVICE void fence_gpu() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

}  // namespace fastgemm::ptx
