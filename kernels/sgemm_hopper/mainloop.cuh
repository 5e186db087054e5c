// Sum of products over k blocks: accumulators += wide * narrow, one chain of FMAs an element over ascending k.
//
// The order of operations is chosen for Hopper's register file, which reads one register of each bank (even and odd
// numbers) a cycle: a narrow element is held in the operand cache (.reuse) while all wide ones pass by, forwards and
// backwards in turn, so that an FMA reads one wide element and one accumulator. Loads stand between the FMAs. One H200,
// CUDA 13.0: 1.03 cycles an FMA with its registers in different banks, 2.02 in the same, 1.90 without .reuse. ptxas
// keeps this order only with -O1.
#pragma once

#include "kernels/ptx/fma.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/sgemm_hopper/feed.cuh"
#include "kernels/sgemm_hopper/turn.cuh"

namespace fastgemm::hopper {

using Accumulators = float[kThreadNarrow][kThreadWide];

template <class Config>
class Mainloop {
 public:
  FG_DEVICE Mainloop(const HopperParams& params, const SharedLayout<Config>& shared, int blocks)
      : shared_(shared), feed_(params, shared, blocks), blocks_(blocks), warp_(ptx::warp_index()) {
    const int lane_wide = ptx::lane_index() % kLanesWide;
    const int lane_narrow = ptx::lane_index() / kLanesWide;
    const int warp_narrow = warp_ / kWarpsWide;
    const int wide_group = warp_ % kWarpsWide * (kGroups / kWarpsWide) + lane_wide;
    s_wide_ = shared.s_ring + (Config::kTurns ? turned_offset(wide_group, 0)
                                              : wide_offset(warp_ % kWarpsWide, lane_wide, 0));
    s_narrow_ = shared.s_ring + kStageBytesWide;
    if constexpr (Config::kNarrowDepthContiguous) {
      s_narrow_ += narrow_row(warp_narrow, lane_narrow, 0) * kRowBytes;
      swizzle_ = chunk_offset(lane_narrow, 0) - lane_narrow * kRowBytes;
    } else {
      s_narrow_ += narrow_offset(warp_narrow, lane_narrow, 0);
    }
  }

  // Fills all stages but one. By the whole block, once.
  FG_DEVICE void start() {
    if (ptx::thread_index() == 0) {
      for (int block = 0; block < Config::kStages - 1; ++block) feed_.copy_block(block);
    }
    if (blocks_ > 0) turn_stage(0, 0);
  }

  // The next `blocks` k blocks, 1 or more.
  FG_DEVICE void multiply_blocks(Accumulators& r_acc, int blocks) {
    wait_for(ready(stage_), parity_);
    Fragments r_fragments;
    load_first(r_fragments);
#pragma unroll 1
    do {
      // After the last block the fragments loaded ahead are of no use; they are read from the present stage again.
      const bool more = blocks > 1;
      multiply_block(r_acc, r_fragments, more);
      leave_stage();
    } while (--blocks);
  }

  // The first `steps` steps of the next k block, which is the last of its tile: only real steps enter a chain, since
  // adding 0 * 0 would turn a sum of -0 into +0.
  FG_DEVICE void multiply_rest(Accumulators& r_acc, int steps) {
    wait_for(ready(stage_), parity_);
    if (block_ + 1 < blocks_) turn_stage(following_stage(), following_parity());
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      float r_wide[kThreadWide];
      float r_narrow[kThreadNarrow];
      load_step(r_wide, r_narrow, step);
#pragma unroll
      for (int product = 0; product < kThreadWide * kThreadNarrow; ++product) {
        const int j = product / kThreadWide;
        const int i = wide_index(product);
        ptx::fma_rn_in_place(r_acc[j][i], r_wide[i], r_narrow[j]);
      }
    }
    leave_stage();
  }

 private:
  static constexpr int kVectorsWide = kThreadWide / 4;
  static constexpr int kVectorsNarrow = kThreadNarrow / 4;
  static constexpr int kProducts = kThreadWide * kThreadNarrow;
  static constexpr int kWideVectorBytes = Config::kTurns ? kTurnedVectorBytes : wide_offset(0, 0, 1);
  static constexpr int kWideBytesOfStep = Config::kTurns ? kTurnedStepBytes : kWideStepBytes;
  static constexpr int kNarrowVectorBytes = narrow_offset(0, 0, 1);
  static constexpr int kNarrowElementBytes = narrow_row(0, 0, 1) * kRowBytes;
  static_assert(kNarrowElementBytes % kSwizzleAlignment == 0, "all rows of a lane have one swizzle phase");

