// From accumulators to D: the epilogue of one thread's elements.
#pragma once

#include <cstdint>

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/simt.cuh"
#include "kernels/sgemm_ffma/fragments.cuh"

namespace fastgemm::ffma {

// This thread's place in D: element (i, j) of its thread tile is row + AxisM::position(0, i), column +
// AxisN::position(0, j).
struct ThreadTileOrigin {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t rows = 0;     // of D from `row` to the edge; 0 or less: outside
  std::int64_t columns = 0;  // of D from `column` to the edge
};

template <class Config>
FG_DEVICE ThreadTileOrigin thread_tile_origin(const GemmProblem& problem, std::int64_t first_m, std::int64_t first_n) {
  const int warp_m = ptx::warp_index() % Config::kWarpsM;
  const int warp_n = ptx::warp_index() / Config::kWarpsM;
  ThreadTileOrigin origin;
  origin.row = first_m + warp_m * Config::AxisM::kWidth +
               Config::AxisM::position(Config::Lanes::lane_m(ptx::lane_index()), 0);
  origin.column = first_n + warp_n * Config::AxisN::kWidth +
                  Config::AxisN::position(Config::Lanes::lane_n(ptx::lane_index()), 0);
  origin.rows = problem.m - origin.row;
  origin.columns = problem.n - origin.column;
  return origin;
}

// D = alpha * accumulators + beta * C: four rows at a time where addresses allow and all four exist, else one by one.
template <class Config>
FG_DEVICE void store_scaled(const Epilogue& epilogue, const ThreadTileOrigin& origin,
                            const Accumulators<Config>& r_acc) {
  using AxisM = typename Config::AxisM;
  using AxisN = typename Config::AxisN;
  const bool vectors = has_aligned_rows(epilogue) && origin.rows > AxisM::position(0, Config::kThreadM - 1);
#pragma unroll
  for (int j = 0; j < Config::kThreadN; ++j) {
    const int column = AxisN::position(0, j);
    if (column >= origin.columns) continue;
    if (vectors) {
#pragma unroll
      for (int i = 0; i < Config::kThreadM; i += 4) {
        store_scaled_rows(epilogue, origin.row + AxisM::position(0, i), origin.column + column,
                          float4{r_acc[j][i], r_acc[j][i + 1], r_acc[j][i + 2], r_acc[j][i + 3]});
      }
    } else {
#pragma unroll
      for (int i = 0; i < Config::kThreadM; ++i) {
        const int row = AxisM::position(0, i);
        if (row < origin.rows) store_scaled_element(epilogue, origin.row + row, origin.column + column, r_acc[j][i]);
      }
    }
  }
}

// Bias and activation, on the elements that this thread has just stored. They are rare; applied here in a loop over
// memory they cost no code between the accumulators and D, and D's values are the same FP32 numbers either way.
template <class Config>
FG_DEVICE void finish_stored(const Epilogue& epilogue, const ThreadTileOrigin& origin) {
  if (!has_finish(epilogue)) return;
#pragma unroll 1
  for (int j = 0; j < Config::kThreadN; ++j) {
    const int column = Config::AxisN::position(0, j);
    if (column >= origin.columns) return;
#pragma unroll 4
    for (int i = 0; i < Config::kThreadM; ++i) {
      const int row = Config::AxisM::position(0, i);
      if (row < origin.rows) finish_element(epilogue, origin.row + row, origin.column + column);
    }
  }
}

}  // namespace fastgemm::ffma
