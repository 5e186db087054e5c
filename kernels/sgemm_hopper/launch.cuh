// Host side of the Hopper FFMA family: which kernel a problem takes, its tensor maps, its shares and its launch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/alignment.h"
#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"
#include "kernels/sgemm_hopper/kernel.cuh"
#include "kernels/sgemm_hopper/pack.cuh"
#include "kernels/sgemm_hopper/packing.h"

namespace fastgemm::hopper {

inline constexpr int kMaxSms = 1024;  // more than any GPU has

// Device words a launch needs for `shares` shares, and the bytes in which they park accumulators.
constexpr int chain_flag_count(int shares) { return shares + 1; }
constexpr std::int64_t chain_workspace_bytes(int shares) {
  return std::int64_t{shares} * kTileWide * kTileNarrow * static_cast<std::int64_t>(sizeof(float));
}

// One operand of op(A) * op(B) as the copies see it.
struct OperandView {
  const Operand* operand = nullptr;
  std::int64_t extent = 0;  // along m or n
  bool depth_contiguous = false;
};

inline OperandView view_of_a(const GemmProblem& problem) { return {&problem.a, problem.m, problem.op_a == Op::kT}; }
inline OperandView view_of_b(const GemmProblem& problem) { return {&problem.b, problem.n, problem.op_b == Op::kN}; }

// Tensor copies need one batch entry, and coordinates below 2^31 also past the last tile; block counts of a share must
// fit in an int.
inline bool fits_tensor_copies(const GemmProblem& problem) {
  constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 31) - 2 * kTileWide;
  constexpr std::int64_t kMaxDepth = (std::int64_t{1} << 31) / kMaxSegments * kTileK - kTileK;
  constexpr std::int64_t kMaxLd = (std::int64_t{1} << 40) / 4;
  const bool sizes = problem.m < kMaxExtent && problem.n < kMaxExtent && problem.k > 0 && problem.k < kMaxDepth &&
                     problem.a.ld < kMaxLd && problem.b.ld < kMaxLd;
  return problem.type_ab == DataType::kFloat32 && problem.type_cd == DataType::kFloat32 && problem.batch_count == 1 &&
         sizes && problem.a.pointers == nullptr && problem.b.pointers == nullptr &&
         problem.c.pointers == nullptr && problem.d.pointers == nullptr;
}

// What lies along k and is to be turned comes without a swizzle.
inline ptx::TensorMapShape map_shape(const OperandView& view, std::int64_t k, int tile, bool turns) {
  ptx::TensorMapShape shape{.base = view.operand->data, .element_bytes = 4, .ld = view.operand->ld};
  if (view.depth_contiguous) {
    shape.inner = k, shape.outer = view.extent;
    shape.box_inner = kTileK, shape.box_outer = tile;
    if (!turns) shape.swizzle = ptx::TensorSwizzle::k128Bytes;
  } else {
    shape.inner = view.extent, shape.outer = k;
    shape.box_inner = tile, shape.box_outer = kTileK;
  }
  return shape;
}

// The operands of a problem in a kernel's terms.
template <class Config>
struct Sides {
  OperandView wide;
  OperandView narrow;
  explicit Sides(const GemmProblem& problem)
      : wide(Config::kMirrored ? view_of_b(problem) : view_of_a(problem)),
        narrow(Config::kMirrored ? view_of_a(problem) : view_of_b(problem)) {}
};

// Tensor copies need columns at multiples of 16 bytes.
inline Pack pack_of(const OperandView& view, bool wanted_depth_contiguous) {
  if (view.depth_contiguous != wanted_depth_contiguous) return Pack::kTranspose;
  return operand_alignment(*view.operand, DataType::kFloat32, 1) >= 16 ? Pack::kNone : Pack::kCopy;
}

// A kernel takes the narrow operand as it lies; the wide one may be transposed before. One that turns the wide operand
// takes both as they lie.
template <class Config>
bool takes_layout(const GemmProblem& problem) {
  const Sides<Config> sides(problem);
  if (sides.narrow.depth_contiguous != Config::kNarrowDepthContiguous) return false;
  return !Config::kTurns || (pack_of(sides.wide, true) == Pack::kNone &&
                             pack_of(sides.narrow, Config::kNarrowDepthContiguous) == Pack::kNone);
}

