// Sum of products of one tile: accumulators += op(A) * op(B), one chain of FMAs per element over ascending k.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/simt.cuh"
#include "kernels/sgemm_ffma/fragments.cuh"
#include "kernels/sgemm_ffma/operand_slice.cuh"

namespace fastgemm::ffma {

// What a block multiplies: rows first_m.. of op(A), columns first_n.. of op(B).
struct TileOperands {
  SliceOrigin a;  // at the block's first row
  SliceOrigin b;  // at the block's first column
  std::int64_t k = 0;
};

template <class Config>
class Mainloop {
  static constexpr int kTileK = Config::kTileK;
  static constexpr int kStages = Config::kStages;
  static constexpr ptx::SharedAddress kStageBytes = Config::kStageBytes;
  using SliceA = OperandSlice<typename Config::MapA, Config::kCopyA, Config::kPitchA>;
  using SliceB = OperandSlice<typename Config::MapB, Config::kCopyB, Config::kPitchB>;

 public:
  FG_DEVICE explicit Mainloop(const TileOperands& operands)
      : warp_m_(ptx::warp_index() % Config::kWarpsM),
        warp_n_(ptx::warp_index() / Config::kWarpsM % Config::kWarpsN),
        first_step_(ptx::warp_index() / (Config::kWarpsM * Config::kWarpsN) * Config::kGroupSteps),
        a_(slice(operands.a, first_m()), ptx::shared_base() + first_m() * 4,
           Config::kSliceBarriers ? warp_n_ * 32 + ptx::lane_index() : ptx::thread_index()),
        b_(slice(operands.b, first_n()), ptx::shared_base() + Config::kStageBytesA + first_n() * 4,
           Config::kSliceBarriers ? warp_m_ * 32 + ptx::lane_index() : ptx::thread_index()) {
    const int lane_m = Config::Lanes::lane_m(ptx::lane_index());
    const int lane_n = Config::Lanes::lane_n(ptx::lane_index());
    const int row_a = warp_m_ * Config::AxisM::kWidth + Config::AxisM::position(lane_m, 0);
    const int row_b = warp_n_ * Config::AxisN::kWidth + Config::AxisN::position(lane_n, 0);
    at_.s_a = ptx::shared_base() + row_a * (Config::kRowsA ? Config::kPitchA : 4) + first_step_ * Config::kStepBytesA;
    at_.s_b = ptx::shared_base() + Config::kStageBytesA + row_b * (Config::kRowsB ? Config::kPitchB : 4) +
              first_step_ * Config::kStepBytesB;
    whole_tiles_ = static_cast<int>(operands.k / kTileK);
    rest_ = static_cast<int>(operands.k % kTileK);
    const bool interior = operands.a.extent - operands.a.along >= Config::kTileM &&
                          operands.b.extent - operands.b.along >= Config::kTileN;
    unchecked_tiles_ = interior ? whole_tiles_ : 0;
  }

  FG_DEVICE void run(Accumulators<Config>& r_acc) {
    if constexpr (Config::kTransfer == Transfer::kAsync) {
      run_async(r_acc);
    } else {
      run_staged(r_acc);
    }
  }

 private:
  FG_DEVICE static SliceOrigin slice(SliceOrigin origin, int offset) {
    origin.along += offset;
    return origin;
  }

  // Where this thread's slices begin in the tile.
  FG_DEVICE int first_m() const { return Config::kSliceBarriers ? warp_m_ * Config::kSliceM : 0; }
  FG_DEVICE int first_n() const { return Config::kSliceBarriers ? warp_n_ * Config::kSliceN : 0; }

  FG_DEVICE int tiles() const { return whole_tiles_ + (rest_ > 0 ? 1 : 0); }
  FG_DEVICE int depth(int tile) const { return tile < whole_tiles_ ? kTileK : rest_; }

  FG_DEVICE FragmentAddress fragments_at(ptx::SharedAddress stage_offset, int step) const {
    return {at_.s_a + stage_offset + step * Config::kStepBytesA, at_.s_b + stage_offset + step * Config::kStepBytesB};
  }

  FG_DEVICE static ptx::SharedAddress next_stage(ptx::SharedAddress stage_offset) {
    return stage_offset == (kStages - 1) * kStageBytes ? 0 : stage_offset + kStageBytes;
  }

