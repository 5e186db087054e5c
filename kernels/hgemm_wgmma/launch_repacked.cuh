// Host side of the repacking pass: its launches, and the loop over panels.
#pragma once

#include <limits>

#include "kernels/hgemm_wgmma/panels.h"
#include "kernels/hgemm_wgmma/repack.cuh"
#include "kernels/ptx/launch.cuh"

namespace fastgemm::hgemm_wgmma {

inline RepackPlane make_plane(const Operand& from, const Columns& columns, std::int64_t entries, void* to) {
  RepackPlane plane;
  plane.from = from;
  plane.to = static_cast<std::uint16_t*>(to);
  plane.to_ld = columns.padded();
  plane.inner = columns.inner;
  plane.outer = columns.outer;
  plane.entries = static_cast<int>(repacked_entries(from, entries));
  while ((1 << plane.log_lanes) < kRepackThreads && (std::int64_t{kChunkElements} << plane.log_lanes) < plane.to_ld) {
    ++plane.log_lanes;
  }
  const std::int64_t along = std::int64_t{kChunkElements} << plane.log_lanes;
  const std::int64_t across = std::int64_t{kRepackDepth} * (kRepackThreads >> plane.log_lanes);
  plane.blocks_along = static_cast<int>((plane.to_ld + along - 1) / along);
  plane.blocks_across = static_cast<int>((plane.outer + across - 1) / across);
  const std::int64_t blocks = std::int64_t{plane.blocks_along} * plane.blocks_across * plane.entries;
  plane.blocks = static_cast<int>(std::min<std::int64_t>(blocks, std::numeric_limits<std::int32_t>::max()));
  return plane;
}

// The operand as the plane's result has it.
inline Operand repacked_operand(const RepackPlane& plane) {
  return {plane.to, nullptr, plane.to_ld, plane.entries == 1 ? 0 : plane.outer * plane.to_ld};
}

// Copies what `panel` needs of A and B, both where both are new, and points it at the copies.
struct PanelRepack {
  char* workspace = nullptr;
  std::int64_t bytes_a = 0;  // of the largest panel; B's copies lie behind A's
  bool new_a = false;
  bool new_b = false;

  cudaError_t operator()(GemmProblem& panel, bool repack_a, bool repack_b, cudaStream_t stream) const {
    RepackParams params;
    params.problem = panel;
    if (repack_a) {
      params.planes[0] = make_plane(panel.a, columns_of_a(panel, panel.m), panel.batch_count, workspace);
      panel.a = repacked_operand(params.planes[0]);
      if (!new_a) params.planes[0].blocks = 0;
    }
    if (repack_b) {
      params.planes[1] = make_plane(panel.b, columns_of_b(panel, panel.n), panel.batch_count, workspace + bytes_a);
      panel.b = repacked_operand(params.planes[1]);
      if (!new_b) params.planes[1].blocks = 0;
    }
    const std::int64_t blocks = std::int64_t{params.planes[0].blocks} + params.planes[1].blocks;
    if (blocks == 0) return cudaSuccess;
    if (blocks > std::numeric_limits<std::int32_t>::max()) return cudaErrorInvalidValue;
    return ptx::launch_grid(repack_kernel, {.blocks = blocks, .threads = kRepackThreads}, stream, params);
  }
};

// D panel by panel, each a repacking pass and a product.
template <class Product>
cudaError_t launch_repacked(const GemmProblem& problem, const LaunchContext& context, TileShape tile,
                            const Product& product) {
  const bool repack_a = needs_repack_a(problem);
  const bool repack_b = needs_repack_b(problem);
  // Parked parts come first in workspace. In panels k is not split.
  LaunchContext product_context = context;
  std::size_t parked = split_workspace_bytes(problem, tile, context.splits);
  if (context.workspace_bytes < parked + repack_workspace(problem, tile).fastest) parked = 0;
  if (parked == 0) product_context.splits = 1;
  const Panels panels =
      choose_panels(problem, tile, static_cast<std::int64_t>(context.workspace_bytes - parked), context.sm_count);
  if (panels.m == 0) return cudaErrorInvalidValue;
  PanelRepack repack{static_cast<char*>(context.workspace) + parked, panel_bytes_a(problem, panels)};
  Panels begin;
  for (begin.entries = 0; begin.entries < problem.batch_count; begin.entries += panels.entries) {
    for (begin.n = 0; begin.n < problem.n; begin.n += panels.n) {
      for (begin.m = 0; begin.m < problem.m; begin.m += panels.m) {
        GemmProblem panel = panel_problem(problem, panels, begin);
        repack.new_a = panels.m < problem.m || begin.n == 0;
        repack.new_b = begin.m == 0;
        cudaError_t error = repack(panel, repack_a, repack_b, context.stream);
        if (error == cudaSuccess) error = product(panel, product_context, true);
        if (error != cudaSuccess) return error;
      }
    }
  }
  return cudaSuccess;
}

}  // namespace fastgemm::hgemm_wgmma