template <class Config>
PackingProblem packing_of(const GemmProblem& problem) {
  const Sides<Config> sides(problem);
  return {.wide = sides.wide.extent,
          .narrow = sides.narrow.extent,
          .k = problem.k,
          .narrow_depth_contiguous = Config::kNarrowDepthContiguous,
          .pack_wide = pack_of(sides.wide, Config::kTurns),
          .pack_narrow = pack_of(sides.narrow, Config::kNarrowDepthContiguous)};
}

// Cuts tiles into parts where the context asks for that, has memory for their sums, and the mode lets them be added.
template <class Config>
void cut_for_sums(const GemmProblem& problem, const LaunchContext& context, HopperParams* params) {
  const ShareGrid& grid = params->grid;
  const std::size_t bytes = split_workspace_bytes(problem, {Config::kTileM, Config::kTileN, kTileK}, context.splits);
  if (context.splits <= 1 || context.splits > kMaxFlatSplits || problem.math_mode == MathMode::kFp32Sequential ||
      context.flags == nullptr || context.flag_count < grid.tiles || context.workspace_bytes < bytes) {
    return;
  }
  cut_tiles(params->grid, context.sm_count, context.splits);
  params->split = {.parked = static_cast<float*>(context.workspace),
                   .flags = context.flags,
                   .tiles = grid.tiles,
                   .splits = context.splits,
                   .group = context.splits};
}

template <class Config>
cudaError_t launch_kernel(const GemmProblem& problem, const LaunchContext& context) {
  const auto [wide, narrow] = Sides<Config>(problem);
  HopperParams params;
  cudaError_t error = ptx::encode_tensor_map(&params.wide, map_shape(wide, problem.k, kTileWide, Config::kTurns));
  if (error != cudaSuccess) return error;
  error = ptx::encode_tensor_map(&params.narrow, map_shape(narrow, problem.k, kTileNarrow, false));
  if (error != cudaSuccess) return error;
  params.problem = problem;
  params.tiles_wide = static_cast<int>((wide.extent + kTileWide - 1) / kTileWide);
  params.tiles_narrow = static_cast<int>((narrow.extent + kTileNarrow - 1) / kTileNarrow);
  params.whole_blocks = static_cast<int>(problem.k / kTileK);
  params.rest_steps = static_cast<int>(problem.k % kTileK);
  params.grid.tiles = params.tiles_wide * params.tiles_narrow;
  params.grid.k_blocks = params.whole_blocks + (params.rest_steps > 0 ? 1 : 0);
  params.grid.shares = static_cast<int>(share_count(params.grid.tiles, context.sm_count, kMaxSegments));
  cut_for_sums<Config>(problem, context, &params);
  // Without room for a chain between blocks, shares of whole tiles.
  const int shares = params.grid.shares;
  params.grid.chained = params.grid.length == 0 && params.grid.tiles % shares != 0 &&
                        context.flag_count >= chain_flag_count(shares) &&
                        static_cast<std::int64_t>(context.workspace_bytes) >= chain_workspace_bytes(shares);
  params.parked = static_cast<float*>(context.workspace);
  params.flags = context.flags;
  const ptx::LaunchShape shape{.blocks = shares, .threads = kThreads, .shared_bytes = Config::kSharedBytes};
  return ptx::launch_grid(sgemm_hopper_kernel<Config>, shape, context.stream, params);
}

