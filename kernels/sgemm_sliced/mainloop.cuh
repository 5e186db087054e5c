// Sum of products over a range of k blocks, of which each warp multiplies the chunks of its slice.
//
// The order of operations is chosen for Hopper's register file (kernels/sgemm_hopper/mainloop.cuh has the figures): an
// element of the "held" operand stays in the operand cache while all elements of the "streamed" one pass by. A vector
// is replaced by that of the next chunk as soon as its last product is done, so that one set of fragments is enough and
// three blocks fit on an SM; what latency remains they hide from each other. ptxas keeps this order only with -O1.
#pragma once

#include "kernels/ptx/fma.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/sgemm_sliced/feed.cuh"

namespace fastgemm::sliced {

// A thread's sums: [held][streamed].
using Accumulators = float[kThreadTile][kThreadTile];

template <class Config>
class Mainloop {
 public:
  // Streamed is A, unless only B lies so that neighbouring registers hold neighbours along its side.
  static constexpr bool kStreamsA = Config::SideA::kAlong == Along::kSide || Config::SideB::kAlong == Along::kDepth;

  FG_DEVICE Mainloop(const SlicedParams& params, const SharedLayout<Config>& shared, const BlockRange& range)
      : params_(params), shared_(shared), range_(range), warp_(ptx::warp_index()) {
    const int of_tile = warp_ % Config::kWarpsOfTile;
    const int lane = ptx::lane_index();
    first_chunk_ = warp_ / Config::kWarpsOfTile * Config::kChunksOfSlice;
    s_a_ = shared.s_ring + SideA::first_offset(of_tile % SideA::kWarps, lane % SideA::kLanes);
    s_b_ = shared.s_ring + SideA::kStageBytes + SideB::first_offset(of_tile / SideA::kWarps, lane / SideA::kLanes);
  }

  // Fills all stages but one. By the whole block, once.
  FG_DEVICE void start() const {
    if (ptx::thread_index() != 0) return;
    for (int block = 0; block < Config::kStages - 1; ++block) copy_block(params_, shared_, range_, block);
  }

  // r_acc += the products of the whole range, which holds a block or more.
  FG_DEVICE void multiply(Accumulators& r_acc) {
    wait_for(shared_.full(0), 0);
    Fragments r_fragments;
    load_first(r_fragments, chunk_at(0, first_chunk_));
#pragma unroll 1
    for (int block = 0; block < range_.count; ++block) {
#pragma unroll 1
      for (int chunk = 1; chunk < Config::kChunksOfSlice; ++chunk) {
        multiply_chunk(r_acc, r_fragments, chunk_at(stage_, first_chunk_ + chunk));
      }
      // After the last block the vectors loaded ahead are of no use; they are read from the present stage again.
      const bool more = block + 1 < range_.count;
      const int next_stage = more ? following_stage() : stage_;
      if (more) wait_for(shared_.full(next_stage), following_parity());
      multiply_chunk(r_acc, r_fragments, chunk_at(next_stage, first_chunk_));
      leave_stage(block);
    }
  }

  // Element (m, n) of the tile for held element `h` and streamed element `s` of this thread.
  struct Place {
    int row = 0;
    int column = 0;
  };
  FG_DEVICE Place place(int h, int s) const {
    const int of_tile = warp_ % Config::kWarpsOfTile;
    const int lane = ptx::lane_index();
    return {of_tile % SideA::kWarps * SideA::kWidth + SideA::Axis::position(lane % SideA::kLanes, kStreamsA ? s : h),
            of_tile / SideA::kWarps * SideB::kWidth + SideB::Axis::position(lane / SideA::kLanes, kStreamsA ? h : s)};
  }
  FG_DEVICE int slice() const { return warp_ / Config::kWarpsOfTile; }

 private:
  using SideA = typename Config::SideA;
  using SideB = typename Config::SideB;
  using Held = std::conditional_t<kStreamsA, SideB, SideA>;
  using Streamed = std::conditional_t<kStreamsA, SideA, SideB>;
  static constexpr int kProducts = kThreadTile * kThreadTile;

  struct Fragments {
    float held[kVectors][4];
    float streamed[kVectors][4];
  };

  struct ChunkAddress {
    ptx::SharedAddress s_held;
    ptx::SharedAddress s_streamed;
  };

  FG_DEVICE int following_stage() const { return stage_ == Config::kStages - 1 ? 0 : stage_ + 1; }
  FG_DEVICE int following_parity() const { return stage_ == Config::kStages - 1 ? parity_ ^ 1 : parity_; }

