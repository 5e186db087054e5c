// The multiplying warpgroups' loop over k: short sums on the tensor cores, added up in FP32 registers.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/wgmma_bf16.cuh"
#include "kernels/ptx/wgmma_f16.cuh"
#include "kernels/sgemm_tensor/feed.cuh"

namespace fastgemm::sgemm_tensor {

// Half h: columns h * kHalf and on of 64 rows, spread over a warpgroup as wgmma_row and wgmma_column say.
template <class Config>
using Accumulators = float[Config::kHalves][Config::kHalf / 2];

// The wgmma of 64 rows and as many columns as there are accumulators for.
template <Method kMethod, int kCount>
FG_DEVICE void multiply_step(float (&r_sum)[kCount], std::uint64_t left, std::uint64_t right, bool accumulate) {
  constexpr Major kK = Major::kK;
  static_assert(kCount == 32 || kCount == 48 || kCount == 64, "64, 96 or 128 columns");
  if constexpr (kMethod == Method::kFp16x3) {
    if constexpr (kCount == 32) ptx::wgmma_m64n64k16_f16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 48) ptx::wgmma_m64n96k16_f16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 64) ptx::wgmma_m64n128k16_f16<kK, kK>(r_sum, left, right, accumulate);
  } else {
    if constexpr (kCount == 32) ptx::wgmma_m64n64k16_bf16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 48) ptx::wgmma_m64n96k16_bf16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 64) ptx::wgmma_m64n128k16_bf16<kK, kK>(r_sum, left, right, accumulate);
  }
}

// Whose turn it is to start products: one warpgroup adds up while the other's run. One H200, CUDA 13.0, 8192: 258
// TFLOP/s with turns, 232 without, at 192x128; no difference at 128x128.
template <class Config>
class Turns {
 public:
  FG_DEVICE Turns(const SharedLayout<Config>& shared, int warpgroup) : shared_(shared), warpgroup_(warpgroup) {
    if (warpgroup_ == 1) pass();
  }
  FG_DEVICE void take() {
    wait_for(shared_.turn(warpgroup_), parity_);
    parity_ ^= 1;
  }
  FG_DEVICE void pass() const {
    ptx::warp_sync();
    if (ptx::lane_index() == 0) ptx::mbarrier_arrive(shared_.turn(1 - warpgroup_));
  }

 private:
  SharedLayout<Config> shared_;
  int warpgroup_;
  int parity_ = 0;
};

template <class Config>
class Mainloop {
  using Part = typename Config::Part;
  static constexpr int kBlocksPerSum = Config::kBlocksPerSum;
  static constexpr bool kHasLow = Part::kSumsFrom > 0;
  using Sums = float[Config::kHalf / 2];

 public:
  FG_DEVICE Mainloop(const SharedLayout<Config>& shared, int warpgroup)
      : shared_(shared), turns_(shared, warpgroup), left_offset_(warpgroup * 64 * Part::kRowBytes) {}

  // The products of a tile's k blocks; a multiple of kBlocksPerSum.
  FG_DEVICE void multiply(Accumulators<Config>& r_acc, int k_blocks) {
#pragma unroll
    for (auto& r_half : r_acc) {
#pragma unroll
      for (float& accumulator : r_half) accumulator = 0.0f;
    }
#pragma unroll 1
    for (int block = 0; block < k_blocks; block += kBlocksPerSum) {
      int stages[kBlocksPerSum];
#pragma unroll
      for (int& stage : stages) {
        wait_for(shared_.full(at_.stage), at_.parity);
        stage = at_.stage;
        at_.advance();
      }
#pragma unroll
      for (int half = 0; half < Config::kHalves; ++half) add_half(r_acc[half], stages, half);
    }
  }

 private:
  FG_DEVICE void add_half(Sums& r_acc, const int (&stages)[kBlocksPerSum], int half) {
    Sums r_low;
    Sums r_sum;
    turns_.take();
    ptx::wgmma_fence();
#pragma unroll
    for (int pair = 0; pair < Part::kPairCount; ++pair) {
      const bool is_low = pair < Part::kSumsFrom;
      const bool begins = pair == 0 || pair == Part::kSumsFrom;
#pragma unroll
      for (int block = 0; block < kBlocksPerSum; ++block) {
        multiply_block(is_low ? r_low : r_sum, stages[block], pair, half, !begins || block > 0);
      }
    }
    ptx::wgmma_commit();
    turns_.pass();
    ptx::wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < Config::kHalf / 2; ++i) {
      ptx::wgmma_pin(r_sum[i]);
      if constexpr (kHasLow) ptx::wgmma_pin(r_low[i]);
    }
    if (half == Config::kHalves - 1) {
#pragma unroll
      for (const int stage : stages) leave(stage);
    }
    constexpr float kUnscaleLow = 1.0f / (1 << kLowScale);
#pragma unroll
    for (int i = 0; i < Config::kHalf / 2; ++i) {
      if constexpr (kHasLow) r_sum[i] = ptx::fma_rn(r_low[i], kUnscaleLow, r_sum[i]);
      r_acc[i] = ptx::add_rn(r_acc[i], r_sum[i]);
    }
  }

  FG_DEVICE void multiply_block(Sums& r_sum, int stage, int pair, int half, bool accumulate) const {
    const std::uint64_t left = descriptor(shared_.left(stage) + left_offset_);
    const std::uint64_t right = descriptor(shared_.right(stage) + half * Config::kHalf * Part::kRowBytes);
#pragma unroll
    for (int step = 0; step < kBlockK / 16; ++step) {
      multiply_step<Config::kMethod>(
          r_sum,
          moved_descriptor(left, Part::offset(Part::pair(pair).left, Config::kTileLeft) + step * 32),
          moved_descriptor(right, Part::offset(Part::pair(pair).right, Config::kTileRight) + step * 32),
          accumulate || step > 0);
    }
  }

  // Rows of kRowBytes, k contiguous; groups of 8 follow each other.
  FG_DEVICE static std::uint64_t descriptor(ptx::SharedAddress address) {
    return wgmma_descriptor(address, 16, 8 * Part::kRowBytes, Part::kSwizzle);
  }

  FG_DEVICE void leave(int stage) const {
    if (ptx::lane_index() == 0) ptx::mbarrier_arrive(shared_.empty(stage));
  }

  SharedLayout<Config> shared_;
  Turns<Config> turns_;
  int left_offset_;  // of this warpgroup's rows
  RingPosition<Config> at_;
};

}  // namespace fastgemm::sgemm_tensor
