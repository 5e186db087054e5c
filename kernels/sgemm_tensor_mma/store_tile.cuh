// From accumulators to D: each warp its part, in strips of 16 columns, through its own slice of shared memory.
#pragma once

#include "kernels/epilogue/store_strip.cuh"
#include "kernels/sgemm_tensor_mma/mainloop.cuh"
#include "kernels/sgemm_tensor_mma/params.h"

namespace fastgemm::sgemm_tensor_mma {

// Powers of two per row and column, undone here: both products are exact, so that the sum the epilogue gets is rounded
// no more often than FP32's own.
template <class Config>
class TileStore {
  using Strip = typename Config::Strip;
  static constexpr int kBlocksM = Config::kWarpM / 8;

 public:
  FG_DEVICE explicit TileStore(const ProductParams& params)
      : params_(params), s_strip_(ptx::shared_base() + ptx::warp_index() * Strip::kBytes) {}

  // The strips lie in the ring, which all warps have left.
  FG_DEVICE void store(const TileCoordinate& tile, const Accumulators<Config>& r_acc) const {
    const GemmProblem& problem = params_.problem;
    const Epilogue epilogue = make_epilogue(problem, 0);
    const bool by_runs = runs_aligned(epilogue);
    const int warp = ptx::warp_index();
    StripPlace place{std::int64_t{tile.m} * Config::kTileM + hgemm_mma::warp_row<Config>(warp),
                     std::int64_t{tile.n} * Config::kTileN + hgemm_mma::warp_column<Config>(warp), problem.m, problem.n};
    float right[kBlocksM][2];
#pragma unroll
    for (int m = 0; m < kBlocksM; ++m) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        right[m][i] = unscale(sgemm_tensor::kRight, place.row + m * 8 + accumulator_m(ptx::lane_index(), i));
      }
    }
#pragma unroll
    for (int n = 0; n < Config::kWarpN / 16; ++n) {
      fill_strip(r_acc + n * kBlocksM * 4, place.column, right);
      ptx::warp_sync();
      store_strip<Strip>(epilogue, s_strip_, place, by_runs);
      ptx::warp_sync();  // the strip is read before the next one overwrites it
      place.column += 16;
    }
  }

 private:
  FG_DEVICE float unscale(sgemm_tensor::Side side, std::int64_t row) const {
    const sgemm_tensor::SplitOperand& operand = params_.operands[side];
    return row < operand.rows ? ptx::ld_global_f32(operand.g_unscale + row) : 0.0f;
  }

  FG_DEVICE void fill_strip(const float* r_strip, std::int64_t first_column, const float (&right)[kBlocksM][2]) const {
    const int lane = ptx::lane_index();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int column = accumulator_n(lane, 2 * half);
      const float left = unscale(sgemm_tensor::kLeft, first_column + column);
#pragma unroll
      for (int m = 0; m < kBlocksM; ++m) {
        const float* r_pair = r_strip + m * 4 + 2 * half;
        ptx::st_shared_f32x2(s_strip_ + Strip::offset(m * 8 + accumulator_m(lane, 2 * half), column),
                             float2{sgemm_tensor::unscaled(r_pair[0], left, right[m][0]),
                                    sgemm_tensor::unscaled(r_pair[1], left, right[m][1])});
      }
    }
  }

  const ProductParams& params_;
  ptx::SharedAddress s_strip_;  // this warp's
};

}  // namespace fastgemm::sgemm_tensor_mma
