// Threads, blocks, warps and barriers. Kernels reach them only through these functions, so that the same kernel sources
// also compile for the host against tests/emulation/ptx, which has the same files and functions.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#define FG_DEVICE __device__ __forceinline__
#define FG_HOST_DEVICE __host__ __device__ __forceinline__

namespace fastgemm::ptx {

// An address in the block's shared memory window, in bytes.
using SharedAddress = std::uint32_t;

FG_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
FG_DEVICE int lane_index() { return static_cast<int>(threadIdx.x) % 32; }
FG_DEVICE std::int64_t block_index() { return blockIdx.x; }
FG_DEVICE std::int64_t grid_size() { return gridDim.x; }

// The warp's number in its block, as a value the compiler knows to be the same in all 32 lanes.
FG_DEVICE int warp_index() { return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0); }

// First byte of the block's dynamic shared memory, aligned to 128 bytes.
FG_DEVICE SharedAddress shared_base() {
  extern __shared__ __align__(128) unsigned char fastgemm_dynamic_shared[];
  return static_cast<SharedAddress>(__cvta_generic_to_shared(fastgemm_dynamic_shared));
}

// All threads of the block meet; their shared memory accesses before it are visible after it.
FG_DEVICE void barrier_sync() { __syncthreads(); }

// The first `threads` threads to come to barrier `id` (1 to 15) meet; a multiple of 32.
FG_DEVICE void barrier_sync(int id, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Announces this warp at barrier `id` without waiting for the others.
FG_DEVICE void barrier_arrive(int id, int threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

FG_DEVICE void warp_sync() { __syncwarp(); }

FG_DEVICE std::uint32_t shuffle(std::uint32_t value, int source_lane) {
  return __shfl_sync(0xffffffffu, value, source_lane);
}

FG_DEVICE float shuffle(float value, int source_lane) { return __shfl_sync(0xffffffffu, value, source_lane); }

}  // namespace fastgemm::ptx
