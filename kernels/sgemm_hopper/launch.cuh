// Host side of the Hopper FFMA family: which kernel a problem takes, its tensor maps, its shares and its launch.
#pragma once

#include <cstdint>

#include "kernels/alignment.h"
#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/tensor_map.h"
#include "kernels/sgemm_hopper/kernel.cuh"

namespace fastgemm::hopper {

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

// Tensor copies need 16-byte aligned columns, one batch entry, and coordinates below 2^31 also past the last tile;
// block counts of a share must fit in an int.
inline bool fits_tensor_copies(const GemmProblem& problem) {
  constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 31) - 2 * kTileWide;
  constexpr std::int64_t kMaxDepth = (std::int64_t{1} << 31) / kMaxSegments * kTileK - kTileK;
  constexpr std::int64_t kMaxLd = (std::int64_t{1} << 40) / 4;
  const bool sizes = problem.m < kMaxExtent && problem.n < kMaxExtent && problem.k > 0 && problem.k < kMaxDepth &&
                     problem.a.ld < kMaxLd && problem.b.ld < kMaxLd;
  return problem.type_ab == DataType::kFloat32 && problem.type_cd == DataType::kFloat32 && problem.batch_count == 1 &&
         sizes && problem.a.pointers == nullptr && problem.b.pointers == nullptr &&
         operand_alignment(problem.a, DataType::kFloat32, 1) >= 16 &&
         operand_alignment(problem.b, DataType::kFloat32, 1) >= 16;
}

inline ptx::TensorMapShape map_shape(const OperandView& view, std::int64_t k, int tile) {
  ptx::TensorMapShape shape{.base = view.operand->data, .element_bytes = 4, .ld = view.operand->ld};
  if (view.depth_contiguous) {
    shape.inner = k, shape.outer = view.extent;
    shape.box_inner = kTileK, shape.box_outer = tile;
    shape.swizzle = ptx::TensorSwizzle::k128Bytes;
  } else {
    shape.inner = view.extent, shape.outer = k;
    shape.box_inner = tile, shape.box_outer = kTileK;
  }
  return shape;
}

// Whether one kernel multiplies operands that lie as the problem's do.
template <class Config>
bool takes_layout(const GemmProblem& problem) {
  const OperandView a = view_of_a(problem);
  const OperandView b = view_of_b(problem);
  const OperandView& wide = Config::kMirrored ? b : a;
  const OperandView& narrow = Config::kMirrored ? a : b;
  return wide.depth_contiguous == Config::kWideDepthContiguous &&
         narrow.depth_contiguous == Config::kNarrowDepthContiguous;
}

template <class Config>
cudaError_t launch_kernel(const GemmProblem& problem, const LaunchContext& context) {
  const OperandView a = view_of_a(problem);
  const OperandView b = view_of_b(problem);
  const OperandView& wide = Config::kMirrored ? b : a;
  const OperandView& narrow = Config::kMirrored ? a : b;
  HopperParams params;
  cudaError_t error = ptx::encode_tensor_map(&params.wide, map_shape(wide, problem.k, kTileWide));
  if (error != cudaSuccess) return error;
  error = ptx::encode_tensor_map(&params.narrow, map_shape(narrow, problem.k, kTileNarrow));
  if (error != cudaSuccess) return error;
  params.problem = problem;
  params.tiles_wide = static_cast<int>((wide.extent + kTileWide - 1) / kTileWide);
  params.tiles_narrow = static_cast<int>((narrow.extent + kTileNarrow - 1) / kTileNarrow);
  params.whole_blocks = static_cast<int>(problem.k / kTileK);
  params.rest_steps = static_cast<int>(problem.k % kTileK);
  params.grid.tiles = std::int64_t{params.tiles_wide} * params.tiles_narrow;
  params.grid.k_blocks = params.whole_blocks + (params.rest_steps > 0 ? 1 : 0);
  params.grid.shares = share_count(params.grid.tiles, context.sm_count, kMaxSegments);
  // Without room for a chain between blocks, shares of whole tiles.
  const int shares = params.grid.shares;
  params.grid.chained = params.grid.tiles % shares != 0 && context.flag_count >= chain_flag_count(shares) &&
                        static_cast<std::int64_t>(context.workspace_bytes) >= chain_workspace_bytes(shares);
  params.parked = static_cast<float*>(context.workspace);
  params.flags = context.flags;
  const ptx::LaunchShape shape{.blocks = shares, .threads = kThreads, .shared_bytes = Config::kSharedBytes};
  return ptx::launch_grid(sgemm_hopper_kernel<Config>, shape, context.stream, params);
}

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
    return fits_tensor_copies(problem) && (takes_layout<Configs>(problem) || ...);
  }

  static cudaError_t prepare() {
    if (ptx::tensor_map_encoder() == nullptr) return cudaErrorNotSupported;
    cudaError_t error = cudaSuccess;
    const auto prepare_one = [&error]<class Config>(Config) {
      if (error == cudaSuccess) error = ptx::prepare_kernel(sgemm_hopper_kernel<Config>, Config::kSharedBytes);
    };
    (prepare_one(Configs{}), ...);
    return error;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    cudaError_t error = cudaErrorNotSupported;
    const auto launch_if_taken = [&]<class Config>(Config) {
      if (takes_layout<Config>(problem)) error = launch_kernel<Config>(problem, context);
    };
    (launch_if_taken(Configs{}), ...);
    return error;
  }
};

}  // namespace fastgemm::hopper
