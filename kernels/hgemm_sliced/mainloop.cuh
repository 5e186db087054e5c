// Sum of products over a block's part of k: every stage is waited for, read by each warp over its slice of k, and
// filled anew while the products of what has been read are under way.
#pragma once

#include "kernels/hgemm_sliced/feed.cuh"
#include "kernels/ptx/mma.cuh"

namespace fastgemm::hgemm_sliced {

// A warp's sums over its slice, of the whole tile, transposed as mma_fragments.cuh says: blocks of 16 (n) x 8 (m).
template <class Config>
struct Accumulators {
  float block[Config::kTileN / 16][Config::kTileM / 8][4];
};

template <class Side>
FG_DEVICE void load_block(std::uint32_t (&r_block)[4], ptx::SharedAddress s_block) {
  if constexpr (Side::kAlongDepth) {
    ptx::ldmatrix_x4(r_block, s_block);
  } else {
    ptx::ldmatrix_x4_trans(r_block, s_block);
  }
}

template <class Config>
class Mainloop {
 public:
  FG_DEVICE Mainloop(const SharedLayout<Config>& shared, const Feed<Config>& feed, int blocks)
      : shared_(shared), feed_(feed), blocks_(blocks) {
    const int first_k = ptx::warp_index() * Config::kDepthOfSlice;
    const int k = first_k % kBoxK;
    const int lane = ptx::lane_index();
    const ptx::SharedAddress s_box = shared.s_ring + first_k / kBoxK * Config::kBoxBytes;
    s_a_ = s_box + block_offset<typename SideA::Tile, MmaOperand::kNarrow>(0, k, lane);
    s_b_ = s_box + SideA::kBytes + block_offset<typename SideB::Tile, MmaOperand::kWide>(0, k, lane);
  }

  // By all warps. In the end other warps may still read the last stage.
  FG_DEVICE void multiply(Accumulators<Config>& r_acc) {
    int stage = 0;
    int parity = 0;
#pragma unroll 1
    for (int block = 0; block < blocks_; ++block) {
      wait_for(shared_.full(stage), parity);
#pragma unroll
      for (int step = 0; step < Config::kStepsOfSlice; ++step) {
        Fragments fragments;
        load(fragments, stage, step);
        if (step == Config::kStepsOfSlice - 1) refill(block + Config::kStages, stage);
        multiply_step(r_acc, fragments);
      }
      if (++stage == Config::kStages) {
        stage = 0;
        parity ^= 1;
      }
    }
  }

 private:
  using SideA = typename Config::SideA;
  using SideB = typename Config::SideB;
  static constexpr int kBlocksN = Config::kTileN / 16;
  static constexpr int kBlocksM = Config::kTileM / 16;

  // One step of 16 of k.
  struct Fragments {
    std::uint32_t a[kBlocksM][4];
    std::uint32_t b[kBlocksN][4];
  };

  FG_DEVICE void load(Fragments& r_fragments, int stage, int step) const {
    const ptx::SharedAddress s_a = s_a_ + stage * Config::kStageBytes;
    const ptx::SharedAddress s_b = s_b_ + stage * Config::kStageBytes;
#pragma unroll
    for (int n = 0; n < kBlocksN; ++n) {
      load_block<SideB>(r_fragments.b[n], SideB::block_address(s_b, n * kBlockRows, step * kBlockDepth));
    }
#pragma unroll
    for (int m = 0; m < kBlocksM; ++m) {
      load_block<SideA>(r_fragments.a[m], SideA::block_address(s_a, m * kBlockRows, step * kBlockDepth));
    }
  }

  // The warps have read the stage when they have met: it is free for k block `block`, if there is one.
  FG_DEVICE void refill(int block, int stage) const {
    if (block >= blocks_) return;
    ptx::barrier_sync();
    if (ptx::thread_index() == 0) feed_.copy_block(block, stage);
  }

  FG_DEVICE static void multiply_step(Accumulators<Config>& r_acc, const Fragments& r_fragments) {
#pragma unroll
    for (int n = 0; n < kBlocksN; ++n) {
#pragma unroll
      for (int m = 0; m < 2 * kBlocksM; ++m) {
        const std::uint32_t(&a)[4] = r_fragments.a[m / 2];
        const std::uint32_t r_columns[2] = {a[m % 2 * 2], a[m % 2 * 2 + 1]};
        ptx::mma_m16n8k16_f16(r_acc.block[n][m], r_fragments.b[n], r_columns);
      }
    }
  }

  SharedLayout<Config> shared_;
  const Feed<Config>& feed_;
  int blocks_;
  ptx::SharedAddress s_a_;  // this lane's, of stage 0
  ptx::SharedAddress s_b_;
};

}  // namespace fastgemm::hgemm_sliced