  FG_DEVICE ChunkAddress chunk_at(int stage, int chunk) const {
    const ptx::SharedAddress offset = stage * Config::kStageBytes;
    const ptx::SharedAddress s_a = SideA::chunk_address(s_a_ + offset, chunk);
    const ptx::SharedAddress s_b = SideB::chunk_address(s_b_ + offset, chunk);
    return kStreamsA ? ChunkAddress{s_b, s_a} : ChunkAddress{s_a, s_b};
  }

  template <class Side>
  FG_DEVICE static void load_vector(float (&r_vectors)[kVectors][4], ptx::SharedAddress s_chunk, int vector) {
    const float4 value = ptx::ld_shared_f32x4(Side::vector_address(s_chunk, vector));
    r_vectors[vector][0] = value.x, r_vectors[vector][1] = value.y;
    r_vectors[vector][2] = value.z, r_vectors[vector][3] = value.w;
  }

  FG_DEVICE static void load_first(Fragments& r_fragments, const ChunkAddress& at) {
#pragma unroll
    for (int vector = 0; vector < kVectors; ++vector) {
      load_vector<Streamed>(r_fragments.streamed, at.s_streamed, vector);
      load_vector<Held>(r_fragments.held, at.s_held, vector);
    }
  }

  // Streamed elements pass forwards and backwards in turn, but forwards beside the last held one where the next chunk
  // needs vector 0 first.
  __host__ __device__ static constexpr int streamed_index(int h, int along) {
    if (h % 2 == 0 || (Streamed::kAlong == Along::kDepth && h == kThreadTile - 1)) return along;
    return kThreadTile - 1 - along;
  }

  // Whether the product of (h, along) at `depth` is the last one of its held or streamed vector.
  __host__ __device__ static constexpr bool ends_held(int h, int along, int depth) {
    if (along != kThreadTile - 1) return false;
    return Held::kAlong == Along::kSide ? h % 4 == 3 : depth == kChunkK - 1;
  }
  __host__ __device__ static constexpr bool ends_streamed(int h, int along, int depth) {
    if (h != kThreadTile - 1) return false;
    return Streamed::kAlong == Along::kSide ? along % 4 == 3 : depth == kChunkK - 1;
  }

  template <int kDepth>
  FG_DEVICE static void multiply_depth(Accumulators& r_acc, Fragments& r_fragments, const ChunkAddress& next) {
#pragma unroll
    for (int product = 0; product < kProducts; ++product) {
      const int h = product / kThreadTile;
      const int along = product % kThreadTile;
      const int s = streamed_index(h, along);
      const int held = Held::vector_of(h, kDepth);
      const int streamed = Streamed::vector_of(s, kDepth);
      ptx::fma_rn_in_place(r_acc[h][s], r_fragments.streamed[streamed][Streamed::place_of(s, kDepth)],
                           r_fragments.held[held][Held::place_of(h, kDepth)]);
      if (ends_streamed(h, along, kDepth)) load_vector<Streamed>(r_fragments.streamed, next.s_streamed, streamed);
      if (ends_held(h, along, kDepth)) load_vector<Held>(r_fragments.held, next.s_held, held);
    }
  }

  // The products of the chunk in registers, whose place the chunk at `next` takes.
  FG_DEVICE static void multiply_chunk(Accumulators& r_acc, Fragments& r_fragments, const ChunkAddress& next) {
    multiply_depth<0>(r_acc, r_fragments, next);
    multiply_depth<1>(r_acc, r_fragments, next);
    multiply_depth<2>(r_acc, r_fragments, next);
    multiply_depth<3>(r_acc, r_fragments, next);
  }

  // This warp has done with the present stage, which held block `block`; if it is its turn, it fills the stage before,
  // which all will have left.
  FG_DEVICE void leave_stage(int block) {
    ptx::warp_sync();
    if (ptx::lane_index() == 0) {
      ptx::mbarrier_arrive(shared_.empty(stage_));
      if ((block ^ warp_) % kWarps == 0) copy_block(params_, shared_, range_, block + Config::kStages - 1);
    }
    ptx::warp_sync();
    parity_ = following_parity();
    stage_ = following_stage();
  }

  const SlicedParams& params_;
  SharedLayout<Config> shared_;
  BlockRange range_;
  int warp_;
  int first_chunk_ = 0;         // of this warp's slice in a stage
  ptx::SharedAddress s_a_ = 0;  // this lane's vector 0 of chunk 0 of stage 0
  ptx::SharedAddress s_b_ = 0;
  int stage_ = 0;
  int parity_ = 0;  // of the present stage's full barrier
};

}  // namespace fastgemm::sliced
