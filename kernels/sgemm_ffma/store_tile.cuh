// From accumulators to D: the epilogue of one thread's elements.
#pragma once

#include <cstdint>

#include "kernels/epilogue/store_thread_tile.cuh"
#include "kernels/ptx/simt.cuh"
#include "kernels/sgemm_ffma/fragments.cuh"

namespace fastgemm::ffma {

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

template <class Config>
FG_DEVICE void store_scaled(const Epilogue& epilogue, const ThreadTileOrigin& origin,
                            const Accumulators<Config>& r_acc) {
  store_scaled_tile<Config>(epilogue, origin, [&r_acc](int i, int j) { return r_acc[j][i]; });
}

template <class Config>
FG_DEVICE void finish_stored(const Epilogue& epilogue, const ThreadTileOrigin& origin) {
  finish_stored_tile<Config>(epilogue, origin);
}

}  // namespace fastgemm::ffma