// Elements first .. first + extent - 1 of an operand's own axis, packed to `to`.
inline PackPlane pack_plane(const OperandView& view, std::int64_t k, std::int64_t first, std::int64_t extent,
                            Pack pack, float* to) {
  PackPlane plane{.from = static_cast<const float*>(view.operand->data), .to = to, .from_ld = view.operand->ld};
  plane.inner = view.depth_contiguous ? k : extent;
  plane.outer = view.depth_contiguous ? extent : k;
  plane.from += view.depth_contiguous ? first * plane.from_ld : first;
  plane.transposes = pack == Pack::kTranspose;
  plane.to_ld = packed_ld(plane.transposes ? plane.outer : plane.inner);
  plane.blocks = pack_tiles(plane.inner) * pack_tiles(plane.outer);
  return plane;
}

// Rows (or columns) first .. first + extent - 1 of the product.
inline GemmProblem panel_of(const GemmProblem& problem, bool of_rows, std::int64_t first, std::int64_t extent) {
  GemmProblem panel = problem;
  (of_rows ? panel.m : panel.n) = extent;
  const std::int64_t skip_c = of_rows ? first : first * problem.c.ld;
  const std::int64_t skip_d = of_rows ? first : first * problem.d.ld;
  if (problem.c.data != nullptr) panel.c.data = static_cast<const float*>(problem.c.data) + skip_c;
  panel.d.data = static_cast<float*>(problem.d.data) + skip_d;
  if (problem.bias != nullptr && of_rows) panel.bias = static_cast<const float*>(problem.bias) + first;
  return panel;
}

// `operand` and `op` of a panel's problem, from now on in workspace.
inline void use_packed(const PackPlane& plane, Operand* operand, Op* op) {
  operand->data = plane.to;
  operand->ld = plane.to_ld;
  if (plane.transposes) *op = *op == Op::kN ? Op::kT : Op::kN;
}

// Bytes at the beginning of the workspace for the sums of tiles in parts.
template <class Config>
std::int64_t parts_bytes(const GemmProblem& problem, const LaunchContext& context) {
  const TileShape tile{Config::kTileM, Config::kTileN, kTileK};
  return static_cast<std::int64_t>(split_workspace_bytes(problem, tile, context.splits));
}

// Packs what has to be packed and multiplies, panel by panel. Workspace: sums of tiles in parts, the panel, what is
// packed once, and, where nothing is cut into parts, accumulators on their way from block to block.
template <class Config>
class PackedLaunch {
 public:
  PackedLaunch(const GemmProblem& problem, const LaunchContext& context)
      : problem_(problem), packing_(packing_of<Config>(problem)), sides_(problem), context_(context) {
    const std::int64_t parts = parts_bytes<Config>(problem, context);
    const std::int64_t workspace = static_cast<std::int64_t>(context.workspace_bytes) - parts;
    extent_ = panel_extent(packing_, workspace, context.sm_count, chain_workspace_bytes(context.sm_count));
    to_panel_ = reinterpret_cast<float*>(static_cast<char*>(context.workspace) + parts);
    float* const to_fixed = to_panel_ + packing_.panel_bytes(extent_) / 4;
    if (packing_.fixed_bytes() > 0) {
      fixed_ = pack_plane(sides_.narrow, problem.k, 0, packing_.narrow, packing_.pack_narrow, to_fixed);
    }
    const std::int64_t used = packing_.panel_bytes(extent_) + packing_.fixed_bytes();
    if (parts == 0) context_.workspace = reinterpret_cast<char*>(to_panel_) + used;
    context_.workspace_bytes = static_cast<std::size_t>(parts > 0 ? parts : workspace - used);
  }