  // Fragments of two steps; of a k-contiguous operand those of four steps, each element's replaced as soon as the last
  // of them has been used.
  struct Fragments {
    float wide[2][kThreadWide];
    float narrow[Config::kNarrowDepthContiguous ? 1 : 2][Config::kNarrowDepthContiguous ? 4 * kThreadNarrow
                                                                                        : kThreadNarrow];
  };

  // Where the fragments of eight steps and of the step after them lie.
  struct EightSteps {
    ptx::SharedAddress s_wide;
    ptx::SharedAddress s_wide_second;  // of step 4, where the operand was turned
    ptx::SharedAddress s_wide_after;
    ptx::SharedAddress s_narrow;        // k-contiguous: chunk of steps 4 to 7
    ptx::SharedAddress s_narrow_after;  // k-contiguous: chunk of steps 8 to 11
  };

  FG_DEVICE int following_stage() const { return stage_ == Config::kStages - 1 ? 0 : stage_ + 1; }
  FG_DEVICE int following_parity() const { return stage_ == Config::kStages - 1 ? parity_ ^ 1 : parity_; }

  __host__ __device__ static constexpr int wide_index(int product) {
    const int along = product % kThreadWide;
    return product / kThreadWide % 2 == 0 ? along : kThreadWide - 1 - along;
  }

  FG_DEVICE static void load_vector(float* r_vector, ptx::SharedAddress s_vector) {
    const float4 value = ptx::ld_shared_f32x4(s_vector);
    r_vector[0] = value.x, r_vector[1] = value.y, r_vector[2] = value.z, r_vector[3] = value.w;
  }

  FG_DEVICE void load_first(Fragments& r_fragments) const {
    const ptx::SharedAddress offset = stage_ * kStageBytes;
#pragma unroll
    for (int vector = 0; vector < kVectorsWide; ++vector) {
      load_vector(r_fragments.wide[0] + 4 * vector, s_wide_ + offset + vector * kWideVectorBytes);
    }
    constexpr int kLoads = Config::kNarrowDepthContiguous ? kThreadNarrow : kVectorsNarrow;
    constexpr int kBytes = Config::kNarrowDepthContiguous ? kNarrowElementBytes : kNarrowVectorBytes;
#pragma unroll
    for (int load = 0; load < kLoads; ++load) {
      load_vector(r_fragments.narrow[0] + 4 * load, s_narrow_ + swizzle_ + offset + load * kBytes);
    }
  }

  FG_DEVICE void load_step(float (&r_wide)[kThreadWide], float (&r_narrow)[kThreadNarrow], int step) const {
    const ptx::SharedAddress offset = stage_ * kStageBytes;
#pragma unroll
    for (int vector = 0; vector < kVectorsWide; ++vector) {
      const ptx::SharedAddress s_step = Config::kTurns ? turned_chunk(s_wide_ + offset, step / kChunkK) +
                                                             step % kChunkK * kTurnedStepBytes
                                                       : s_wide_ + offset + step * kWideStepBytes;
      load_vector(r_wide + 4 * vector, s_step + vector * kWideVectorBytes);
    }
    if constexpr (Config::kNarrowDepthContiguous) {
      const ptx::SharedAddress s_first = s_narrow_ + offset + ((step / 4 * 16) ^ swizzle_) + step % 4 * 4;
#pragma unroll
      for (int j = 0; j < kThreadNarrow; ++j) r_narrow[j] = ptx::ld_shared_f32(s_first + j * kNarrowElementBytes);
    } else {
#pragma unroll
      for (int vector = 0; vector < kVectorsNarrow; ++vector) {
        load_vector(r_narrow + 4 * vector,
                    s_narrow_ + offset + step * kNarrowStepBytes + vector * kNarrowVectorBytes);
      }
    }
  }