  // Waits for the warps that share this warp's slice of A (a quarter of the block, for 4 x 2 warps) or of B (a half).
  // The callers know that this thread's own copies have landed and which stage it has left; afterwards both hold for
  // all threads of the slice. Warps that share nothing never wait for each other.
  FG_DEVICE void meet_sharers_of_a() const {
    if constexpr (!Config::kSliceBarriers) {
      ptx::barrier_sync();
    } else if constexpr (Config::kWarpsN > 1) {
      ptx::barrier_sync(1 + warp_m_, Config::kSliceThreadsA);
    } else {
      ptx::warp_sync();
    }
  }

  FG_DEVICE void meet_sharers_of_b() const {
    if constexpr (!Config::kSliceBarriers) {
      return;  // all have met for A
    } else if constexpr (Config::kWarpsM > 1) {
      ptx::barrier_sync(1 + Config::kWarpsM + warp_n_, Config::kSliceThreadsB);
    } else {
      ptx::warp_sync();
    }
  }

  // Starts part `part` of kParts of the copies of k tile `tile`, if there is one.
  template <int kParts>
  FG_DEVICE void copy_part(int part, int tile, ptx::SharedAddress stage_offset) {
    if (tile < unchecked_tiles_) {
      copy_passes<kParts, false>(part, kTileK, stage_offset);
    } else if (tile < tiles()) {
      copy_passes<kParts, true>(part, depth(tile), stage_offset);
    }
  }

  template <int kParts, bool kChecked>
  FG_DEVICE void copy_passes(int part, int tile_depth, ptx::SharedAddress stage_offset) {
    constexpr int kPassesA = Config::MapA::kPasses;
    constexpr int kPasses = kPassesA + Config::MapB::kPasses;
#pragma unroll
    for (int pass = part * kPasses / kParts; pass < (part + 1) * kPasses / kParts; ++pass) {
      if (pass < kPassesA) {
        a_.template copy_async<kChecked>(pass, stage_offset, tile_depth);
      } else {
        b_.template copy_async<kChecked>(pass - kPassesA, stage_offset, tile_depth);
      }
    }
  }

  // Groups of copies count k tiles, also those that do not exist, so that waiting for a group is waiting for a tile.
  FG_DEVICE void run_async(Accumulators<Config>& r_acc) {
    // Groups closed after the next tile's at the time of a meeting: the tile's own copies are closed only at its end.
    constexpr int kSteps = Config::kGroupSteps;
    constexpr int kTilesBehindNext = Config::kPrefetch - (Config::kMeetStepA < kSteps - 1 ? 2 : 1);
    ptx::SharedAddress fill_offset = 0;
#pragma unroll 1
    for (int tile = 0; tile < Config::kPrefetch; ++tile) {
      copy_part<1>(0, tile, fill_offset);
      ptx::cp_async_commit();
      fill_offset = next_stage(fill_offset);
    }
    ptx::cp_async_wait<Config::kPrefetch - 1>();
    meet_sharers_of_a();
    meet_sharers_of_b();
    Fragments<Config> r_fragments[2];
    ptx::SharedAddress offset = 0;
    RowFragments<Config> r_rows;
    load_fragments(r_fragments[0], fragments_at(offset, 0));
    load_rows(r_rows, fragments_at(offset, 0));
#pragma unroll 1
    for (int tile = 0; tile < whole_tiles_; ++tile) {
      const ptx::SharedAddress next_offset = next_stage(offset);
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        const bool last = step == kSteps - 1;
        constexpr int kPartSteps = kSteps / Config::kCopyParts;
        if (step == Config::kMeetStepA) {
          ptx::cp_async_wait<kTilesBehindNext>();
          meet_sharers_of_a();
        }
        if (step == Config::kMeetStepB) meet_sharers_of_b();
        if (step % kPartSteps == 0) {
          copy_part<Config::kCopyParts>(step / kPartSteps, tile + Config::kPrefetch, fill_offset);
        }
        if (step == kSteps - 2) {  // after the last part, and before a meeting at the tile's end
          ptx::cp_async_commit();
          fill_offset = next_stage(fill_offset);
        }
        const FragmentAddress next_at = last ? fragments_at(next_offset, 0) : fragments_at(offset, step + 1);
        Fragments<Config>& r_next = r_fragments[(step + 1) % 2];
        multiply_step<Config, true>(r_acc, r_fragments[step % 2], r_next, r_rows, next_at, step);
      }
      offset = next_offset;
    }
    multiply_rest(r_acc, r_fragments[0], r_rows, offset);
    ptx::cp_async_wait<0>();
  }

