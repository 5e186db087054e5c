// Host side of the sliced FFMA family: what a row takes, its tensor maps and its launch.
#pragma once

#include <cstdint>

#include "kernels/alignment.h"
#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"
#include "kernels/sgemm_sliced/kernel.cuh"

namespace fastgemm::sliced {

// Tensor copies need one batch entry, columns at multiples of 16 bytes, and coordinates below 2^31 also past the last
// tile.
inline bool supports(const GemmProblem& problem) {
  constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 31) - 1024;
  constexpr std::int64_t kMaxLd = std::int64_t{1} << 37;
  const bool sizes = problem.m < kMaxExtent && problem.n < kMaxExtent && problem.k > 0 && problem.k < kMaxExtent &&
                     problem.a.ld < kMaxLd && problem.b.ld < kMaxLd;
  if (problem.type_ab != DataType::kFloat32 || problem.type_cd != DataType::kFloat32 || problem.batch_count != 1 ||
      !sizes || operand_alignment(problem.a, DataType::kFloat32, 1) < 16 ||
      operand_alignment(problem.b, DataType::kFloat32, 1) < 16) {
    return false;
  }
  constexpr std::int64_t kMaxTiles = std::int64_t{1} << 30;
  return ((problem.m + 7) / 8) * ((problem.n + 7) / 8) < kMaxTiles;
}

template <class Side>
cudaError_t encode_operand(ptx::TensorMap* map, const Operand& operand, std::int64_t extent, std::int64_t k) {
  constexpr bool kAlongDepth = Side::kAlong == Along::kDepth;
  return ptx::encode_tensor_map(
      map, {.base = operand.data,
            .element_bytes = 4,
            .inner = kAlongDepth ? k : extent,
            .outer = kAlongDepth ? extent : k,
            .ld = operand.ld,
            .box_inner = kAlongDepth ? kTileK : Side::kSize,
            .box_outer = kAlongDepth ? Side::kSize : kTileK,
            .swizzle = kAlongDepth ? ptx::TensorSwizzle::k128Bytes : ptx::TensorSwizzle::kNone});
}

template <class Config>
cudaError_t launch_kernel(const GemmProblem& problem, const LaunchContext& context) {
  SlicedParams params;
  cudaError_t error = encode_operand<typename Config::SideA>(&params.a, problem.a, problem.m, problem.k);
  if (error == cudaSuccess) {
    error = encode_operand<typename Config::SideB>(&params.b, problem.b, problem.n, problem.k);
  }
  if (error != cudaSuccess) return error;
  constexpr TileShape kTile{Config::kTileM, Config::kTileN, kTileK};
  params.problem = problem;
  params.tiles_m = static_cast<int>((problem.m + kTile.m - 1) / kTile.m);
  params.tiles_n = static_cast<int>((problem.n + kTile.n - 1) / kTile.n);
  params.k_blocks = static_cast<int>((problem.k + kTileK - 1) / kTileK);
  params.split = make_split_params(problem, kTile, context);
  const ptx::LaunchShape shape{.blocks = std::int64_t{params.tiles_m} * params.tiles_n * params.split.splits,
                               .threads = kThreads,
                               .shared_bytes = Config::kSharedBytes};
  return ptx::launch_grid(sgemm_sliced_kernel<Config>, shape, context.stream, params);
}

// What the kernel table needs of a tile: its four kernels, by how op(A) and op(B) lie.
template <int kTileM, int kTileN>
struct Launcher {
  using Nn = Config<kTileM, kTileN, Along::kSide, Along::kDepth>;
  using Nt = Config<kTileM, kTileN, Along::kSide, Along::kSide>;
  using Tn = Config<kTileM, kTileN, Along::kDepth, Along::kDepth>;
  using Tt = Config<kTileM, kTileN, Along::kDepth, Along::kSide>;

  static cudaError_t prepare() {
    if (ptx::tensor_map_encoder() == nullptr) return cudaErrorNotSupported;
    cudaError_t error = cudaSuccess;
    for (const auto kernel : {sgemm_sliced_kernel<Nn>, sgemm_sliced_kernel<Nt>, sgemm_sliced_kernel<Tn>,
                              sgemm_sliced_kernel<Tt>}) {
      if (error == cudaSuccess) error = ptx::prepare_kernel(kernel, Nn::kSharedBytes);
    }
    return error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    using Launch = cudaError_t (*)(const GemmProblem&, const LaunchContext&);
    static constexpr Launch kLaunches[2][2] = {{launch_kernel<Nn>, launch_kernel<Nt>},
                                               {launch_kernel<Tn>, launch_kernel<Tt>}};
    return kLaunches[problem.op_a == Op::kT][problem.op_b == Op::kT](problem, context);
  }

  // The row of the table, but for its name and its rates.
  static constexpr KernelEntry entry(const char* name, double flops_per_clock_sm) {
    return {.name = name,
            .type_ab = DataType::kFloat32,
            .min_compute_capability = 90,
            .max_compute_capability = 90,
            .tile = {kTileM, kTileN, kTileK},
            .stages = Nn::kStages,
            .threads = kThreads,
            .blocks_per_sm = Nn::kBlocksPerSm,
            .shared_bytes = Nn::kSharedBytes,
            .max_splits = kMaxSplitsOfK,
            .flops_per_clock_sm = flops_per_clock_sm,
            .supports = supports,
            .prepare = prepare,
            .launch = launch};
  }
};

}  // namespace fastgemm::sliced
