// Host side of the epilogue pass.
#include "kernels/epilogue/apply.cuh"

#include <algorithm>

#include "kernels/ptx/launch.cuh"

namespace fastgemm {

namespace {

// More blocks than any GPU holds at once; further tiles are taken in turn.
constexpr std::int64_t kMaxBlocks = std::int64_t{1} << 16;

}  // namespace

cudaError_t prepare_epilogue_apply() { return ptx::prepare_kernel(epilogue_apply, 0); }

cudaError_t launch_epilogue_apply(const ApplyParams& params, cudaStream_t stream) {
  const GemmProblem& problem = params.problem;
  const std::int64_t tiles = apply_tiles_m(problem.m) * apply_tiles_n(problem.m, problem.n) * problem.batch_count;
  const ptx::LaunchShape shape{.blocks = std::min(tiles, kMaxBlocks), .threads = kApplyThreads};
  return ptx::launch_grid(epilogue_apply, shape, stream, params);
}

}  // namespace fastgemm