  // The loads that stand before product `product` of step kStep.
  template <int kStep>
  FG_DEVICE void load_ahead(Fragments& r_fragments, const EightSteps& at, int product) const {
    constexpr bool kLast = kStep == kUnrolledSteps - 1;
    constexpr int kNext = (kStep + 1) % 2;
    constexpr bool kSecond = Config::kTurns && kStep + 1 >= kChunkK;
    const ptx::SharedAddress s_wide =
        kLast ? at.s_wide_after
              : (kSecond ? at.s_wide_second : at.s_wide) + (kStep + 1 - (kSecond ? kChunkK : 0)) * kWideBytesOfStep;
    if constexpr (Config::kNarrowDepthContiguous) {
      if (product % kThreadWide != 0) return;
      const int slot = product / kThreadWide;
      if (slot < kVectorsWide) load_vector(r_fragments.wide[kNext] + 4 * slot, s_wide + slot * kWideVectorBytes);
      if (kStep % 4 == 3 && slot > 0) {
        load_vector(r_fragments.narrow[0] + 4 * (slot - 1),
                    (kLast ? at.s_narrow_after : at.s_narrow) + (slot - 1) * kNarrowElementBytes);
      }
    } else {
      if (product % 2 != 0 || product / 2 >= kVectorsWide + kVectorsNarrow) return;
      const int vector = kVectorsWide + kVectorsNarrow - 1 - product / 2;
      const ptx::SharedAddress s_narrow = kLast ? at.s_narrow_after : at.s_narrow + (kStep + 1) * kNarrowStepBytes;
      if (vector < kVectorsWide) {
        load_vector(r_fragments.wide[kNext] + 4 * vector, s_wide + vector * kWideVectorBytes);
      } else {
        load_vector(r_fragments.narrow[kNext] + 4 * (vector - kVectorsWide),
                    s_narrow + (vector - kVectorsWide) * kNarrowVectorBytes);
      }
    }
  }

  template <int kStep>
  FG_DEVICE static float narrow_element(const Fragments& r_fragments, int j) {
    if constexpr (Config::kNarrowDepthContiguous) {
      return r_fragments.narrow[0][4 * j + kStep % 4];
    } else {
      return r_fragments.narrow[kStep % 2][j];
    }
  }

  // What stands before product `product` of step kStep to turn the following stage: in each of the first steps of a
  // round a group of rows is loaded, in the next step stored.
  static constexpr int kTurnStoreAt = 112;
  static constexpr int kTurnLoadAt = 120;
  template <int kStep>
  FG_DEVICE static void turn_between(Turn& turn, int product) {
    if (kStep > 0 && kStep <= kGroupsOfRound && product == kTurnStoreAt) {
      ptx::warp_sync();  // all have loaded what others overwrite
      turn.store(kStep - 1);
    }
    if (kStep < kGroupsOfRound && product == kTurnLoadAt) turn.load(kStep);
  }

  template <int kStep>
  FG_DEVICE void multiply_step(Accumulators& r_acc, Fragments& r_fragments, const EightSteps& at, Turn& turn) const {
#pragma unroll
    for (int product = 0; product <= kProducts; ++product) {
      load_ahead<kStep>(r_fragments, at, product);
      if (product == kProducts) continue;
      if constexpr (Config::kTurns) turn_between<kStep>(turn, product);
      const int j = product / kThreadWide;
      const int i = wide_index(product);
      ptx::fma_rn_in_place(r_acc[j][i], r_fragments.wide[kStep % 2][i], narrow_element<kStep>(r_fragments, j));
    }
  }

