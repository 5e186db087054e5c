// Host version of kernels/ptx/inter_block.cuh.
#pragma once

#include "kernels/ptx/simt.cuh"
#include "tests/emulation/engine/inter_block.h"

namespace fastgemm::ptx {

FG_DEVICE std::uint32_t ld_acquire_gpu_u32(const std::uint32_t* address) {
  return emulation::inter_block_words().load_acquire(emulation::current("ld_acquire_gpu_u32"), address);
}

FG_DEVICE void st_release_gpu_u32(std::uint32_t* address, std::uint32_t value) {
  emulation::inter_block_words().store_release(emulation::current("st_release_gpu_u32"), address, value);
}

FG_DEVICE std::uint32_t atomic_add_gpu_u32(std::uint32_t* address, std::uint32_t value) {
  return emulation::inter_block_words().add(emulation::current("atomic_add_gpu_u32"), address, value);
}

// Orders as much as the one above: no tickets carry data.
FG_DEVICE std::uint32_t atomic_add_relaxed_gpu_u32(std::uint32_t* address, std::uint32_t value) {
  return emulation::inter_block_words().add(emulation::current("atomic_add_relaxed_gpu_u32"), address, value);
}

// The words above order all that a fence would, so that it may be left out.
FG_DEVICE void fence_gpu() { emulation::current("fence_gpu"); }

}  // namespace fastgemm::ptx
