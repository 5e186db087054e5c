// From accumulators to D, warp by warp through FP32 strips in shared memory.
#pragma once

#include "kernels/epilogue/store_strip_columns.cuh"
#include "kernels/sgemm_tensor/mainloop.cuh"

namespace fastgemm::sgemm_tensor {

// Powers of two per row and column, undone here: both products are exact, so that the sum the epilogue gets is rounded
// no more often than FP32's own. Those of FP16 parts come one after the other, as a warp's strip is filled and as it is
// stored: sums are below 2^45 and factors below 2^50, so that nothing overflows in between.
template <class Config>
class TileStore {
  static constexpr int kStrips = Config::kTileM / Strip::kRows;
  static constexpr bool kOneByOne = Config::kMethod == Method::kFp16x3;

 public:
  FG_DEVICE TileStore(const ProductParams& params, const SharedLayout<Config>& shared)
      : params_(params), s_strip_(shared.strip(ptx::warp_index())) {}

  FG_DEVICE void store(const TileCoordinate& place, const Accumulators<Config>& r_acc) {
    const GemmProblem& problem = params_.problem;
    const Epilogue epilogue = make_epilogue(problem, 0);
    const bool finishes = has_finish(epilogue);
    const bool by_runs = runs_aligned(epilogue);
    StripPlace at{place.m * std::int64_t{Config::kTileM},
                  place.n * std::int64_t{Config::kTileN} + ptx::warp_index() * Strip::kColumns, problem.m, problem.n};
    const int lane = ptx::lane_index();
    const float left[2] = {unscale(kLeft, at.column + lane / 4, problem.n),
                           unscale(kLeft, at.column + lane / 4 + 8, problem.n)};
    float right[kStrips];  // of a lane's row, from which others get it; all on their way at once
#pragma unroll
    for (int strip = 0; strip < kStrips; ++strip) {
      right[strip] = unscale(kRight, at.row + strip * Strip::kRows + lane, problem.m);
    }
    // One loop, so that most of its code is there once; registers have no run-time index, so each turn looks for its
    // own.
#pragma unroll 1
    for (int strip = 0; strip < kStrips; ++strip, at.row += Strip::kRows) {
      float factor = 1.0f;
      ptx::warp_sync();
#pragma unroll
      for (int candidate = 0; candidate < kStrips; ++candidate) {
        if (candidate == strip) {
          fill_strip(r_acc + candidate * (Strip::kRows / 2), left, right[candidate]);
          factor = right[candidate];
        }
      }
      if constexpr (!kOneByOne) factor = 1.0f;
      ptx::warp_sync();
      if (finishes) {
        multiply_strip(factor);
        store_strip<Strip>(epilogue, s_strip_, at, by_runs);
      } else {
        store_strip_columns<Strip>(epilogue, s_strip_, at, factor);
      }
    }
  }

 private:
  FG_DEVICE float unscale(Side side, std::int64_t row, std::int64_t rows) const {
    constexpr int kMoreScaled = Config::kMethod == Method::kFp16x3 ? 0 : kBf16TopExponent - kTopExponent;
    constexpr float kOfMethod = 1.0f / (std::uint64_t{1} << kMoreScaled);
    return row < rows ? ptx::mul_rn(ptx::ld_global_f32(params_.split.operands[side].g_unscale + row), kOfMethod) : 0.0f;
  }

  // 32 rows of m by the 16 columns of n that this warp holds; `right` is of the lane's row.
  FG_DEVICE void fill_strip(const float* r_strip, const float (&left)[2], float right) const {
    const int lane = ptx::lane_index();
#pragma unroll
    for (int index = 0; index < Strip::kRows / 2; index += 4) {
      const int row = wgmma_column(lane, index);
      float of_row[2] = {1.0f, 1.0f};
      if constexpr (!kOneByOne) of_row[0] = ptx::shuffle(right, row), of_row[1] = ptx::shuffle(right, row + 1);
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        const float* r_pair = r_strip + index + 2 * column;
        ptx::st_shared_f32x2(
            s_strip_ + Strip::offset(row, wgmma_row(lane, index + 2 * column)),
            float2{unscale(r_pair[0], left[column], of_row[0]), unscale(r_pair[1], left[column], of_row[1])});
      }
    }
  }

  // The lane's row.
  FG_DEVICE void multiply_strip(float factor) const {
#pragma unroll 1
    for (int column = 0; column < Strip::kColumns; ++column) {
      const ptx::SharedAddress s_element = s_strip_ + Strip::offset(ptx::lane_index(), column);
      ptx::st_shared_f32(s_element, ptx::mul_rn(ptx::ld_shared_f32(s_element), factor));
    }
    ptx::warp_sync();
  }

  FG_DEVICE static float unscale(float sum, float left, float right) {
    if constexpr (kOneByOne) return ptx::mul_rn(sum, left);
    return unscaled(sum, left, right);
  }

  const ProductParams& params_;
  ptx::SharedAddress s_strip_;  // this warp's
};

}  // namespace fastgemm::sgemm_tensor
