// Host side of the WGMMA family: what a row takes, its tensor maps and its launch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/hgemm_wgmma/kernel.cuh"
#include "kernels/hgemm_wgmma/launch_repacked.cuh"
#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"

namespace fastgemm::hgemm_wgmma {

// Sizes at which coordinates past the last tile stay below 2^31.
inline constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 31) - 1024;

inline TileGrid tile_grid(const GemmProblem& problem, TileShape tile) {
  TileGrid grid;
  grid.tiles_m = static_cast<int>((problem.m + tile.m - 1) / tile.m);
  grid.tiles_n = static_cast<int>((problem.n + tile.n - 1) / tile.n);
  grid.tiles = static_cast<int>(std::int64_t{grid.tiles_m} * grid.tiles_n * problem.batch_count);
  return grid;
}

// What depends on sizes alone; tiles are at least 64 x 64.
inline bool sizes_fit(const GemmProblem& problem) {
  if (problem.k == 0 || problem.m > kMaxExtent || problem.n > kMaxExtent || problem.k > kMaxExtent) return false;
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 44;  // of an operand, in all batch entries: 32 TB
  const std::int64_t longer = problem.m > problem.n ? problem.m : problem.n;
  if (problem.batch_count > kMaxTiles || longer > kMaxElements / problem.batch_count / (problem.k + 8)) return false;
  const std::int64_t tiles = ((problem.m + 63) / 64) * ((problem.n + 63) / 64);
  return tiles < kMaxTiles / 2 && problem.batch_count < kMaxTiles / 2 / tiles;
}

inline bool supports(const GemmProblem& problem) {
  return problem.type_ab == DataType::kFloat16 && sizes_fit(problem) && problem.a.ld < kMaxStride &&
         problem.b.ld < kMaxStride;
}

// The map of an operand of `extent` elements along m or n, of which a copy takes `tile`.
template <Major kMajor>
cudaError_t encode_operand(ptx::TensorMap* map, const Operand& operand, const GemmProblem& problem,
                           std::int64_t extent, int tile) {
  constexpr bool kAlongK = kMajor == Major::kK;
  const bool shared = problem.batch_count == 1 || operand.batch_stride == 0;
  return ptx::encode_tensor_map(map, {.base = operand.data,
                                      .element_bytes = 2,
                                      .inner = kAlongK ? problem.k : extent,
                                      .outer = kAlongK ? extent : problem.k,
                                      .ld = operand.ld,
                                      .box_inner = 64,
                                      .box_outer = kAlongK ? tile : kTileK,
                                      .swizzle = ptx::TensorSwizzle::k128Bytes,
                                      .entries = shared ? 1 : problem.batch_count,
                                      .entry_stride = operand.batch_stride});
}

inline bool d_by_copies(const GemmProblem& problem) {
  const Output& d = problem.d;
  return problem.type_cd == DataType::kFloat16 &&
         copies_reach(d.data, reinterpret_cast<const void* const*>(d.pointers), d.ld, d.batch_stride,
                      DataType::kFloat16, problem.batch_count);
}

// Boxes of (rows, kBoxColumns).
inline cudaError_t encode_d(ptx::TensorMap* map, const GemmProblem& problem, int rows) {
  const bool swizzled = rows == kBoxRows;
  return ptx::encode_tensor_map(map, {.base = problem.d.data,
                                      .element_bytes = 2,
                                      .inner = problem.m,
                                      .outer = problem.n,
                                      .ld = problem.d.ld,
                                      .box_inner = rows,
                                      .box_outer = kBoxColumns,
                                      .swizzle = swizzled ? ptx::TensorSwizzle::k128Bytes : ptx::TensorSwizzle::kNone,
                                      .entries = problem.batch_count,
                                      .entry_stride = problem.d.batch_stride});
}

inline bool c_by_copies(const GemmProblem& problem) {
  const bool read = problem.beta.device != nullptr || problem.beta.value != 0.0f;
  return read && problem.c.data != nullptr &&
         copies_reach(problem.c.data, problem.c.pointers, problem.c.ld, problem.c.batch_stride, problem.type_cd,
                      problem.batch_count);
}