  FG_DEVICE void load_staged(int tile) {
    if (tile < unchecked_tiles_) {
      a_.template load<false>(r_staged_a_, kTileK);
      b_.template load<false>(r_staged_b_, kTileK);
    } else if (tile < tiles()) {
      a_.template load<true>(r_staged_a_, depth(tile));
      b_.template load<true>(r_staged_b_, depth(tile));
    }
  }

  FG_DEVICE void store_staged(ptx::SharedAddress stage_offset) {
    a_.store(r_staged_a_, stage_offset);
    b_.store(r_staged_b_, stage_offset);
  }

  FG_DEVICE void run_staged(Accumulators<Config>& r_acc) {
    load_staged(0);
    store_staged(0);
    meet_sharers_of_a();
    meet_sharers_of_b();
    Fragments<Config> r_fragments[2];
    ptx::SharedAddress offset = 0;
    RowFragments<Config> r_rows;
    load_fragments(r_fragments[0], fragments_at(offset, 0));
    load_rows(r_rows, fragments_at(offset, 0));
#pragma unroll 1
    for (int tile = 0; tile < whole_tiles_; ++tile) {
      const ptx::SharedAddress next_offset = next_stage(offset);
#pragma unroll
      for (int step = 0; step < Config::kGroupSteps; ++step) {
        const bool last = step == Config::kGroupSteps - 1;
        if (step == 0) load_staged(tile + 1);
        if (last) {
          // The other stage was left by all sharers at the last meeting.
          if (tile + 1 < tiles()) store_staged(next_offset);
          meet_sharers_of_a();
          meet_sharers_of_b();
        }
        const FragmentAddress next_at = last ? fragments_at(next_offset, 0) : fragments_at(offset, step + 1);
        Fragments<Config>& r_next = r_fragments[(step + 1) % 2];
        multiply_step<Config, true>(r_acc, r_fragments[step % 2], r_next, r_rows, next_at, step);
      }
      offset = next_offset;
    }
    multiply_rest(r_acc, r_fragments[0], r_rows, offset);
  }

  // The steps of a last, partial k tile, whose first fragments are loaded: only real steps enter a chain, since adding
  // 0 * 0 would turn a sum of -0 into +0.
  FG_DEVICE void multiply_rest(Accumulators<Config>& r_acc, Fragments<Config>& r_fragments,
                               RowFragments<Config>& r_rows, ptx::SharedAddress stage_offset) const {
    const int own = rest_ - first_step_;
    const int steps = own < Config::kGroupSteps ? own : Config::kGroupSteps;
    FragmentAddress at = fragments_at(stage_offset, 0);
    constexpr int kUnroll = Config::kRowsA || Config::kRowsB ? 4 : 1;  // a row's step must be known to the compiler
#pragma unroll 1
    for (int first = 0; first < steps; first += kUnroll) {
#pragma unroll
      for (int step = 0; step < kUnroll; ++step) {
        if (first + step >= steps) break;
        multiply_step<Config, false>(r_acc, r_fragments, r_fragments, r_rows, at, step);
        at.s_a += Config::kStepBytesA;
        at.s_b += Config::kStepBytesB;
        if (first + step + 1 < steps) load_fragments(r_fragments, at);
      }
      if (first + kUnroll < steps) load_rows(r_rows, at);
    }
  }

  int warp_m_;
  int warp_n_;
  int first_step_;  // of a k tile, for this warp's group
  SliceA a_;
  SliceB b_;
  FragmentAddress at_;
  int whole_tiles_;
  int rest_;             // steps of k in the tile after the whole ones
  int unchecked_tiles_;  // k tiles that lie wholly inside both operands
  float r_staged_a_[SliceA::kStagedFloats];
  float r_staged_b_[SliceB::kStagedFloats];
};

}  // namespace fastgemm::ffma
