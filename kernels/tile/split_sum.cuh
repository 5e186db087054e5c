// The sum of a tile's parts in a split launch: each block parks its part and counts itself; the last to count has all
// parts at hand, adds them in ascending k and goes on alone. Nobody waits, so any number of resident blocks will do.
#pragma once

#include <cstdint>

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/inter_block.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/split_params.h"

namespace fastgemm {

// Which part of which tile a block works on, how many the tile has, and where the first of them is parked, counted in
// partial tiles. All parts of a tile lie side by side.
struct SplitPart {
  std::int64_t tile = 0;
  int index = 0;
  int count = 1;
  std::int64_t first_slot = 0;
};

// For block `block` of a launch that cuts all tiles alike.
FG_HOST_DEVICE SplitPart split_part(const SplitParams& split, std::int64_t block) {
  if (split.splits == 1) return {block, 0, 1, block};
  const auto number = static_cast<std::uint32_t>(block);
  const std::uint32_t tile = number / static_cast<std::uint32_t>(split.splits);
  return {tile, static_cast<int>(number - tile * static_cast<std::uint32_t>(split.splits)), split.splits,
          static_cast<std::int64_t>(tile) * split.splits};
}

// All threads of the block.
struct BlockMeet {
  FG_DEVICE void operator()() const { ptx::barrier_sync(); }
};

// The threads that hold a tile's sums, `kCount` of them, numbered from 0. meet() is a barrier of them all; s_word is a
// word of shared memory that no one else uses once they have met.
template <int kCount, class Meet = BlockMeet>
struct SplitThreads {
  int index = 0;
  ptx::SharedAddress s_word = 0;
  Meet meet = {};
};

namespace detail {

// A partial tile in workspace: vector v of thread t stands at (v * kCount + t) * 4, so that a warp's accesses are whole
// lines whatever elements a thread holds.
template <int kElements, int kCount>
FG_DEVICE float* parked_part(const SplitParams& split, std::int64_t slot, int thread) {
  return split.parked + slot * (std::int64_t{kElements} * kCount) + thread * 4;
}

template <int kElements, int kCount, class Element>
FG_DEVICE void park_part(float* g_part, const Element& element) {
#pragma unroll
  for (int i = 0; i < kElements; i += 4) {
    ptx::st_global_f32x4(g_part + i * kCount, float4{element(i), element(i + 1), element(i + 2), element(i + 3)});
  }
}

// sums = the parked parts first, first + stride, ... (`parts` of them), in that order. Up to kInFlight vectors are
// loaded before the first is added: a trip to L2 is the cost of each round.
template <int kElements, int kCount, class Element>
FG_DEVICE void sum_parked(const float* g_first, std::int64_t stride, int parts, const Element& element) {
  constexpr int kInFlight = 8;
  constexpr int kVectors = kElements / 4;
  constexpr int kChunk = kVectors < kInFlight ? kVectors : kInFlight;  // vectors of one part
  constexpr int kDepth = kInFlight / kChunk;                           // parts at once
  static_assert(kVectors % kChunk == 0, "whole chunks");
#pragma unroll
  for (int i = 0; i < kElements; ++i) element(i) = 0.0f;
#pragma unroll 1
  for (int part = 0; part < parts; part += kDepth) {
#pragma unroll
    for (int chunk = 0; chunk < kVectors; chunk += kChunk) {
      float4 values[kDepth][kChunk];
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
#pragma unroll
        for (int v = 0; v < kChunk; ++v) {
          values[d][v] = float4{0.0f, 0.0f, 0.0f, 0.0f};
          if (part + d < parts) values[d][v] = ptx::ld_global_f32x4(g_first + d * stride + (chunk + v) * (kCount * 4));
        }
      }
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
#pragma unroll
        for (int v = 0; v < kChunk; ++v) {
          const int i = (chunk + v) * 4;
          element(i) = ptx::add_rn(element(i), values[d][v].x);
          element(i + 1) = ptx::add_rn(element(i + 1), values[d][v].y);
          element(i + 2) = ptx::add_rn(element(i + 2), values[d][v].z);
          element(i + 3) = ptx::add_rn(element(i + 3), values[d][v].w);
        }
      }
    }
    g_first += kDepth * stride;
  }
}

// Counts this block; true in all its threads if it is the last of `members`, whose parts are then visible to them. No
// fence beside the counter: its release covers what the block's threads wrote before they met, its acquire what they
// read after they meet again (PTX ISA, causality order).
template <int kCount, class Meet>
FG_DEVICE bool count_last(std::uint32_t* flag, int members, const SplitThreads<kCount, Meet>& threads) {
  threads.meet();
  if (threads.index == 0) {
    const bool last = ptx::atomic_add_gpu_u32(flag, 1) == static_cast<std::uint32_t>(members - 1);
    if (last) ptx::st_release_gpu_u32(flag, 0);  // for the next launch
    ptx::st_shared_u32(threads.s_word, last ? 1 : 0);
  }
  threads.meet();
  return ptx::ld_shared_u32(threads.s_word) != 0;
}

}  // namespace detail

// element(i), 0 <= i < kElements, is a reference to a sum that this thread holds of part `part`. False: another block
// goes on with the tile. True: the sums are now those of all parts.
template <int kElements, int kCount, class Meet, class Element>
FG_DEVICE bool sum_split_parts(const SplitParams& split, const SplitPart& part,
                               const SplitThreads<kCount, Meet>& threads, const Element& element) {
  static_assert(kElements % 4 == 0, "sums travel as 16-byte vectors");
  constexpr std::int64_t kPartSize = std::int64_t{kElements} * kCount;
  float* g_tile = detail::parked_part<kElements, kCount>(split, part.first_slot, threads.index);
  // First the parts of a group, counted in the group's flag; then, where there are several, the groups' sums, each in
  // the place of its group's first part, counted in the tile's. One loop: its code would be there twice.
  const int group = part.index / split.group;
  const int first = group * split.group;
  const bool one_group = split.groups == 1;
  std::uint32_t* const tile_flag = split.flags + part.tile;
  std::uint32_t* flag = one_group ? tile_flag : split.flags + split.tiles + part.tile * split.groups + group;
  int members = part.count - first < split.group ? part.count - first : split.group;
  std::int64_t stride = kPartSize;
  const float* g_first = g_tile + first * kPartSize;
  float* g_own = g_tile + part.index * kPartSize;
#pragma unroll 1
  for (bool last = one_group;; last = true) {
    detail::park_part<kElements, kCount>(g_own, element);
    if (!detail::count_last(flag, members, threads)) return false;
    detail::sum_parked<kElements, kCount>(g_first, stride, members, element);
    if (last) return true;
    g_own = g_tile + first * kPartSize;
    g_first = g_tile;
    stride = split.group * kPartSize;
    members = split.groups;
    flag = tile_flag;
  }
}

}  // namespace fastgemm
