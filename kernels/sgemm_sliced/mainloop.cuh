// Sum of products over a range of k blocks, of which each warp multiplies the chunks of its slice.
//
// The order of operations is chosen for Hopper's register file (kernels/sgemm_hopper/mainloop.cuh has the figures): an
// element of the "held" operand stays in the operand cache while all elements of the "streamed" one pass by, forwards
// and backwards in turn. Loads stand between the FMAs. ptxas keeps this order only with -O1.
#pragma once

#include "kernels/ptx/fma.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/sgemm_sliced/feed.cuh"

namespace fastgemm::sliced {

// A thread's sums: (held, streamed).
template <class Config>
using Accumulators = float[kThreadHeld][Config::kThreadStreamed];

template <class Config>
class Mainloop {
 public:
  FG_DEVICE Mainloop(const SlicedParams& params, const SharedLayout<Config>& shared, const BlockRange& range)
      : shared_(shared), feed_(params, shared, range), blocks_(range.count), warp_(ptx::warp_index()) {
    constexpr int kOffsetStreamed = Config::kStreamsA ? Config::kOffsetA : Config::kOffsetB;
    constexpr int kOffsetHeld = Config::kStreamsA ? Config::kOffsetB : Config::kOffsetA;
    first_chunk_ = slice() * Config::kChunksOfSlice;
    s_streamed_ = shared.s_ring + kOffsetStreamed + Streamed::first_offset(warp_streamed(), lane_streamed());
    s_held_ = shared.s_ring + kOffsetHeld + Held::first_offset(warp_held(), lane_held());
  }

  // Fills all stages. By the whole block, once.
  FG_DEVICE void start() const {
    for (int block = 0; block < Config::kStages; ++block) feed_.copy_block(block);
  }

  // r_acc += the products of the whole range, which holds a block or more.
  FG_DEVICE void multiply(Accumulators<Config>& r_acc) {
    wait_for(shared_.full(0), 0);
    Fragments r_fragments;
    ChunkAddress at = chunk_at(0, first_chunk_);
    load_first(r_fragments, at);
#pragma unroll 1
    for (int block = 0; block < blocks_; ++block) {
      // After the last block the vectors loaded ahead are of no use; they are read from the present stage again.
      const bool more = block + 1 < blocks_;
      const int next_stage = more ? following_stage() : stage_;
      const int next_parity = more ? following_parity() : parity_;
      const bool ready = ptx::mbarrier_try_wait(shared_.full(next_stage), next_parity);
#pragma unroll 1
      for (int pair = 0; pair < Config::kChunksOfSlice / 2; ++pair) {
        const int chunk = first_chunk_ + 2 * pair;
        const bool last = 2 * pair == Config::kChunksOfSlice - 2;
        const ChunkAddress second = chunk_at(stage_, chunk + 1);
        const ChunkAddress next = last ? chunk_at(next_stage, first_chunk_) : chunk_at(stage_, chunk + 2);
        multiply_chunk(r_acc, r_fragments, at, second);
        if (last && !ready) wait_for(shared_.full(next_stage), next_parity);
        multiply_chunk(r_acc, r_fragments, second, next);
        at = next;
      }
      leave_stage(block);
    }
  }

  // Where sum (held, streamed) of this thread belongs in the tile.
  struct Place {
    int row = 0;
    int column = 0;
  };
  FG_DEVICE Place place(int held, int streamed) const {
    const int h = warp_held() * Held::kWidth + Held::Axis::position(lane_held(), held);
    const int s = warp_streamed() * Streamed::kWidth + Streamed::Axis::position(lane_streamed(), streamed);
    return Config::kStreamsA ? Place{s, h} : Place{h, s};
  }
  FG_DEVICE int slice() const { return warp_ / Config::kWarpsOfTile; }

 private:
  using Held = typename Config::Held;
  using Streamed = typename Config::Streamed;
  static constexpr int kThreadStreamed = Config::kThreadStreamed;
  static constexpr int kVectorsStreamed = kThreadStreamed / 4;
  static constexpr int kProductsBetweenLoads = 16;

  // Of the streamed operand two steps of k, of the held one a chunk, each vector replaced by the next chunk's as soon as
  // it has been used: (element, k) where it lies along k, else (k, element).
  struct Fragments {
    float streamed[2][kThreadStreamed];
    float held[Held::kAlongDepth ? kThreadHeld : kChunkK][Held::kAlongDepth ? kChunkK : kThreadHeld];
  };

  struct ChunkAddress {
    ptx::SharedAddress s_streamed;
    ptx::SharedAddress s_held;
  };

  FG_DEVICE int lane_streamed() const { return ptx::lane_index() % Streamed::kLanes; }
  FG_DEVICE int lane_held() const { return ptx::lane_index() / Streamed::kLanes; }
  FG_DEVICE int warp_streamed() const { return warp_ % Config::kWarpsOfTile % Streamed::kWarps; }
  FG_DEVICE int warp_held() const { return warp_ % Config::kWarpsOfTile / Streamed::kWarps; }

