// Host side of the sliced HGEMM family: what a row takes, its tensor maps and its launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "kernels/alignment.h"
#include "kernels/hgemm_sliced/kernel.cuh"
#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"

namespace fastgemm::hgemm_sliced {

// Bulk copies need columns at multiples of 16 bytes.
inline bool bulk_copies_reach(const Operand& operand) { return operand_alignment(operand, DataType::kFloat16, 1) >= 16; }

// One batch entry, and coordinates below 2^31 also past the last tile.
inline bool sizes_fit(const GemmProblem& problem) {
  constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 31) - 1024;
  constexpr std::int64_t kMaxLd = std::int64_t{1} << 38;
  constexpr std::int64_t kMaxTiles = std::int64_t{1} << 30;
  return problem.batch_count == 1 && problem.m < kMaxExtent && problem.n < kMaxExtent && problem.k > 0 &&
         problem.k < kMaxExtent && problem.a.ld < kMaxLd && problem.b.ld < kMaxLd &&
         (problem.m + 15) / 16 * ((problem.n + 15) / 16) < kMaxTiles;
}

template <class Side>
cudaError_t encode_operand(ptx::TensorMap* map, const Operand& operand, std::int64_t extent, std::int64_t k) {
  constexpr ptx::TensorSwizzle kSwizzle = Side::kBoxInner == 64   ? ptx::TensorSwizzle::k128Bytes
                                          : Side::kBoxInner == 32 ? ptx::TensorSwizzle::k64Bytes
                                                                  : ptx::TensorSwizzle::k32Bytes;
  return ptx::encode_tensor_map(map, {.base = operand.data,
                                      .element_bytes = 2,
                                      .inner = Side::kAlongDepth ? k : extent,
                                      .outer = Side::kAlongDepth ? extent : k,
                                      .ld = operand.ld,
                                      .box_inner = Side::kBoxInner,
                                      .box_outer = Side::kBoxOuter,
                                      .swizzle = kSwizzle});
}

// How the parts of k that `context` asks for are shared out; fewer where there are fewer k blocks, and no more than one
// cluster a tile where memory for more is not at hand.
template <class Config>
void set_shares(SlicedParams& params, const LaunchContext& context) {
  constexpr TileShape kTile{Config::kTileM, Config::kTileN, Config::kTileK};
  const std::int64_t tiles = tiles_of(params.problem, kTile);
  constexpr std::int64_t kMaxProduct = std::numeric_limits<std::int32_t>::max();  // of split_steps(), and of blocks
  int splits = std::min({context.splits, params.k_blocks, kMostCluster * kMostGroups});
  if (params.problem.math_mode == MathMode::kFp32Sequential || splits < 1) splits = 1;
  while (splits > 1 && std::max<std::int64_t>(tiles, params.k_blocks) * splits > kMaxProduct) splits /= 2;
  params.shares = share_out(splits);
  const std::int64_t shares_of_tiles = tiles * params.shares.cluster;
  if (params.shares.groups == 1) return;
  if (context.workspace == nullptr || context.flags == nullptr || shares_of_tiles > context.flag_count ||
      context.workspace_bytes < split_workspace_bytes(params.problem, kTile, params.shares.groups)) {
    params.shares.groups = 1;
    return;
  }
  params.sums.parked = static_cast<float*>(context.workspace);
  params.sums.flags = context.flags;
  params.sums.tiles = static_cast<int>(shares_of_tiles);
  params.sums.splits = params.sums.group = params.shares.groups;
}

template <class Config>
cudaError_t launch_kernel(const GemmProblem& problem, const LaunchContext& context) {
  SlicedParams params;
  cudaError_t error = encode_operand<typename Config::SideA>(&params.a, problem.a, problem.m, problem.k);
  if (error == cudaSuccess) {
    error = encode_operand<typename Config::SideB>(&params.b, problem.b, problem.n, problem.k);
  }
  if (error != cudaSuccess) return error;
  params.problem = problem;
  params.tiles_m = static_cast<int>((problem.m + Config::kTileM - 1) / Config::kTileM);
  params.tiles_n = static_cast<int>((problem.n + Config::kTileN - 1) / Config::kTileN);
  params.k_blocks = static_cast<int>((problem.k + Config::kTileK - 1) / Config::kTileK);
  set_shares<Config>(params, context);
  const std::int64_t parts = std::int64_t{params.shares.cluster} * params.shares.groups;
  const ptx::LaunchShape shape{.blocks = std::int64_t{params.tiles_m} * params.tiles_n * parts,
                               .threads = kThreads,
                               .shared_bytes = Config::kSharedBytes,
                               .cluster = params.shares.cluster};
  return ptx::launch_grid(hgemm_sliced_kernel<Config>, shape, context.stream, params);
}

