#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"
#include "tests/emulation/wgmma_tile/kernel.cuh"

namespace fastgemm::wgmma_tile {

namespace {

// A box is what one copy moves: K-major all rows of a k block, MN-major 64 of them.
cudaError_t encode_operand(CUtensorMap* map, const void* data, Major major, int rows, int k) {
  const bool k_major = major == Major::kK;
  ptx::TensorMapShape shape{.base = data, .element_bytes = 2, .swizzle = ptx::TensorSwizzle::k128Bytes};
  shape.inner = shape.ld = k_major ? k : rows;
  shape.outer = k_major ? rows : k;
  shape.box_inner = 64;
  shape.box_outer = k_major ? rows : kK;
  return ptx::encode_tensor_map(map, shape);
}

template <Major kMajorA, Major kMajorB>
cudaError_t launch(const Params& params) {
  const cudaError_t error = ptx::prepare_kernel(tile_kernel<kMajorA, kMajorB>, kSharedBytes);
  if (error != cudaSuccess) return error;
  return ptx::launch_grid(tile_kernel<kMajorA, kMajorB>, {1, kThreads, kSharedBytes}, nullptr, params);
}

}  // namespace

cudaError_t multiply(const Problem& problem) {
  Params params;
  const ptx::TensorMapShape half{.base = problem.d_half, .element_bytes = 2, .inner = kN, .outer = kM, .ld = kN,
                                 .box_inner = kN, .box_outer = kM};
  cudaError_t error = encode_operand(&params.a, problem.a, problem.major_a, kM, problem.k);
  if (error == cudaSuccess) error = encode_operand(&params.b, problem.b, problem.major_b, kN, problem.k);
  if (error == cudaSuccess) error = ptx::encode_tensor_map(&params.d_half, half);
  if (error != cudaSuccess) return error;
  params.d = problem.d;
  params.k_blocks = (problem.k + kK - 1) / kK;
  if (problem.major_a == Major::kK) {
    return problem.major_b == Major::kK ? launch<Major::kK, Major::kK>(params) : launch<Major::kK, Major::kMn>(params);
  }
  return problem.major_b == Major::kK ? launch<Major::kMn, Major::kK>(params) : launch<Major::kMn, Major::kMn>(params);
}

}  // namespace fastgemm::wgmma_tile
