// From accumulators to D, warp by warp through FP32 strips in shared memory.
#pragma once

#include "kernels/epilogue/store_strip.cuh"
#include "kernels/sgemm_tensor/mainloop.cuh"

namespace fastgemm::sgemm_tensor {

// Powers of two per row and column, undone here: both products are exact, so that the sum the epilogue gets is rounded
// no more often than FP32's own.
template <class Config>
class TileStore {
 public:
  FG_DEVICE TileStore(const ProductParams& params, const SharedLayout<Config>& shared)
      : params_(params), s_strip_(shared.strip(ptx::warp_index())) {}

  FG_DEVICE void store(const TileCoordinate& place, const Accumulators<Config>& r_acc) {
    const GemmProblem& problem = params_.problem;
    const Epilogue epilogue = make_epilogue(problem, 0);
    const bool by_runs = runs_aligned(epilogue);
    const StripPlace tile{place.m * std::int64_t{Config::kTileM},
                          place.n * std::int64_t{Config::kTileN} + ptx::warp_index() * Strip::kColumns, problem.m,
                          problem.n};
    const int lane = ptx::lane_index();
    const float left[2] = {unscale(kLeft, tile.column + lane / 4, problem.n),
                           unscale(kLeft, tile.column + lane / 4 + 8, problem.n)};
    // One loop, so that its code is there once; registers have no run-time index, so each turn looks for its own.
#pragma unroll 1
    for (int strip = 0; strip < Config::kTileM / Strip::kRows; ++strip) {
      StripPlace at = tile;
      at.row += strip * Strip::kRows;
      ptx::warp_sync();
#pragma unroll
      for (int candidate = 0; candidate < Config::kTileM / Strip::kRows; ++candidate) {
        if (candidate == strip) {
          fill_strip(r_acc + candidate * (Strip::kRows / 2), at.row, left);
        }
      }
      ptx::warp_sync();
      store_strip<Strip>(epilogue, s_strip_, at, by_runs);
    }
  }

 private:
  FG_DEVICE float unscale(Side side, std::int64_t row, std::int64_t rows) const {
    constexpr int kMoreScaled = Config::kMethod == Method::kFp16x3 ? 0 : kBf16TopExponent - kTopExponent;
    constexpr float kOfMethod = 1.0f / (std::uint64_t{1} << kMoreScaled);
    return row < rows ? ptx::mul_rn(ptx::ld_global_f32(params_.g_unscale[side] + row), kOfMethod) : 0.0f;
  }

  // 32 rows of m by the 16 columns of n that this warp holds.
  FG_DEVICE void fill_strip(const float* r_strip, std::int64_t first_row, const float (&left)[2]) const {
    const int lane = ptx::lane_index();
#pragma unroll
    for (int index = 0; index < Strip::kRows / 2; index += 4) {
      const int row = wgmma_column(lane, index);
      const float right[2] = {unscale(kRight, first_row + row, params_.problem.m),
                              unscale(kRight, first_row + row + 1, params_.problem.m)};
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        const float* r_pair = r_strip + index + 2 * column;
        ptx::st_shared_f32x2(
            s_strip_ + Strip::offset(row, wgmma_row(lane, index + 2 * column)),
            float2{unscaled(r_pair[0], left[column], right[0]), unscaled(r_pair[1], left[column], right[1])});
      }
    }
  }

  // The smaller factor first: nothing overflows that will not be as large in the end.
  FG_DEVICE static float unscaled(float sum, float left, float right) {
    return ptx::mul_rn(ptx::mul_rn(sum, left < right ? left : right), left < right ? right : left);
  }

  const ProductParams& params_;
  ptx::SharedAddress s_strip_;  // this warp's
};

}  // namespace fastgemm::sgemm_tensor