// Boxes of (kPrefetchRows of m, kTileN), or, swizzled, of (kBoxRows, kTileN).
static_assert(kPrefetchRows == kBoxRows);
inline cudaError_t encode_c(ptx::TensorMap* map, const GemmProblem& problem, int tile_n, bool swizzled) {
  const bool shared = problem.batch_count == 1 || problem.c.batch_stride == 0;
  return ptx::encode_tensor_map(map, {.base = problem.c.data,
                                      .element_bytes = static_cast<int>(element_size(problem.type_cd)),
                                      .inner = problem.m,
                                      .outer = problem.n,
                                      .ld = problem.c.ld,
                                      .box_inner = kPrefetchRows,
                                      .box_outer = tile_n,
                                      .swizzle = swizzled ? ptx::TensorSwizzle::k128Bytes : ptx::TensorSwizzle::kNone,
                                      .entries = shared ? 1 : problem.batch_count,
                                      .entry_stride = problem.c.batch_stride});
}

// Whether the kernels for plain epilogues do. Copies write whole chunks, also where D's last row cuts one.
inline bool is_plain(const GemmProblem& problem) {
  return is_scaled_product(problem) && problem.m % kChunkElements == 0 && d_by_copies(problem);
}

// The same for the kernels that add C besides.
inline bool adds_c(const GemmProblem& problem) {
  const bool known = problem.k > 0 && problem.alpha.device == nullptr && problem.beta.device == nullptr;
  return known && problem.bias == nullptr && problem.activation == Activation::kNone &&
         problem.m % kChunkElements == 0 && d_by_copies(problem) && c_by_copies(problem);
}

// Whether the rows of 64 elements that copies fetch are cache lines.
inline bool whole_lines(const Operand& operand) {
  constexpr int kLine = 128;
  return reinterpret_cast<std::uintptr_t>(operand.data) % kLine == 0 && operand.ld * 2 % kLine == 0;
}

// Pairs where copies fetch parts of two lines in place of one, and L2 binds: 2048 x 2048 x 2048 with ld 2056 took 41.0,
// 53.9, 52.7 us on one H200 (tiles 256 x 128, 192 x 128, 128 x 128), and in pairs 31.7, 43.6, 40.3. With whole lines they
// gain nothing from 1024 to 16384 and cost up to 3 us at 1024. But also where the tile's copies bring 64 rows of op(A)
// for fewer: from 160 x 128 5120 x 1500 x 2560 NN took 61.7 us, and in pairs 57.5.
inline bool takes_pairs(const GemmProblem& problem, const LaunchContext& context, TileShape tile) {
  constexpr std::int64_t kLeastDepth = 512;
  const bool surplus = problem.op_a == Op::kN && tile.m % kBoxRows != 0;
  if (!surplus && whole_lines(problem.a) && whole_lines(problem.b)) return false;
  return context.splits == 1 && context.sm_count >= kPair && tile_grid(problem, tile).tiles_n % kPair == 0 &&
         problem.k >= kLeastDepth;
}

// The product of operands that copies reach; `overlaps`: it may begin while the launch before it ends.
template <class Config>
cudaError_t launch_product(const GemmProblem& problem, const LaunchContext& context, bool overlaps) {
  WgmmaParams params;
  cudaError_t error =
      encode_operand<Config::kMajorLeft>(&params.left, problem.b, problem, problem.n, Config::kTileLeft);
  if (error == cudaSuccess) {
    constexpr int box = Config::kCluster > 1 ? Config::kPairBox : Config::kTileRight;
    error = encode_operand<Config::kMajorRight>(&params.right, problem.a, problem, problem.m, box);
  }
  params.d_by_copies = d_by_copies(problem);
  if (error == cudaSuccess && params.d_by_copies) error = encode_d(&params.d, problem, kBoxRows);
  if constexpr (Config::kRestRows > 0) {
    if (error == cudaSuccess && params.d_by_copies) error = encode_d(&params.d_rest, problem, kRestBoxRows);
  }
  params.c_by_copies = c_by_copies(problem);
  if (error == cudaSuccess && params.c_by_copies) error = encode_c(&params.c, problem, Config::kTileN, Config::kAddsC);
  if (error != cudaSuccess) return error;
  params.problem = problem;
  params.grid = tile_grid(problem, {Config::kTileM, Config::kTileN * Config::kCluster, kTileK});
  params.k_blocks = static_cast<int>((problem.k + kTileK - 1) / kTileK);
  params.left_entry_step = problem.b.batch_stride == 0 ? 0 : 1;
  params.right_entry_step = problem.a.batch_stride == 0 ? 0 : 1;
  params.c_entry_step = problem.c.batch_stride == 0 ? 0 : 1;
  if constexpr (Config::kSplits) {
    params.split = make_split_params(problem, {Config::kTileM, Config::kTileN, kTileK}, context);
  }
  params.items = params.grid.tiles * params.split.splits;
  const int blocks = std::min(params.items, context.sm_count / Config::kCluster) * Config::kCluster;
  const ptx::LaunchShape shape{.blocks = blocks,
                               .threads = kThreads,
                               .shared_bytes = Config::kSharedBytes,
                               .overlaps = overlaps,
                               .cluster = Config::kCluster};
  return ptx::launch_grid(hgemm_wgmma_kernel<Config>, shape, context.stream, params);
}

