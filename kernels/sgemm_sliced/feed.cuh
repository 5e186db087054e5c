// The ring of shared memory stages and the copies that fill it: bulk copies by the first thread; where an operand is
// copied by elements, by all.
#pragma once

#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/sgemm_sliced/config.h"
#include "kernels/sgemm_sliced/copied.cuh"
#include "kernels/sgemm_sliced/params.h"
#include "kernels/tile/barrier_wait.cuh"

namespace fastgemm::sliced {

// Where the parts of a block's shared memory begin.
template <class Config>
struct SharedLayout {
  ptx::SharedAddress s_ring;
  FG_DEVICE SharedLayout()
      : s_ring((ptx::shared_base() + kSwizzleAlignment - 1) / kSwizzleAlignment * kSwizzleAlignment) {}
  FG_DEVICE ptx::SharedAddress full(int stage) const { return s_ring + Config::kBarrierOffset + stage * 8; }
  FG_DEVICE ptx::SharedAddress word() const { return s_ring + Config::kWordOffset; }
};

// A stage is full with the one arrival that announces its bytes, and with every thread's copies.
template <class Config>
FG_DEVICE void init_barriers(const SharedLayout<Config>& shared) {
  constexpr bool kCopies = Config::kCopiesA || Config::kCopiesB;
  for (int stage = 0; stage < Config::kStages; ++stage) {
    ptx::mbarrier_init(shared.full(stage), kCopies ? kThreads + 1 : 1);
  }
  ptx::mbarrier_init_fence();
}

// The k blocks first .. first + count - 1 of the tile that begins at (row, column).
struct BlockRange {
  int row = 0;
  int column = 0;
  int first = 0;
  int count = 0;
};

template <class Config>
class Feed {
 public:
  FG_DEVICE Feed(const SlicedParams& params, const SharedLayout<Config>& shared, const BlockRange& range)
      : params_(params), shared_(shared), range_(range) {}

  // Starts the copies of block `block` of the range, if there is one, to its stage, which nobody reads any more. By the
  // whole block.
  FG_DEVICE void copy_block(int block) const {
    if (block >= range_.count) return;
    const int stage = block % Config::kStages;
    if (ptx::thread_index() == 0) start_bulk_copies(block, stage);
    if constexpr (kCopies) {
      constexpr int kOffset = Config::kCopiesA ? Config::kOffsetA : Config::kOffsetB;
      using Copied = std::conditional_t<Config::kCopiesA, SideA, SideB>;
      copy_elements<Copied>(shared_.s_ring + stage * Config::kStageBytes + kOffset, copied_block(block));
      ptx::cp_async_arrive(shared_.full(stage));
    }
  }

 private:
  static constexpr bool kCopies = Config::kCopiesA || Config::kCopiesB;
  using SideA = typename Config::SideA;
  using SideB = typename Config::SideB;

  FG_DEVICE CopiedBlock copied_block(int block) const {
    const GemmProblem& problem = params_.problem;
    const int first_k = (range_.first + block) * kTileK;
    const int depths = static_cast<int>(problem.k);
    if (Config::kCopiesA) {
      return {problem.a, problem.op_a == Op::kT, range_.row, first_k, static_cast<int>(problem.m), depths};
    }
    return {problem.b, problem.op_b == Op::kN, range_.column, first_k, static_cast<int>(problem.n), depths};
  }

  FG_DEVICE void start_bulk_copies(int block, int stage) const {
    const int first_k = (range_.first + block) * kTileK;
    const ptx::SharedAddress barrier = shared_.full(stage);
    const ptx::SharedAddress s_stage = shared_.s_ring + stage * Config::kStageBytes;
    ptx::mbarrier_arrive_expect_tx(barrier, Config::kBulkBytes);
    if constexpr (SideA::kSource == Source::kDepth) {
      ptx::tma_load_2d(s_stage + Config::kOffsetA, params_.a, first_k, range_.row, barrier);
    } else if constexpr (SideA::kSource == Source::kSide) {
      ptx::tma_load_2d(s_stage + Config::kOffsetA, params_.a, range_.row, first_k, barrier);
    }
    if constexpr (SideB::kSource == Source::kDepth) {
      ptx::tma_load_2d(s_stage + Config::kOffsetB, params_.b, first_k, range_.column, barrier);
    } else if constexpr (SideB::kSource == Source::kSide) {
      ptx::tma_load_2d(s_stage + Config::kOffsetB, params_.b, range_.column, first_k, barrier);
    }
  }

  const SlicedParams& params_;
  SharedLayout<Config> shared_;
  BlockRange range_;
};

}  // namespace fastgemm::sliced
