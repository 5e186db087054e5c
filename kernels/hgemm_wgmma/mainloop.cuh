// The multiplying warpgroups' loop over k blocks.
#pragma once

#include "kernels/hgemm_wgmma/feed.cuh"
#include "kernels/ptx/wgmma_f16.cuh"

namespace fastgemm::hgemm_wgmma {

// Block b: rows 64 b to 64 b + 63 of this warpgroup's part of the tile, spread over its threads as wgmma_row and
// wgmma_column say.
template <class Config>
using Accumulators = float[Config::kBlocks][Config::kTileRight / 2];

// The wgmma of 64 rows and as many columns as there are accumulators for.
template <Major kLeft, Major kRight>
FG_DEVICE void multiply_step(float (&r_acc)[32], std::uint64_t left, std::uint64_t right, bool accumulate) {
  ptx::wgmma_m64n64k16_f16<kLeft, kRight>(r_acc, left, right, accumulate);
}
template <Major kLeft, Major kRight>
FG_DEVICE void multiply_step(float (&r_acc)[64], std::uint64_t left, std::uint64_t right, bool accumulate) {
  ptx::wgmma_m64n128k16_f16<kLeft, kRight>(r_acc, left, right, accumulate);
}
template <Major kLeft, Major kRight>
FG_DEVICE void multiply_step(float (&r_acc)[80], std::uint64_t left, std::uint64_t right, bool accumulate) {
  ptx::wgmma_m64n160k16_f16<kLeft, kRight>(r_acc, left, right, accumulate);
}
template <Major kLeft, Major kRight>
FG_DEVICE void multiply_step(float (&r_acc)[88], std::uint64_t left, std::uint64_t right, bool accumulate) {
  ptx::wgmma_m64n176k16_f16<kLeft, kRight>(r_acc, left, right, accumulate);
}
template <Major kLeft, Major kRight>
FG_DEVICE void multiply_step(float (&r_acc)[96], std::uint64_t left, std::uint64_t right, bool accumulate) {
  ptx::wgmma_m64n192k16_f16<kLeft, kRight>(r_acc, left, right, accumulate);
}
template <Major kLeft, Major kRight>
FG_DEVICE void multiply_step(float (&r_acc)[128], std::uint64_t left, std::uint64_t right, bool accumulate) {
  ptx::wgmma_m64n256k16_f16<kLeft, kRight>(r_acc, left, right, accumulate);
}

// Whose turn it is to multiply: two warpgroups with tiles of their own keep the tensor cores busy one after the other,
// so that one stores while the other multiplies.
template <class Config>
class Turns {
 public:
  FG_DEVICE Turns(const SharedLayout<Config>& shared, int warpgroup) : shared_(shared), warpgroup_(warpgroup) {
    if (warpgroup_ == 1) pass();
  }
  FG_DEVICE void take() {
    if constexpr (!Config::kPingPong) return;
    wait_for(shared_.turn(warpgroup_), parity_);
    parity_ ^= 1;
  }
  FG_DEVICE void pass() const {
    if constexpr (!Config::kPingPong) return;
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
 public:
  FG_DEVICE Mainloop(const SharedLayout<Config>& shared, int warpgroup)
      : shared_(shared), left_offset_(Config::kPingPong ? 0 : wgmma_row_bytes(warpgroup * Config::kGroupLeft)) {}

  // Starts the products of a tile's k blocks, one or more; the last block's are not waited for.
  FG_DEVICE void multiply(Accumulators<Config>& r_acc, int k_blocks) {
    for (int block = 0; block < k_blocks; ++block) {
      wait_for(shared_.full(at_.stage), at_.parity);
      ptx::wgmma_fence();
      multiply_block(r_acc, block > 0);
      ptx::wgmma_commit();
      // The stage before is free once its own products are done; the latest ones may go on.
      if (block > 0) {
        ptx::wgmma_wait<1>();
        leave(previous_);
      }
      previous_ = at_.stage;
      at_.advance();
    }
  }

  // Waits for the last block's products.
  FG_DEVICE void finish(Accumulators<Config>& r_acc) {
    ptx::wgmma_wait<0>();
#pragma unroll
    for (auto& r_block : r_acc) {
#pragma unroll
      for (float& accumulator : r_block) ptx::wgmma_pin(accumulator);
    }
    leave(previous_);
  }

  // Until the tile's C is there. The other warpgroup, whose turn is next, passes over these stages and comes back to them
  // a round later: were they not full by then, the barriers' parity would be that of the full stage it waits for.
  FG_DEVICE void wait_for_c() const {
    RingPosition<Config> at = at_;
    for (int stage = 0; stage < Config::kCStages; ++stage) {
      wait_for(shared_.full(at.stage), at.parity);
      at.advance();
    }
  }

  // The next stage, once it is full: one of C.
  FG_DEVICE ptx::SharedAddress take_stage() const {
    wait_for(shared_.full(at_.stage), at_.parity);
    return shared_.left(at_.stage);
  }

  // By all lanes of a warp, each of which has read what it needs of that stage.
  FG_DEVICE void leave_stage() {
    ptx::warp_sync();
    leave(at_.stage);
    at_.advance();
  }

  // Passes over stages that are the other warpgroup's.
  FG_DEVICE void skip(int stages) { at_.advance(stages); }

 private:
  FG_DEVICE void multiply_block(Accumulators<Config>& r_acc, bool accumulate) const {
    const std::uint64_t left = swizzled_tile_descriptor<Config::kMajorLeft>(shared_.left(at_.stage) + left_offset_);
    const std::uint64_t right = swizzled_tile_descriptor<Config::kMajorRight>(shared_.right(at_.stage));
#pragma unroll
    for (int step = 0; step < kTileK / 16; ++step) {
#pragma unroll
      for (int block = 0; block < Config::kBlocks; ++block) {
        multiply_step<Config::kMajorLeft, Config::kMajorRight>(
            r_acc[block],
            moved_descriptor(left, wgmma_step_bytes<Config::kMajorLeft>(step) + wgmma_row_bytes(64 * block)),
            moved_descriptor(right, wgmma_step_bytes<Config::kMajorRight>(step)), accumulate || step > 0);
      }
    }
  }

  // A stage is filled anew by all blocks of the cluster.
  FG_DEVICE void leave(int stage) const {
    if constexpr (Config::kCluster > 1) {
      if (ptx::lane_index() < Config::kCluster) {
        ptx::mbarrier_arrive_cluster(ptx::cluster_address(shared_.empty(stage), ptx::lane_index()));
      }
    } else {
      if (ptx::lane_index() == 0) ptx::mbarrier_arrive(shared_.empty(stage));
    }
  }

  SharedLayout<Config> shared_;
  int left_offset_;  // of this warpgroup's rows
  RingPosition<Config> at_;
  int previous_ = 0;  // stage whose products may still run
};

}  // namespace fastgemm::hgemm_wgmma
