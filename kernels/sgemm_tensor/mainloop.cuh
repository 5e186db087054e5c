// The multiplying warpgroups' loop over k: short sums on the tensor cores, added up in FP32 registers.
#pragma once

#include "kernels/ptx/wgmma_bf16.cuh"
#include "kernels/ptx/wgmma_f16.cuh"
#include "kernels/sgemm_tensor/feed.cuh"
#include "kernels/sgemm_tensor/sums.cuh"

namespace fastgemm::sgemm_tensor {

// 64 rows, spread over a warpgroup as wgmma_row and wgmma_column say.
template <class Config>
using Accumulators = float[Config::kTileRight / 2];

// The wgmma of 64 rows and as many columns as there are accumulators for.
template <Method kMethod, int kCount>
FG_DEVICE void multiply_step(float (&r_sum)[kCount], std::uint64_t left, std::uint64_t right, bool accumulate) {
  constexpr Major kK = Major::kK;
  static_assert(kCount == 32 || kCount == 64, "64 or 128 columns");
  if constexpr (kMethod == Method::kFp16x3) {
    if constexpr (kCount == 32) ptx::wgmma_m64n64k16_f16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 64) ptx::wgmma_m64n128k16_f16<kK, kK>(r_sum, left, right, accumulate);
  } else {
    if constexpr (kCount == 32) ptx::wgmma_m64n64k16_bf16<kK, kK>(r_sum, left, right, accumulate);
    if constexpr (kCount == 64) ptx::wgmma_m64n128k16_bf16<kK, kK>(r_sum, left, right, accumulate);
  }
}

// Whose turn it is to start products: one warpgroup adds up while the other's run. One H200, CUDA 13.0, split pass
// included: 2048 at 128x128 128.6 us with turns, 131.6 without; 8192 at 256x128, summed in halves, 4689 us and 4631.
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

// The tensor cores align 16 products and what they add them to, keep 25 bits below the largest, and cut off the rest,
// as they cut off the sum to 24: beside a sum that has grown, products lose more bits. So sums are short and are added
// up in FP32, in ways that config.h names; the roundings of many sums would outweigh all else. Errors for k = 1024 and
// 4096 uniform in (0, 1), rms beside |A||B|, in units of 1e-8; times of the product at 8192 and 2048, one H200, CUDA
// 13.0:
//   sums of 64 of k, one after another     19, 21
//   of 32, one after another               11, 18     4280 us, 83 us (none added up at all: 4180, 82)
//   of 32, each keeping its rest           8.5, 8.5   5940 us, 121 us: a lone warp adds every other cycle
//   of 32, in groups that keep their rests 8.8, 8.5
// and of cublasSgemm 10 to 44, and 12 to 85, as it takes k in several chains or in one.
template <class Config>
class Mainloop {
  using Part = typename Config::Part;
  using Sums = Accumulators<Config>;
  using ShortSums = float[Config::kSumColumns / 2];
  static constexpr int kBlocksPerSum = Part::kBlocksPerSum;
  static constexpr SumOrder kSumOrder = Config::kSumOrder;
  static constexpr bool kHasSmall = Part::kLargeFrom > 0;
  static_assert(kHasSmall == (kSumOrder == SumOrder::kKeepingRests), "rests are small");

 public:
  FG_DEVICE Mainloop(const SharedLayout<Config>& shared, int warpgroup)
      : shared_(shared), turns_(shared, warpgroup), left_offset_(warpgroup * 64 * Part::kRowBytes) {
    told_empty_ = shared.empty(0);
    if constexpr (Config::kCluster > 1) {
      told_empty_ = ptx::cluster_address(told_empty_, ptx::lane_index() % Config::kCluster);
    }
  }

