// A warp's loop over k: short sums on the tensor cores, added up in FP32 registers, in groups that keep their rests, for
// the reasons that kernels/sgemm_tensor/mainloop.cuh gives.
//
// Those of Ampere and Ada, too, align products to the largest and cut off what lies below (M. Fasi, N. Higham, M.
// Mikaitis and S. Pranesh, "Numerical behavior of NVIDIA tensor cores", 2021, on an A100). Errors have not been measured
// there. In a model of it that sums 8 products at a time and keeps 24 bits below the largest, where Hopper's has 16 and
// 25, sums of 32 of k are too long. rms beside |A||B| in units of 1e-8, for k = 1024 and 4096 uniform in (0, 1):
//                             Hopper    A100
//   sums of 32 of k           8.8, 8.6  17, 17     (measured on Hopper: 8.8, 8.5)
//   sums of 16                6.0, 5.3  8.3, 7.9
//   one chain of FP32 FMAs    43, 85
#pragma once

#include "kernels/sgemm_tensor/sums.cuh"
#include "kernels/sgemm_tensor_mma/ring.cuh"

namespace fastgemm::sgemm_tensor_mma {

// A warp's part of D in blocks of 16 (n) x 8 (m), those along m first, spread over lanes as mma_fragments.cuh says.
template <class Config>
using Accumulators = float[Config::kWarpN / 16 * (Config::kWarpM / 8) * 4];

template <class Config>
class Mainloop {
  using Sums = Accumulators<Config>;
  static constexpr int kBlocksN = Config::kWarpN / 16;
  static constexpr int kBlocksM = Config::kWarpM / 8;
  static constexpr int kSteps = kBlockK / kSumK;
  static constexpr int kSums = kBlocksN * kBlocksM * 4;
  using Fragments = std::uint32_t[Part::kCount][4];  // of 16 rows, all parts of kSumK of k

 public:
  FG_DEVICE explicit Mainloop(int warp)
      : read_left_(hgemm_mma::warp_column<Config>(warp)), read_right_(hgemm_mma::warp_row<Config>(warp)) {}

  FG_DEVICE void multiply(Sums& r_acc, Ring<Config>& ring, int k_blocks) const {
    Sums r_more;  // of a group of blocks, beginning with what has been rounded away
    sgemm_tensor::clear(r_acc);
    sgemm_tensor::clear(r_more);
#pragma unroll 1
    for (int block = 0; block < k_blocks; ++block) {
      multiply_block(r_more, ring, block);
      ring.advance();  // past the last block, too: then all warps have read it
      end_groups(r_acc, r_more, block);
    }
    sgemm_tensor::add_sums(r_acc, r_more);
  }

 private:
  // Groups begin and end one after another, so that each block has as much to add up. Constants, since registers have
  // no index.
  template <int kTurn = 0>
  FG_DEVICE static void end_groups(Sums& r_acc, Sums& r_more, int block) {
    constexpr int kTurns = sgemm_tensor::kBlocksPerGroup;
    constexpr int kEnding = kSums / kTurns;
    if (block % kTurns == kTurn) sgemm_tensor::add_keeping_rests<kTurn * kEnding, kEnding>(r_acc, r_more);
    if constexpr (kTurn + 1 < kTurns) end_groups<kTurn + 1>(r_acc, r_more, block);
  }

  // The copy of a later block begins halfway: first would hold up the loads that the first products wait for, and
  // without that halt the compiler has more loads on their way than there are registers for.
  FG_DEVICE void multiply_block(Sums& r_more, Ring<Config>& ring, int block) const {
    Fragments right[kSteps][kBlocksM / 2];
#pragma unroll
    for (int m = 0; m < kBlocksM / 2; ++m) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) load(right[step][m], read_right_, ring.right(), m * 16, step);
    }
#pragma unroll
    for (int n = 0; n < kBlocksN; ++n) {
      if (n == kBlocksN / 2) ring.start_copy(block);
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        Fragments left;
        load(left, read_left_, ring.left(), n * 16, step);
        float r_sum[kBlocksM][4] = {};
        multiply_parts(r_sum, left, right[step]);
#pragma unroll
        for (int i = 0; i < kBlocksM * 4; ++i) {
          float& more = r_more[n * kBlocksM * 4 + i];
          more = ptx::add_rn(more, r_sum[i / 4][i % 4]);
        }
      }
    }
  }

  template <class Reader>
  FG_DEVICE static void load(Fragments& fragments, const Reader& reader, ptx::SharedAddress s_tile, int row,
                             int step) {
#pragma unroll
    for (int part = 0; part < Part::kCount; ++part) {
      reader.load(fragments[part], s_tile, row, part * kBlockK + step * kSumK);
    }
  }

  // Small products first: beside that of hi and hi they would lose bits.
  FG_DEVICE static void multiply_parts(float (&r_sum)[kBlocksM][4], const Fragments& left,
                                       const Fragments (&right)[kBlocksM / 2]) {
#pragma unroll
    for (int pair = 0; pair < Part::kPairCount; ++pair) {
#pragma unroll
      for (int m = 0; m < kBlocksM; ++m) {
        hgemm_mma::multiply_block<Config>(r_sum[m], left[Part::pair(pair).left], right[m / 2][Part::pair(pair).right],
                                          m % 2);
      }
    }
  }

  hgemm_mma::FragmentReader<Config, typename Config::TileB, MmaOperand::kWide> read_left_;
  hgemm_mma::FragmentReader<Config, typename Config::TileA, MmaOperand::kNarrow> read_right_;
};

}  // namespace fastgemm::sgemm_tensor_mma
