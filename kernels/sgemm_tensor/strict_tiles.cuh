// FP32 throughout, for data that no parts can stand for, within the product's launch: one of its own, which as a rule had
// nothing to do, cost every product 3 to 8 us. (One H200, CUDA 13.0, TN with it and without: 1024 33.2 and 28.1 us, 2048
// 103.1 and 97.2, 4096 613 and 605.) Such data are rare, so that one plain tile does for all operations.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/sgemm_tensor/params.h"
#include "kernels/sgemm_tensor/split_rows.cuh"
#include "kernels/sgemm_tensor/sums.cuh"

namespace fastgemm::sgemm_tensor {

// By the first kSplitThreads of a block, each with kThreadM x kThreadN elements of a tile of D.
class StrictTiles {
  static constexpr int kThreadM = 8, kThreadN = 4;
  static constexpr int kThreadsM = 16, kThreadsN = kSplitThreads / kThreadsM;
  static constexpr int kStepK = 16;
  static constexpr int kStepsPerSum = 16;  // chains of 256 are added up: fewer roundings than in one long chain
  static constexpr int kTiles[kSides] = {kThreadsN * kThreadN, kThreadsM * kThreadM};
  static constexpr int kHalfM = kTiles[kRight] / 2;  // of a thread's elements along m four are in either half
  static_assert(kThreadM == 8 && kThreadN == 4, "two vectors and one");

 public:
  static constexpr int kTileM = kTiles[kRight], kTileN = kTiles[kLeft];

  FG_DEVICE StrictTiles(const ProductParams& params, bool has_product)
      : params_(params),
        steps_(has_product ? (params.split.depth + kStepK - 1) / kStepK : 0),
        lane_m_(ptx::thread_index() % kThreadsM),
        lane_n_(ptx::thread_index() / kThreadsM) {}

  FG_DEVICE void run() {
    const GemmProblem& problem = params_.problem;
    const TileGrid grid{static_cast<int>((problem.m + kTileM - 1) / kTileM),
                        static_cast<int>((problem.n + kTileN - 1) / kTileN)};
    const Epilogue epilogue = make_epilogue(problem, 0);
    for (auto tile = static_cast<int>(ptx::block_index()); tile < grid.tiles_m * grid.tiles_n;
         tile += static_cast<int>(ptx::grid_size())) {
      const TileCoordinate place = tile_place(grid, tile, kGroup);
      const int first[kSides] = {static_cast<int>(place.n) * kTileN, static_cast<int>(place.m) * kTileM};
      Sums r_acc;
      multiply(first, r_acc);
      store(epilogue, first, r_acc);
    }
  }

 private:
  static constexpr int kGroup = 16;  // tiles of n that the raster walks before one of m
  using Sums = float[kThreadN * kThreadM];

  // Elements of a step that a thread copies of one side, on their way: neighbours on neighbours along what is contiguous.
  template <Side kSide>
  class Copy {
    static constexpr int kRows = kTiles[kSide];
    static constexpr int kCount = kRows * kStepK / kSplitThreads;
    static constexpr int kPitch = kRows + 4;

   public:
    static constexpr int kBytes = kStepK * kPitch * 4;
    static FG_DEVICE ptx::SharedAddress place(ptx::SharedAddress s_step, int k, int row) {
      return s_step + (k * kPitch + row) * 4;
    }

    FG_DEVICE Copy(const SplitOperand& operand, int first_row)
        : operand_(operand), first_row_(first_row), along_k_(operand.k_step == 1) {}

    FG_DEVICE void load(int first_k, int depth) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const std::int64_t row = first_row_ + row_of(i);
        const std::int64_t k = first_k + k_of(i);
        const bool inside = row < operand_.rows && k < depth;
        r_x_[i] = inside ? ptx::ld_global_f32(operand_.g_source + row * operand_.row_step + k * operand_.k_step) : 0.0f;
      }
    }
    FG_DEVICE void put(ptx::SharedAddress s_step) const {
#pragma unroll
      for (int i = 0; i < kCount; ++i) ptx::st_shared_f32(place(s_step, k_of(i), row_of(i)), r_x_[i]);
    }

   private:
    FG_DEVICE int row_of(int i) const {
      const int number = ptx::thread_index() + i * kSplitThreads;
      return along_k_ ? number / kStepK : number % kRows;
    }
    FG_DEVICE int k_of(int i) const {
      const int number = ptx::thread_index() + i * kSplitThreads;
      return along_k_ ? number % kStepK : number / kRows;
    }

