// Host side of the sliced FFMA family: what a row takes, its tensor maps and its launch.
#pragma once

#include <cstdint>

#include "kernels/alignment.h"
#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"
#include "kernels/sgemm_sliced/kernel.cuh"

namespace fastgemm::sliced {

// Bulk copies need columns at multiples of 16 bytes.
inline bool bulk_copies_reach(const Operand& operand) { return operand_alignment(operand, DataType::kFloat32, 1) >= 16; }

// One batch entry, and coordinates below 2^31 also past the last tile.
inline bool sizes_fit(const GemmProblem& problem) {
  constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 31) - 1024;
  constexpr std::int64_t kMaxLd = std::int64_t{1} << 37;
  constexpr std::int64_t kMaxTiles = std::int64_t{1} << 30;
  return problem.batch_count == 1 && problem.m < kMaxExtent && problem.n < kMaxExtent && problem.k > 0 &&
         problem.k < kMaxExtent && problem.a.ld < kMaxLd && problem.b.ld < kMaxLd &&
         (problem.m + 7) / 8 * ((problem.n + 7) / 8) < kMaxTiles;
}

template <class Side>
cudaError_t encode_operand(ptx::TensorMap* map, const Operand& operand, std::int64_t extent, std::int64_t k) {
  constexpr bool kAlongDepth = Side::kAlongDepth;
  if (Side::kSource == Source::kCopied) return cudaSuccess;
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

// What the kernel table needs of a tile: its kernels, by how op(A) and op(B) lie. The operand of the tile's longer side
// comes by bulk copies; that of the shorter one, too, unless these do not reach it, or both operands lie along k, where
// one has to be turned for the main loop.
template <int kTileM, int kTileN>
struct Launcher {
 private:
  template <Source kA, Source kB>
  using Of = Config<kTileM, kTileN, kA, kB>;
  static constexpr bool kShorterIsB = kTileN <= kTileM;
  using Nn = Of<Source::kSide, Source::kDepth>;
  using Nt = Of<Source::kSide, Source::kSide>;
  using Tt = Of<Source::kDepth, Source::kSide>;
  using SideCopied = std::conditional_t<kShorterIsB, Of<Source::kSide, Source::kCopied>,  // longer one along its side
                                        Of<Source::kCopied, Source::kSide>>;
  using DepthCopied = std::conditional_t<kShorterIsB, Of<Source::kDepth, Source::kCopied>,  // along k
                                         Of<Source::kCopied, Source::kDepth>>;

  static constexpr std::int64_t shared_bytes() {
    std::int64_t most = 0;
    for (const std::int64_t bytes : {Nn::kSharedBytes, SideCopied::kSharedBytes, DepthCopied::kSharedBytes}) {
      most = bytes > most ? bytes : most;
    }
    return most;
  }

 public:
  // A narrow tile serves what fits its shorter side: with a second one beside it the longer operand comes twice.
  static bool supports(const GemmProblem& problem) {
    constexpr int kShorter = kShorterIsB ? kTileN : kTileM;
    if (kShorter < 16 && (kShorterIsB ? problem.n : problem.m) > kShorter) return false;
    return problem.type_ab == DataType::kFloat32 && problem.type_cd == DataType::kFloat32 && sizes_fit(problem) &&
           problem.a.pointers == nullptr && problem.b.pointers == nullptr &&
           bulk_copies_reach(kShorterIsB ? problem.a : problem.b);
  }

  static cudaError_t prepare() {
    if (ptx::tensor_map_encoder() == nullptr) return cudaErrorNotSupported;
    cudaError_t error = cudaSuccess;
    const auto prepare_one = [&error]<class Config>(Config) {
      if (error == cudaSuccess) error = ptx::prepare_kernel(sgemm_sliced_kernel<Config>, Config::kSharedBytes);
    };
    prepare_one(Nn{}), prepare_one(Nt{}), prepare_one(Tt{}), prepare_one(SideCopied{}), prepare_one(DepthCopied{});
    return error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    const bool depth_a = problem.op_a == Op::kT;
    const bool depth_b = problem.op_b == Op::kN;
    if ((depth_a && depth_b) || !bulk_copies_reach(kShorterIsB ? problem.b : problem.a)) {
      const bool depth = kShorterIsB ? depth_a : depth_b;  // of the longer side's operand
      return depth ? launch_kernel<DepthCopied>(problem, context) : launch_kernel<SideCopied>(problem, context);
    }
    if (depth_a) return launch_kernel<Tt>(problem, context);
    return depth_b ? launch_kernel<Nn>(problem, context) : launch_kernel<Nt>(problem, context);
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
            .shared_bytes = shared_bytes(),
            .fast_alignment = 16,
            .max_splits = kMaxSplitsOfK,
            .flops_per_clock_sm = flops_per_clock_sm,
            .supports = supports,
            .prepare = prepare,
            .launch = launch};
  }
};

}  // namespace fastgemm::sliced
