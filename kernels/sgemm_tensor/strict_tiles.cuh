// FP32 throughout, for data that no parts can stand for, within the product's launch: one of its own, which as a rule
// had nothing to do, cost every product 3 to 8 us. (One H200, CUDA 13.0, TN with it and without: 1024 33.2 and 28.1 us,
// 2048 103.1 and 97.2, 4096 613 and 605.) Such data are rare, so that one plain tile does for all operations. Large
// products, which that costs 0.1 %, have such a launch, see strict.cuh.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/sgemm_tensor/config.h"
#include "kernels/sgemm_tensor/params.h"
#include "kernels/sgemm_tensor/split_rows.cuh"
#include "kernels/sgemm_tensor/sums.cuh"

namespace fastgemm::sgemm_tensor {

// By the threads that multiply, each with kThread x kThread elements of a tile of D.
class StrictTiles {
  static constexpr int kThread = 8;
  static constexpr int kThreads = 16;  // along m, and along n
  static constexpr int kTile = kThread * kThreads;
  static constexpr int kHalf = kTile / 2;  // in either half of the tile are four of a thread's elements along m, and n
  static constexpr int kStepK = 16;
  static constexpr int kStepsPerSum = 16;  // chains of 256 are added up: fewer roundings than in one long chain
  static_assert(kThreads * kThreads == kConsumers && kConsumers == kSplitThreads, "who meets");

 public:
  static constexpr int kTileM = kTile, kTileN = kTile;

  FG_DEVICE StrictTiles(const ProductParams& params, bool has_product)
      : params_(params),
        steps_(has_product ? (params.split.depth + kStepK - 1) / kStepK : 0),
        lane_m_(ptx::thread_index() % kThreads),
        lane_n_(ptx::thread_index() / kThreads) {}

  FG_DEVICE void run() {
    const GemmProblem& problem = params_.problem;
    const TileGrid grid{static_cast<int>((problem.m + kTile - 1) / kTile),
                        static_cast<int>((problem.n + kTile - 1) / kTile)};
    const Epilogue epilogue = make_epilogue(problem, 0);
    for (auto tile = static_cast<int>(ptx::block_index()); tile < grid.tiles_m * grid.tiles_n;
         tile += static_cast<int>(ptx::grid_size())) {
      const TileCoordinate place = tile_place(grid, tile, kGroup);
      const int first[kSides] = {static_cast<int>(place.n) * kTile, static_cast<int>(place.m) * kTile};
      Sums r_acc;
      multiply(first, r_acc);
      store(epilogue, first, r_acc);
    }
  }

 private:
  static constexpr int kGroup = 16;  // tiles of n that the raster walks before one of m
  using Sums = float[kThread * kThread];

  // Of a step of one operand, in shared memory: kTile rows of every k.
  static constexpr int kPitch = (kTile + 4) * 4;  // bytes
  static constexpr int kOperandBytes = kStepK * kPitch;
  static FG_DEVICE ptx::SharedAddress place(ptx::SharedAddress s_operand, int k, int row) {
    return s_operand + k * kPitch + row * 4;
  }

  // A thread's elements of steps that are copied one after another; neighbours have neighbours along what is
  // contiguous.
  class Copy {
    static constexpr int kCount = kTile * kStepK / kConsumers;

   public:
    FG_DEVICE Copy(const SplitOperand& operand, int first_row, int depth) : k_step_(operand.k_step) {
      const bool along_k = operand.k_step == 1;
      const int thread = ptx::thread_index();
      row_ = along_k ? thread / kStepK : thread % kTile;
      k_ = along_k ? thread % kStepK : thread / kTile;
      rows_apart_ = along_k ? kConsumers / kStepK : 0;
      k_apart_ = along_k ? 0 : kConsumers / kTile;
      rows_left_ = operand.rows - first_row - row_;
      k_left_ = depth - k_;
      g_next_ = operand.g_source + (std::int64_t{first_row} + row_) * operand.row_step + k_ * k_step_;
      apart_ = rows_apart_ * operand.row_step + k_apart_ * k_step_;
    }

