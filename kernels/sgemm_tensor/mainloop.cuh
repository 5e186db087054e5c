// The multiplying warpgroups' loop over k: short sums on the tensor cores, added up in FP32 registers.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/wgmma_bf16.cuh"
#include "kernels/ptx/wgmma_f16.cuh"
#include "kernels/sgemm_tensor/feed.cuh"

namespace fastgemm::sgemm_tensor {

// 64 rows, spread over a warpgroup as wgmma_row and wgmma_column say.
template <class Config>
using Accumulators = float[Config::kTileRight / 2];

// The wgmma of 64 rows and as many columns as there are accumulators for.
template <Method kMethod, int kCount>
FG_DEVICE void multiply_step(float (&r_sum)[kCount], std::uint64_t left, std::uint64_t right, bool accumulate) {
  constexpr Major kK = Major::kK;
  static_assert(kCount == 32 || kCount == 64 || kCount == 96, "64, 128 or 192 columns");
  if constexpr (kMethod == Method::kFp16x3) {
    if constexpr (kCount == 32) ptx::wgmma_m64n64k16_f16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 64) ptx::wgmma_m64n128k16_f16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 96) ptx::wgmma_m64n192k16_f16<kK, kK>(r_sum, left, right, accumulate);
  } else {
    if constexpr (kCount == 32) ptx::wgmma_m64n64k16_bf16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 64) ptx::wgmma_m64n128k16_bf16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 96) ptx::wgmma_m64n192k16_bf16<kK, kK>(r_sum, left, right, accumulate);
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

// The tensor cores align 16 products and what they add them to, and cut all of these off, as they cut off the sum: beside
// a sum that has grown, products lose more bits. So sums are short, a block of k each. What adding one up in FP32 rounds
// away is where the next begins (T. Dekker's error-free sum, as W. Kahan's summation uses it): without it, the roundings
// of 64 and more blocks would outweigh all else. Of k = 1024 uniform in (0, 1): 8.5e-8 with it, 1.1e-7 without, 1.9e-7
// when blocks are of 64 (rms, beside |A||B|).
template <class Config>
class Mainloop {
  using Part = typename Config::Part;
  using Sums = Accumulators<Config>;
  static constexpr bool kHasLow = Part::kSumsFrom > 0;

 public:
  FG_DEVICE Mainloop(const SharedLayout<Config>& shared, int warpgroup)
      : shared_(shared), turns_(shared, warpgroup), left_offset_(warpgroup * 64 * Part::kRowBytes) {}

  // The products of a tile's k blocks.
  FG_DEVICE void multiply(Sums& r_acc, int k_blocks) {
    Sums r_small;  // begins with what the block before has left
    Sums r_large;
#pragma unroll
    for (int i = 0; i < Config::kTileRight / 2; ++i) r_acc[i] = r_small[i] = 0.0f;
#pragma unroll 1
    for (int block = 0; block < k_blocks; ++block) {
      wait_for(shared_.full(at_.stage), at_.parity);
      multiply_block(r_small, r_large);
      if (ptx::lane_index() == 0) ptx::mbarrier_arrive(shared_.empty(at_.stage));
      at_.advance();
#pragma unroll
      for (int i = 0; i < Config::kTileRight / 2; ++i) {
        const float sum = kHasLow ? ptx::add_rn(r_small[i], r_large[i]) : r_small[i];
        const float minus_taken = ptx::add_rn(ptx::add_rn(-r_acc[i], -sum), r_acc[i]);
        r_acc[i] = ptx::add_rn(r_acc[i], sum);
        r_small[i] = ptx::add_rn(sum, minus_taken);
      }
    }
#pragma unroll
    for (int i = 0; i < Config::kTileRight / 2; ++i) r_acc[i] = ptx::add_rn(r_acc[i], r_small[i]);
  }

 private:
  // Adds a block's products to r_small, small ones first, but for those of the first parts where they have a sum of
  // their own.
  FG_DEVICE void multiply_block(Sums& r_small, Sums& r_large) {
    const std::uint64_t left = descriptor(shared_.left(at_.stage) + left_offset_);
    const std::uint64_t right = descriptor(shared_.right(at_.stage));
    turns_.take();
    ptx::wgmma_fence();
#pragma unroll
    for (int pair = 0; pair < Part::kPairCount; ++pair) {
#pragma unroll
      for (int step = 0; step < kBlockK / 16; ++step) {
        const bool is_large = kHasLow && pair >= Part::kSumsFrom;
        multiply_step<Config::kMethod>(
            is_large ? r_large : r_small,
            moved_descriptor(left, Part::offset(Part::pair(pair).left, Config::kTileLeft) + step * 32),
            moved_descriptor(right, Part::offset(Part::pair(pair).right, Config::kTileRight) + step * 32),
            !is_large || pair > Part::kSumsFrom || step > 0);
      }
    }
    ptx::wgmma_commit();
    turns_.pass();
    ptx::wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < Config::kTileRight / 2; ++i) {
      ptx::wgmma_pin(r_small[i]);
      if constexpr (kHasLow) ptx::wgmma_pin(r_large[i]);
    }
  }

  // Rows of kRowBytes, k contiguous; groups of 8 follow each other.
  FG_DEVICE static std::uint64_t descriptor(ptx::SharedAddress address) {
    return wgmma_descriptor(address, 16, 8 * Part::kRowBytes, Part::kSwizzle);
  }

  SharedLayout<Config> shared_;
  Turns<Config> turns_;
  int left_offset_;  // of this warpgroup's rows
  RingPosition<Config> at_;
};

}  // namespace fastgemm::sgemm_tensor