  FG_DEVICE int following_stage() const { return stage_ == Config::kStages - 1 ? 0 : stage_ + 1; }
  FG_DEVICE int following_parity() const { return stage_ == Config::kStages - 1 ? parity_ ^ 1 : parity_; }

  FG_DEVICE ChunkAddress chunk_at(int stage, int chunk) const {
    const ptx::SharedAddress offset = stage * Config::kStageBytes;
    return {Streamed::chunk_address(s_streamed_ + offset, chunk), Held::chunk_address(s_held_ + offset, chunk)};
  }

  FG_DEVICE static void load_vector(float* r_vector, ptx::SharedAddress s_vector) {
    const float4 value = ptx::ld_shared_f32x4(s_vector);
    r_vector[0] = value.x, r_vector[1] = value.y, r_vector[2] = value.z, r_vector[3] = value.w;
  }

  FG_DEVICE static void load_first(Fragments& r_fragments, const ChunkAddress& at) {
#pragma unroll
    for (int vector = 0; vector < kVectorsStreamed; ++vector) {
      load_vector(r_fragments.streamed[0] + 4 * vector, Streamed::side_vector(at.s_streamed, 0, vector));
    }
#pragma unroll
    for (int row = 0; row < kThreadHeld; ++row) {
#pragma unroll
      for (int depth = 0; depth < kChunkK; ++depth) load_held_after(r_fragments, at, row, depth);
    }
  }

  // The loads of the chunk at `at` whose place is free once held element `row` has met all products at `depth`.
  FG_DEVICE static void load_held_after(Fragments& r_fragments, const ChunkAddress& at, int row, int depth) {
    if constexpr (Held::kAlongDepth) {
      if (depth == kChunkK - 1) load_vector(r_fragments.held[row], Held::depth_vector(at.s_held, row));
    } else {
      if (row % 4 != 3) return;
      load_vector(r_fragments.held[depth] + row - 3, Held::side_vector(at.s_held, depth, row / 4));
    }
  }

  template <int kDepth>
  FG_DEVICE static void multiply_depth(Accumulators<Config>& r_acc, Fragments& r_fragments, const ChunkAddress& at,
                                       const ChunkAddress& next) {
    constexpr bool kLast = kDepth == kChunkK - 1;
    float* const r_ahead = r_fragments.streamed[(kDepth + 1) % 2];
    const float* const r_streamed = r_fragments.streamed[kDepth % 2];
#pragma unroll
    for (int product = 0; product < kThreadHeld * kThreadStreamed; ++product) {
      if (product % kProductsBetweenLoads == 0 && product / kProductsBetweenLoads < kVectorsStreamed) {
        const int vector = product / kProductsBetweenLoads;
        load_vector(r_ahead + 4 * vector, kLast ? Streamed::side_vector(next.s_streamed, 0, vector)
                                                : Streamed::side_vector(at.s_streamed, kDepth + 1, vector));
      }
      const int h = product / kThreadStreamed;
      const int along = product % kThreadStreamed;
      const int s = h % 2 == 0 ? along : kThreadStreamed - 1 - along;
      const float held = Held::kAlongDepth ? r_fragments.held[h][kDepth] : r_fragments.held[kDepth][h];
      ptx::fma_rn_in_place(r_acc[h][s], r_streamed[s], held);
      if (along == kThreadStreamed - 1) load_held_after(r_fragments, next, h, kDepth);
    }
  }

  // The products of the chunk at `at`, whose vectors are in registers but for the streamed ones of steps to come; in the
  // end registers hold those of the chunk at `next`.
  FG_DEVICE static void multiply_chunk(Accumulators<Config>& r_acc, Fragments& r_fragments, const ChunkAddress& at,
                                       const ChunkAddress& next) {
    multiply_depth<0>(r_acc, r_fragments, at, next);
    multiply_depth<1>(r_acc, r_fragments, at, next);
    multiply_depth<2>(r_acc, r_fragments, at, next);
    multiply_depth<3>(r_acc, r_fragments, at, next);
  }

  // The block has done with the present stage, which held k block `block`, and fills it anew. The warps meet: with
  // barriers in shared memory between them (as in kernels/sgemm_hopper) those of several blocks on an SM fell out of
  // step, and those ahead, polling, took issue slots from those behind: 2048 x 2048 x 2048 NT took 556 us.
  FG_DEVICE void leave_stage(int block) {
    ptx::barrier_sync();
    feed_.copy_block(block + Config::kStages);
    parity_ = following_parity();
    stage_ = following_stage();
  }

  SharedLayout<Config> shared_;
  Feed<Config> feed_;
  int blocks_;
  int warp_;
  int first_chunk_ = 0;                // of this warp's slice in a stage
  ptx::SharedAddress s_streamed_ = 0;  // this lane's vector 0 of chunk 0 of stage 0
  ptx::SharedAddress s_held_ = 0;
  int stage_ = 0;
  int parity_ = 0;  // of the present stage's full barrier
};

}  // namespace fastgemm::sliced