  cudaError_t run() const {
    for (std::int64_t first = 0; first < packing_.extent(); first += extent_) {
      PackParams packs{.problem = problem_};
      packs.planes[0] = panel_plane(first);
      if (first == 0) packs.planes[1] = fixed_;
      const ptx::LaunchShape shape{.blocks = packs.planes[0].blocks + packs.planes[1].blocks,
                                   .threads = kPackThreads,
                                   .shared_bytes = kPackSharedBytes};
      cudaError_t error = ptx::launch_grid(pack_kernel, shape, context_.stream, packs);
      if (error == cudaSuccess) error = launch_kernel<Config>(panel_problem(first, packs.planes[0]), context_);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }

 private:
  static constexpr bool kWideIsA = !Config::kMirrored;

  std::int64_t size_at(std::int64_t first) const { return std::min(extent_, packing_.extent() - first); }

  PackPlane panel_plane(std::int64_t first) const {
    const bool of_wide = packing_.panels_of_wide();
    return pack_plane(of_wide ? sides_.wide : sides_.narrow, problem_.k, first, size_at(first),
                      of_wide ? packing_.pack_wide : packing_.pack_narrow, to_panel_);
  }

  GemmProblem panel_problem(std::int64_t first, const PackPlane& packed) const {
    const bool of_a = packing_.panels_of_wide() == kWideIsA;
    GemmProblem panel = panel_of(problem_, of_a, first, size_at(first));
    use_packed(packed, of_a ? &panel.a : &panel.b, of_a ? &panel.op_a : &panel.op_b);
    if (fixed_.blocks > 0) {
      use_packed(fixed_, kWideIsA ? &panel.b : &panel.a, kWideIsA ? &panel.op_b : &panel.op_a);
    }
    return panel;
  }

  const GemmProblem& problem_;
  PackingProblem packing_;
  Sides<Config> sides_;
  LaunchContext context_;  // with the workspace of a panel's launch
  std::int64_t extent_ = 0;
  float* to_panel_ = nullptr;
  PackPlane fixed_;  // the narrow operand, where panels are of the wide one and both are packed
};

// What the kernel table needs of a row: the kernels of one tile, of which the operands' layouts choose one.
template <class... Configs>
struct Launcher {
 private:
  template <class First, class...>
  struct FirstOf {
    using Type = First;
  };
  using Any = typename FirstOf<Configs...>::Type;

 public:
  static constexpr int kStages = Any::kStages;
  static constexpr std::int64_t kSharedBytes = Any::kSharedBytes;
  static_assert(((Configs::kSharedBytes == kSharedBytes && Configs::kStages == kStages) && ...), "one row, one shape");

  static bool supports(const GemmProblem& problem) {
    if (!fits_tensor_copies(problem) || !(takes_layout<Configs>(problem) || ...)) return false;
    const std::int64_t tiles = tiles_of(problem, {Any::kTileM, Any::kTileN, kTileK});
    return can_share(tiles, (problem.k + kTileK - 1) / kTileK, kMaxSms, kMaxSegments);
  }

  static WorkspaceNeed workspace(const GemmProblem& problem) {
    WorkspaceNeed need;
    const auto set_if_taken = [&]<class Config>(Config) {
      if (!takes_layout<Config>(problem)) return;
      const PackingProblem packing = packing_of<Config>(problem);
      need.least = static_cast<std::size_t>(least_pack_bytes(packing));
      need.fastest = static_cast<std::size_t>(fastest_pack_bytes(packing));
    };
    (set_if_taken(Configs{}), ...);
    return need;
  }

  static cudaError_t prepare() {
    if (ptx::tensor_map_encoder() == nullptr) return cudaErrorNotSupported;
    cudaError_t error = ptx::prepare_kernel(pack_kernel, kPackSharedBytes);
    const auto prepare_one = [&error]<class Config>(Config) {
      if (error == cudaSuccess) error = ptx::prepare_kernel(sgemm_hopper_kernel<Config>, Config::kSharedBytes);
    };
    (prepare_one(Configs{}), ...);
    return error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    cudaError_t error = cudaErrorNotSupported;
    const auto launch_if_taken = [&]<class Config>(Config) {
      if (!takes_layout<Config>(problem)) return;
      const PackingProblem packing = packing_of<Config>(problem);
      if (!packing.packs()) {
        error = launch_kernel<Config>(problem, context);
      } else if (static_cast<std::int64_t>(context.workspace_bytes) >=
                 parts_bytes<Config>(problem, context) + least_pack_bytes(packing)) {
        error = PackedLaunch<Config>(problem, context).run();
      } else {
        error = cudaErrorMemoryAllocation;
      }
    };
    (launch_if_taken(Configs{}), ...);
    return error;
  }
};

}  // namespace fastgemm::hopper