// The four kernels of a tile, by how op(A) and op(B) lie.
template <class Shape, Epilogues kEpilogues, int kCluster, bool kSplits>
struct KernelsOf {
  using Nn = Config<Shape, Major::kK, Major::kMn, kEpilogues, kCluster, kSplits>;
  using Nt = Config<Shape, Major::kMn, Major::kMn, kEpilogues, kCluster, kSplits>;
  using Tn = Config<Shape, Major::kK, Major::kK, kEpilogues, kCluster, kSplits>;
  using Tt = Config<Shape, Major::kMn, Major::kK, kEpilogues, kCluster, kSplits>;

  static cudaError_t prepare() {
    cudaError_t error = cudaSuccess;
    for (const auto kernel : {hgemm_wgmma_kernel<Nn>, hgemm_wgmma_kernel<Nt>, hgemm_wgmma_kernel<Tn>,
                              hgemm_wgmma_kernel<Tt>}) {
      if (error == cudaSuccess) error = ptx::prepare_kernel(kernel, Nn::kSharedBytes);
    }
    return error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context, bool overlaps) {
    using Launch = cudaError_t (*)(const GemmProblem&, const LaunchContext&, bool);
    static constexpr Launch kLaunches[2][2] = {{launch_product<Nn>, launch_product<Nt>},
                                               {launch_product<Tn>, launch_product<Tt>}};
    return kLaunches[problem.op_a == Op::kT][problem.op_b == Op::kT](problem, context, overlaps);
  }
};

// What the kernel table needs of a tile. kPlainOnly: a tile that takes no other products.
template <class Shape, bool kPlainOnly = false>
struct Launcher {
  using Plain = KernelsOf<Shape, Epilogues::kPlain, 1, false>;
  using PlainInParts = KernelsOf<Shape, Epilogues::kPlain, 1, true>;
  using PlainPairs = KernelsOf<Shape, Epilogues::kPlain, kPair, false>;
  using AddsC = KernelsOf<Shape, Epilogues::kAddC, 1, false>;
  using General = KernelsOf<Shape, Epilogues::kAll, 1, Shape::kSplits>;
  static constexpr TileShape kTile = {Shape::kTileM, Shape::kTileN, kTileK};
  static constexpr std::int64_t kSharedBytes = Plain::Nn::kSharedBytes;

  static WorkspaceNeed workspace(const GemmProblem& problem) { return repack_workspace(problem, kTile); }
  static bool takes(const GemmProblem& problem) { return supports(problem) && (!kPlainOnly || is_plain(problem)); }

  static cudaError_t prepare() {
    if (ptx::tensor_map_encoder() == nullptr) return cudaErrorNotSupported;
    cudaError_t error = ptx::prepare_kernel(repack_kernel, 0);
    if (error == cudaSuccess) error = Plain::prepare();
    if constexpr (!kPlainOnly) {
      if (error == cudaSuccess) error = AddsC::prepare();
      if (error == cudaSuccess) error = General::prepare();
    }
    if constexpr (Shape::kSplits) {
      if (error == cudaSuccess) error = PlainInParts::prepare();
    }
    if constexpr (Shape::kPairs) {
      if (error == cudaSuccess) error = PlainPairs::prepare();
    }
    return error;
  }

  static cudaError_t launch_pieces(const GemmProblem& problem, const LaunchContext& context, bool overlaps) {
    if constexpr (!kPlainOnly) {
      if (context.splits == 1 && adds_c(problem)) return AddsC::launch(problem, context, overlaps);
      if (!is_plain(problem)) return General::launch(problem, context, overlaps);
    }
    if constexpr (Shape::kSplits) {
      if (context.splits > 1) return PlainInParts::launch(problem, context, overlaps);
    }
    if constexpr (Shape::kPairs) {
      if (takes_pairs(problem, context, kTile)) return PlainPairs::launch(problem, context, overlaps);
    }
    return Plain::launch(problem, context, overlaps);
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    if (!needs_repack(problem)) return launch_pieces(problem, context, false);
    return launch_repacked(problem, context, kTile, launch_pieces);
  }
};

}  // namespace fastgemm::hgemm_wgmma