  // The products of a tile's k blocks; a multiple of kBlocksPerSum.
  FG_DEVICE void multiply(Sums& r_acc, int k_blocks) {
    Sums r_more;  // in groups, theirs; else of small products, beginning with what has been rounded away
    clear(r_acc);
    if constexpr (kSumOrder != SumOrder::kOneByOne) clear(r_more);
#pragma unroll 1
    for (int block = 0; block < k_blocks; block += kBlocksPerSum) {
      int stages[kBlocksPerSum];
      take_stages(stages);
#pragma unroll
      for (int first = 0; first < Config::kTileRight; first += Config::kSumColumns) {
        ShortSums r_sum;
        multiply_blocks(r_sum, r_more, stages, first);
        if (first + Config::kSumColumns == Config::kTileRight) leave_stages(stages);
        add_sums(kSumOrder == SumOrder::kOneByOne ? r_acc : r_more, r_sum, first / 2);
      }
      if constexpr (kSumOrder == SumOrder::kInGroups) end_group(r_acc, r_more, block % kBlocksPerGroup);
      if constexpr (kSumOrder == SumOrder::kKeepingRests) {
        add_keeping_rests<0, Config::kTileRight / 2>(r_acc, r_more);
      }
    }
    if constexpr (kSumOrder != SumOrder::kOneByOne) add_sums(r_acc, r_more);
  }

 private:
  // Groups begin and end one after another, so that each block has as much to add up: where all ended at once, the
  // other warpgroup waited for that, 97 us at 2048 on one H200. Constants, since registers have no index: those of
  // kCount turns from kTurn on, halved until one is left.
  template <int kTurn = 0, int kCount = kBlocksPerGroup>
  FG_DEVICE static void end_group(Sums& r_acc, Sums& r_more, int turn) {
    if constexpr (kCount == 1) {
      constexpr int kEnding = Config::kTileRight / 2 / kBlocksPerGroup;
      add_keeping_rests<kTurn * kEnding, kEnding>(r_acc, r_more);
    } else if (turn < kTurn + kCount / 2) {
      end_group<kTurn, kCount / 2>(r_acc, r_more, turn);
    } else {
      end_group<kTurn + kCount / 2, kCount / 2>(r_acc, r_more, turn);
    }
  }

  FG_DEVICE void take_stages(int (&stages)[kBlocksPerSum]) {
#pragma unroll
    for (int& stage : stages) {
      wait_for(shared_.full(at_.stage), at_.parity);
      stage = at_.stage;
      at_.advance();
    }
  }

  // A stage is filled anew by all blocks of the cluster.
  FG_DEVICE void leave_stages(const int (&stages)[kBlocksPerSum]) const {
#pragma unroll
    for (const int stage : stages) {
      if constexpr (Config::kCluster > 1) {
        if (ptx::lane_index() < Config::kCluster) {
          ptx::mbarrier_arrive_cluster(told_empty_ + stage * 8);
        }
      } else {
        if (ptx::lane_index() == 0) ptx::mbarrier_arrive(told_empty_ + stage * 8);
      }
    }
  }

  // Of the columns from first_column on.
  FG_DEVICE void multiply_blocks(ShortSums& r_sum, Sums& r_small, const int (&stages)[kBlocksPerSum],
                                 int first_column) {
    if constexpr (Config::kTakesTurns) turns_.take();
    ptx::wgmma_fence();
#pragma unroll
    for (int pair = 0; pair < Part::kPairCount; ++pair) {
      const bool begins = pair == Part::kLargeFrom;  // r_small goes on
#pragma unroll
      for (int block = 0; block < kBlocksPerSum; ++block) {
        const bool accumulate = !begins || block > 0;
        if constexpr (kHasSmall) {
          if (pair < Part::kLargeFrom) {
            multiply_block(r_small, stages[block], pair, first_column, accumulate);
            continue;
          }
        }
        multiply_block(r_sum, stages[block], pair, first_column, accumulate);
      }
    }
    ptx::wgmma_commit();
    if constexpr (Config::kTakesTurns) turns_.pass();
    ptx::wgmma_wait<0>();
#pragma unroll
    for (float& sum : r_sum) ptx::wgmma_pin(sum);
    if constexpr (kHasSmall) {
#pragma unroll
      for (float& sum : r_small) ptx::wgmma_pin(sum);
    }
  }

  template <int kCount>
  FG_DEVICE void multiply_block(float (&r_sum)[kCount], int stage, int pair, int first_column,
                                bool accumulate) const {
    const std::uint64_t left = descriptor(shared_.left(stage) + left_offset_);
    const std::uint64_t right = descriptor(shared_.right(stage) + first_column * Part::kRowBytes);
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

  SharedLayout<Config> shared_;
  Turns<Config> turns_;
  int left_offset_;                // of this warpgroup's rows
  ptx::SharedAddress told_empty_;  // the first stage's barrier, of the block that this lane tells
  RingPosition<Config> at_;
};

}  // namespace fastgemm::sgemm_tensor