    const SplitOperand& operand_;
    int first_row_;
    bool along_k_;
    float r_x_[kCount];
  };

  static constexpr int kBufferBytes = Copy<kLeft>::kBytes + Copy<kRight>::kBytes;

  FG_DEVICE void multiply(const int (&first)[kSides], Sums& r_acc) const {
    Copy<kLeft> left(params_.split.operands[kLeft], first[kLeft]);
    Copy<kRight> right(params_.split.operands[kRight], first[kRight]);
    Sums r_sum;
    clear(r_acc);
    clear(r_sum);
    const auto load = [&](int step) {
      left.load(step * kStepK, params_.split.depth);
      right.load(step * kStepK, params_.split.depth);
    };
    if (steps_ > 0) load(0);
    meet_to_split();  // the tile before has been multiplied
#pragma unroll 1
    for (int step = 0; step < steps_; ++step) {
      const ptx::SharedAddress s_left = ptx::shared_base() + step % 2 * kBufferBytes;
      const ptx::SharedAddress s_right = s_left + Copy<kLeft>::kBytes;
      left.put(s_left);
      right.put(s_right);
      meet_to_split();  // that the step before has been multiplied, which the next one overwrites, is known then, too
      if (step + 1 < steps_) load(step + 1);
      multiply_step(s_left, s_right, r_sum);
      if ((step + 1) % kStepsPerSum == 0 || step + 1 == steps_) {
        add_sums(r_acc, r_sum);
        clear(r_sum);
      }
    }
  }

  FG_DEVICE void multiply_step(ptx::SharedAddress s_left, ptx::SharedAddress s_right, Sums& r_sum) const {
#pragma unroll
    for (int k = 0; k < kStepK; ++k) {
      const float4 n = ptx::ld_shared_f32x4(Copy<kLeft>::place(s_left, k, lane_n_ * 4));
      const float4 m0 = ptx::ld_shared_f32x4(Copy<kRight>::place(s_right, k, lane_m_ * 4));
      const float4 m1 = ptx::ld_shared_f32x4(Copy<kRight>::place(s_right, k, kHalfM + lane_m_ * 4));
      const float b[kThreadN] = {n.x, n.y, n.z, n.w};
      const float a[kThreadM] = {m0.x, m0.y, m0.z, m0.w, m1.x, m1.y, m1.z, m1.w};
#pragma unroll
      for (int j = 0; j < kThreadN; ++j) {
#pragma unroll
        for (int i = 0; i < kThreadM; ++i) {
          r_sum[j * kThreadM + i] = ptx::fma_rn(a[i], b[j], r_sum[j * kThreadM + i]);
        }
      }
    }
  }

  FG_DEVICE std::int64_t row_of(const int (&first)[kSides], int i) const {
    return first[kRight] + i / 4 * kHalfM + lane_m_ * 4 + i % 4;
  }
  FG_DEVICE std::int64_t column_of(const int (&first)[kSides], int j) const { return first[kLeft] + lane_n_ * 4 + j; }

  FG_DEVICE void store(const Epilogue& epilogue, const int (&first)[kSides], const Sums& r_acc) const {
    const GemmProblem& problem = params_.problem;
#pragma unroll
    for (int j = 0; j < kThreadN; ++j) {
      const std::int64_t column = column_of(first, j);
#pragma unroll
      for (int i = 0; i < kThreadM; ++i) {
        const std::int64_t row = row_of(first, i);
        if (row >= problem.m || column >= problem.n) continue;
        const float* g_c = static_cast<const float*>(epilogue.c) + row + column * epilogue.ldc;
        const float c = epilogue.beta != 0.0f ? ptx::ld_global_f32(g_c) : 0.0f;
        ptx::st_global_f32(static_cast<float*>(epilogue.d) + row + column * epilogue.ldd,
                           scale(epilogue, r_acc[j * kThreadM + i], c));
      }
    }
    if (!has_finish(epilogue)) return;
#pragma unroll 1
    for (int element = 0; element < kThreadM * kThreadN; ++element) {
      const std::int64_t row = row_of(first, element % kThreadM);
      const std::int64_t column = column_of(first, element / kThreadM);
      if (row < problem.m && column < problem.n) finish_element(epilogue, row, column);
    }
  }

  const ProductParams& params_;
  int steps_;
  int lane_m_;
  int lane_n_;
};

}  // namespace fastgemm::sgemm_tensor
