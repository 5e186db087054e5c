// The pass before a product whose operands do not lie as the kernels want them: an operand is copied into workspace
// with columns at multiples of 16 bytes, or transposed on the way. One launch passes over both operands.
#pragma once

#include "kernels/contract.h"
#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/simt.cuh"

namespace fastgemm::hopper {

inline constexpr int kPackTile = 64;  // a block passes over 64 x 64 elements
inline constexpr int kPackThreads = 256;
inline constexpr int kPackPitch = kPackTile + 1;  // columns of a tile in shared memory meet no bank twice, either way
inline constexpr int kPackSharedBytes = kPackTile * kPackPitch * 4;

// `outer` columns of `inner` contiguous elements each.
struct PackPlane {
  const float* from = nullptr;
  float* to = nullptr;
  std::int64_t from_ld = 0;
  std::int64_t to_ld = 0;
  std::int64_t inner = 0;
  std::int64_t outer = 0;
  bool transposes = false;
  std::int64_t blocks = 0;  // 0: no such plane
};

struct PackParams {
  GemmProblem problem;  // alpha in device memory may be 0: then nothing is read
  PackPlane planes[2];
};

__host__ __device__ constexpr std::int64_t pack_tiles(std::int64_t extent) {
  return (extent + kPackTile - 1) / kPackTile;
}

FG_DEVICE void pack_tile(const PackPlane& plane, std::int64_t block) {
  constexpr int kColumnsAtOnce = kPackThreads / kPackTile;
  constexpr int kSteps = kPackTile / kColumnsAtOnce;
  const std::int64_t tiles_inner = pack_tiles(plane.inner);
  const std::int64_t first_inner = block % tiles_inner * kPackTile;
  const std::int64_t first_outer = block / tiles_inner * kPackTile;
  const int lane = ptx::thread_index() % kPackTile;
  const int row = ptx::thread_index() / kPackTile;
  const std::int64_t inner = first_inner + lane;
  float r_values[kSteps];
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    const std::int64_t outer = first_outer + row + i * kColumnsAtOnce;
    const bool inside = inner < plane.inner && outer < plane.outer;
    r_values[i] = inside ? ptx::ld_global_f32(plane.from + outer * plane.from_ld + inner) : 0.0f;
  }
  if (!plane.transposes) {
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      const std::int64_t outer = first_outer + row + i * kColumnsAtOnce;
      if (inner < plane.inner && outer < plane.outer) {
        ptx::st_global_f32(plane.to + outer * plane.to_ld + inner, r_values[i]);
      }
    }
    return;
  }
  const ptx::SharedAddress s_tile = ptx::shared_base();
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    ptx::st_shared_f32(s_tile + ((row + i * kColumnsAtOnce) * kPackPitch + lane) * 4, r_values[i]);
  }
  ptx::barrier_sync();
  const std::int64_t outer = first_outer + lane;
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    const int at = row + i * kColumnsAtOnce;
    if (first_inner + at < plane.inner && outer < plane.outer) {
      ptx::st_global_f32(plane.to + (first_inner + at) * plane.to_ld + outer,
                         ptx::ld_shared_f32(s_tile + (lane * kPackPitch + at) * 4));
    }
  }
}

// Blocks of the first plane, then of the second.
__global__ void __launch_bounds__(kPackThreads) pack_kernel(const __grid_constant__ PackParams params) {
  if (!has_product(params.problem)) return;
  const std::int64_t block = ptx::block_index();
  const std::int64_t first = params.planes[0].blocks;
  if (block < first) {
    pack_tile(params.planes[0], block);
  } else {
    pack_tile(params.planes[1], block - first);
  }
}

}  // namespace fastgemm::hopper
