// The epilogue as a pass of its own over D, for products that were computed elsewhere.
#pragma once

#include "kernels/epilogue/apply.h"
#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/simt.cuh"

namespace fastgemm {

inline constexpr int kApplyThreads = 256;
inline constexpr int kApplyElements = 2048;  // of D a block works on at a time: 8 a thread, enough to hide latency

// A tile is 2^log_rows rows by kApplyElements / 2^log_rows columns, at most a block's threads high: narrow matrices get
// wide tiles, so that no thread idles for want of rows.
FG_HOST_DEVICE constexpr int apply_log_rows(std::int64_t m) {
  int log_rows = 0;
  while (log_rows < 8 && (std::int64_t{1} << log_rows) < m) ++log_rows;
  return log_rows;
}

FG_HOST_DEVICE constexpr std::int64_t apply_tiles_m(std::int64_t m) {
  const std::int64_t rows = std::int64_t{1} << apply_log_rows(m);
  return (m + rows - 1) / rows;
}

FG_HOST_DEVICE constexpr std::int64_t apply_tiles_n(std::int64_t m, std::int64_t n) {
  const std::int64_t columns = kApplyElements >> apply_log_rows(m);
  return (n + columns - 1) / columns;
}

// One tile of one batch entry, column-major: neighbouring threads on neighbouring rows.
FG_DEVICE void apply_tile(const ApplyParams& params, std::int64_t batch, std::int64_t tile_m, std::int64_t tile_n) {
  const GemmProblem& problem = params.problem;
  const int log_rows = apply_log_rows(problem.m);
  const std::int64_t row = (tile_m << log_rows) + (ptx::thread_index() & ((1 << log_rows) - 1));
  if (row >= problem.m) return;
  const std::int64_t tile_columns = kApplyElements >> log_rows;
  const std::int64_t tile_end = (tile_n + 1) * tile_columns;
  const std::int64_t end = tile_end < problem.n ? tile_end : problem.n;
  const Epilogue e = make_epilogue(problem, batch);
  const float* g_product = params.product + batch * params.product_batch_stride;  // (m, n), column-major
  std::int64_t column = tile_n * tile_columns + (ptx::thread_index() >> log_rows);
  for (; column < end; column += kApplyThreads >> log_rows) {
    const float acc = e.has_product ? ptx::ld_global_f32(g_product + row + column * params.product_ld) : 0.0f;
    store_element(e, row, column, acc);
  }
}

__global__ void __launch_bounds__(kApplyThreads) epilogue_apply(const __grid_constant__ ApplyParams params) {
  const GemmProblem& problem = params.problem;
  const std::int64_t tiles_m = apply_tiles_m(problem.m);
  const std::int64_t tiles_n = apply_tiles_n(problem.m, problem.n);
  const std::int64_t tiles = tiles_m * tiles_n * problem.batch_count;
  for (std::int64_t tile = ptx::block_index(); tile < tiles; tile += ptx::grid_size()) {
    const std::int64_t in_order = tile / tiles_m;
    apply_tile(params, in_order / tiles_n, tile % tiles_m, in_order % tiles_n);
  }
}

}  // namespace fastgemm