    // Starts with the next step.
    FG_DEVICE void load() {
      const float* g_element = g_next_;
#pragma unroll
      for (int i = 0; i < kCount; ++i, g_element += apart_) {
        r_x_[i] = i * rows_apart_ < rows_left_ && i * k_apart_ < k_left_ ? ptx::ld_global_f32(g_element) : 0.0f;
      }
      g_next_ += kStepK * k_step_;
      k_left_ -= kStepK;
    }
    FG_DEVICE void put(ptx::SharedAddress s_operand) const {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        ptx::st_shared_f32(place(s_operand, k_ + i * k_apart_, row_ + i * rows_apart_), r_x_[i]);
      }
    }

   private:
    std::int64_t k_step_;
    int row_;  // of the first of its elements
    int k_;
    int rows_apart_;  // from one to the next
    int k_apart_;
    int rows_left_;
    int k_left_;
    const float* g_next_;
    std::int64_t apart_;
    float r_x_[kCount];
  };

  FG_DEVICE void multiply(const int (&first)[kSides], Sums& r_acc) const {
    Copy left(params_.split.operands[kLeft], first[kLeft], params_.split.depth);
    Copy right(params_.split.operands[kRight], first[kRight], params_.split.depth);
    Sums r_sum;
    clear(r_acc);
    clear(r_sum);
    const auto load = [&] {
      left.load();
      right.load();
    };
    if (steps_ > 0) load();
    meet_to_split();  // the tile before has been multiplied
#pragma unroll 1
    for (int step = 0; step < steps_; ++step) {
      const ptx::SharedAddress s_left = ptx::shared_base() + step % 2 * (kSides * kOperandBytes);
      const ptx::SharedAddress s_right = s_left + kOperandBytes;
      left.put(s_left);
      right.put(s_right);
      meet_to_split();  // that the step before has been multiplied, which the next one overwrites, is known then, too
      if (step + 1 < steps_) load();
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
      float a[kThread];
      float b[kThread];
      load_fragment(s_right, k, lane_m_, a);
      load_fragment(s_left, k, lane_n_, b);
#pragma unroll
      for (int j = 0; j < kThread; ++j) {
#pragma unroll
        for (int i = 0; i < kThread; ++i) r_sum[j * kThread + i] = ptx::fma_rn(a[i], b[j], r_sum[j * kThread + i]);
      }
    }
  }

  FG_DEVICE static void load_fragment(ptx::SharedAddress s_operand, int k, int lane, float (&fragment)[kThread]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4 x = ptx::ld_shared_f32x4(place(s_operand, k, half * kHalf + lane * 4));
      float* r_four = fragment + half * 4;
      r_four[0] = x.x, r_four[1] = x.y, r_four[2] = x.z, r_four[3] = x.w;
    }
  }

  FG_DEVICE std::int64_t row_of(const int (&first)[kSides], int i) const {
    return first[kRight] + i / 4 * kHalf + lane_m_ * 4 + i % 4;
  }
  FG_DEVICE std::int64_t column_of(const int (&first)[kSides], int j) const {
    return first[kLeft] + j / 4 * kHalf + lane_n_ * 4 + j % 4;
  }

  FG_DEVICE void store(const Epilogue& epilogue, const int (&first)[kSides], const Sums& r_acc) const {
    const GemmProblem& problem = params_.problem;
#pragma unroll
    for (int j = 0; j < kThread; ++j) {
      const std::int64_t column = column_of(first, j);
#pragma unroll
      for (int i = 0; i < kThread; ++i) {
        const std::int64_t row = row_of(first, i);
        if (row >= problem.m || column >= problem.n) continue;
        const float* g_c = static_cast<const float*>(epilogue.c) + row + column * epilogue.ldc;
        const float c = epilogue.beta != 0.0f ? ptx::ld_global_f32(g_c) : 0.0f;
        ptx::st_global_f32(static_cast<float*>(epilogue.d) + row + column * epilogue.ldd,
                           scale(epilogue, r_acc[j * kThread + i], c));
      }
    }
    if (!has_finish(epilogue)) return;
#pragma unroll 1
    for (int element = 0; element < kThread * kThread; ++element) {
      const std::int64_t row = row_of(first, element % kThread);
      const std::int64_t column = column_of(first, element / kThread);
      if (row < problem.m && column < problem.n) finish_element(epilogue, row, column);
    }
  }

  const ProductParams& params_;
  int steps_;
  int lane_m_;
  int lane_n_;
};

}  // namespace fastgemm::sgemm_tensor