  // All steps of a whole k block, and, with `more`, the loads of the first step of the next one, for whose copies it
  // waits: asking a step before the answer is needed hides the barrier's latency. Between them the following block is
  // turned; after the share's last one, for nobody, what lies in its place.
  FG_DEVICE void multiply_block(Accumulators& r_acc, Fragments& r_fragments, bool more) const {
    const int next_stage = more ? following_stage() : stage_;
    const int next_parity = more ? following_parity() : parity_;
    const ptx::SharedAddress offset = stage_ * kStageBytes;
    const ptx::SharedAddress next_offset = next_stage * kStageBytes;
    const ptx::SharedAddress next_barrier = ready(next_stage);
    EightSteps at;
    Turn turn;
    if (Config::kTurns && block_ + 1 < blocks_) wait_for(shared_.full(following_stage()), following_parity());
    at.s_wide = s_wide_ + offset;
    at.s_narrow = s_narrow_ + offset;
    int chunk_bytes = 0;  // of the eight steps in a k-contiguous row
#pragma unroll 1
    do {
      if constexpr (Config::kNarrowDepthContiguous) {
        at.s_narrow = s_narrow_ + offset + ((chunk_bytes + 16) ^ swizzle_);
      }
      if constexpr (Config::kTurns) {
        turn.begin(shared_.s_ring + following_stage() * kStageBytes, warp_, chunk_bytes / (kUnrolledSteps * 4));
        at.s_wide_second = turned_chunk(s_wide_ + offset, chunk_bytes / 16 + 1);
      }
      chunk_bytes += kUnrolledSteps * 4;
      const bool last = chunk_bytes == kTileK * 4;
      if constexpr (Config::kTurns) {
        at.s_wide_after = last ? s_wide_ + next_offset : turned_chunk(s_wide_ + offset, chunk_bytes / 16);
      } else {
        at.s_wide_after = last ? s_wide_ + next_offset : at.s_wide + kUnrolledSteps * kWideStepBytes;
      }
      if constexpr (Config::kNarrowDepthContiguous) {
        at.s_narrow_after = last ? s_narrow_ + next_offset + swizzle_ : s_narrow_ + offset + (chunk_bytes ^ swizzle_);
      } else {
        at.s_narrow_after = last ? s_narrow_ + next_offset : at.s_narrow + kUnrolledSteps * kNarrowStepBytes;
      }
      multiply_step<0>(r_acc, r_fragments, at, turn);
      multiply_step<1>(r_acc, r_fragments, at, turn);
      multiply_step<2>(r_acc, r_fragments, at, turn);
      multiply_step<3>(r_acc, r_fragments, at, turn);
      if constexpr (Config::kTurns) announce_turned(following_stage());
      multiply_step<4>(r_acc, r_fragments, at, turn);
      multiply_step<5>(r_acc, r_fragments, at, turn);
      const bool is_ready = Config::kTurns ? ptx::mbarrier_test_wait(next_barrier, next_parity)
                                           : ptx::mbarrier_try_wait(next_barrier, next_parity);
      multiply_step<6>(r_acc, r_fragments, at, turn);
      if (last && !is_ready) wait_for(next_barrier, next_parity);
      multiply_step<7>(r_acc, r_fragments, at, turn);
      at.s_wide = at.s_wide_after;
      if constexpr (!Config::kNarrowDepthContiguous) at.s_narrow = at.s_narrow_after;
    } while (chunk_bytes != kTileK * 4);
  }

  // The barrier that the loop waits for before it reads a stage.
  FG_DEVICE ptx::SharedAddress ready(int stage) const {
    return Config::kTurns ? shared_.turned(stage) : shared_.full(stage);
  }

  FG_DEVICE void announce_turned(int stage) const {
    ptx::warp_sync();
    if (ptx::lane_index() == 0) ptx::mbarrier_arrive(shared_.turned(stage));
  }

  // Turns this warp's part of a stage as soon as that is full, apart from the FMAs of another.
  FG_DEVICE void turn_stage(int stage, int parity) const {
    if constexpr (Config::kTurns) {
      wait_for(shared_.full(stage), parity);
      Turn turn;
#pragma unroll 1
      for (int round = 0; round < kRounds; ++round) {
        turn.begin(shared_.s_ring + stage * kStageBytes, warp_, round);
#pragma unroll
        for (int group = 0; group < kGroupsOfRound; ++group) turn.load(group);
        ptx::warp_sync();
#pragma unroll
        for (int group = 0; group < kGroupsOfRound; ++group) turn.store(group);
        announce_turned(stage);
      }
    }
  }

  // This warp has done with the present stage; if it is its turn, it fills the one before, which all will have left.
  FG_DEVICE void leave_stage() {
    ptx::warp_sync();
    if (ptx::lane_index() == 0) {
      ptx::mbarrier_arrive(shared_.empty(stage_));
      if ((block_ ^ warp_) % kWarps == 0) feed_.copy_block(block_ + Config::kStages - 1);
    }
    ptx::warp_sync();
    parity_ = following_parity();
    stage_ = following_stage();
    ++block_;
  }

  SharedLayout<Config> shared_;
  Feed<Config> feed_;
  int blocks_;  // of the share
  int warp_;
  ptx::SharedAddress s_wide_ = 0;    // this lane's first fragments in stage 0
  ptx::SharedAddress s_narrow_ = 0;  // k-contiguous: the row
  int swizzle_ = 0;                  // k-contiguous: what is XORed into a chunk's offset in its row
  int stage_ = 0;
  int parity_ = 0;  // of the present stage's full barrier
  int block_ = 0;   // k blocks done
};

}  // namespace fastgemm::hopper