// What the kernel table needs of a tile: its kernels, by how op(A) and op(B) lie, for plain epilogues and for all.
template <class Shape>
struct Launcher {
 private:
  template <Op kA, Op kB, Epilogues kEpilogues>
  using Of = Config<Shape, kA, kB, kEpilogues>;
  using Any = Of<Op::kN, Op::kN, Epilogues::kPlain>;  // sizes are the same for all

  template <class Body>
  static cudaError_t for_each_config(const Body& body) {
    cudaError_t error = cudaSuccess;
    const auto of_ops = [&]<Op kA, Op kB>() {
      if (error == cudaSuccess) error = body(Of<kA, kB, Epilogues::kPlain>{});
      if (error == cudaSuccess) error = body(Of<kA, kB, Epilogues::kAll>{});
    };
    of_ops.template operator()<Op::kN, Op::kN>();
    of_ops.template operator()<Op::kN, Op::kT>();
    of_ops.template operator()<Op::kT, Op::kN>();
    of_ops.template operator()<Op::kT, Op::kT>();
    return error;
  }

  using Launch = cudaError_t (*)(const GemmProblem&, const LaunchContext&);
  template <Op kA, Op kB>
  static constexpr std::array<Launch, 2> kOfOps{launch_kernel<Of<kA, kB, Epilogues::kAll>>,
                                                launch_kernel<Of<kA, kB, Epilogues::kPlain>>};

 public:
  // A narrow tile serves sides that a few of it cover: with more beside each other the longer operand comes as often.
  static bool supports(const GemmProblem& problem) {
    constexpr int kShorter = std::min(Shape::kTileM, Shape::kTileN);
    constexpr bool kShorterIsB = Shape::kTileN <= Shape::kTileM;
    if (kShorter < 32 && (kShorterIsB ? problem.n : problem.m) > 2 * kShorter) return false;
    return problem.type_ab == DataType::kFloat16 && sizes_fit(problem) && bulk_copies_reach(problem.a) &&
           bulk_copies_reach(problem.b) && problem.c.pointers == nullptr && problem.d.pointers == nullptr;
  }

  static cudaError_t prepare() {
    if (ptx::tensor_map_encoder() == nullptr) return cudaErrorNotSupported;
    return for_each_config([]<class Config>(Config) {
      return ptx::prepare_kernel(hgemm_sliced_kernel<Config>, Config::kSharedBytes);
    });
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    const int plain = is_scaled_product(problem) ? 1 : 0;
    if (problem.op_a == Op::kN) {
      return problem.op_b == Op::kN ? kOfOps<Op::kN, Op::kN>[plain](problem, context)
                                    : kOfOps<Op::kN, Op::kT>[plain](problem, context);
    }
    return problem.op_b == Op::kN ? kOfOps<Op::kT, Op::kN>[plain](problem, context)
                                  : kOfOps<Op::kT, Op::kT>[plain](problem, context);
  }

  static int parts(int splits) {
    const KShares shares = share_out(splits);
    return shares.cluster * shares.groups;
  }

  // The row of the table, but for its name and its rate.
  static constexpr KernelEntry entry(const char* name, double flops_per_clock_sm) {
    return {.name = name,
            .type_ab = DataType::kFloat16,
            .min_compute_capability = 90,
            .max_compute_capability = 90,
            .tile = {Shape::kTileM, Shape::kTileN, Shape::kTileK},
            .stages = Shape::kStages,
            .threads = kThreads,
            .blocks_per_sm = Shape::kBlocksPerSm,
            .shared_bytes = Any::kSharedBytes,
            .fast_alignment = 16,
            .max_splits = kMostCluster * kMostGroups,
            .parts = parts,
            .flops_per_clock_sm = flops_per_clock_sm,
            .supports = supports,
            .prepare = prepare,
            .launch = launch};
  }
};

}  // namespace fastgemm::hgemm_sliced
