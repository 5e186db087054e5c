// Products with a side of 1 to 16: as fast as the long operand comes from device memory. A block sums a tile of D over
// its part of k in slices, one a thread's place along k; slices are added in ascending order through shared memory,
// parts of k in ascending order through workspace.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/gemv/operands.cuh"
#include "kernels/tile/split_sum.cuh"

namespace fastgemm::gemv {

template <class Config>
using Sums = float[Config::kShort][kBlock];

// sums += block * the short operand's elements of step `step` of the chunk.
template <class Config>
FG_DEVICE void multiply_block(Sums<Config>& r_sums, const typename LongBlocks<Config>::Block& r_block, int step,
                              int slice) {
  const ptx::SharedAddress s_step = ptx::shared_base() + (step * Config::kShort * kSlices + slice) * kBlock * 4;
#pragma unroll
  for (int j = 0; j < Config::kShort; ++j) {
    const float4 b = ptx::ld_shared_f32x4(s_step + j * kSlices * kBlock * 4);
    const float r_b[kBlock] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int depth = 0; depth < kBlock; ++depth) {
#pragma unroll
      for (int i = 0; i < kBlock; ++i) {
        r_sums[j][i] = ptx::fma_rn(LongBlocks<Config>::element(r_block, i, depth), r_b[depth], r_sums[j][i]);
      }
    }
  }
}

// Sums `depth` of k, at least 1.
template <class Config>
FG_DEVICE void sum_products(Sums<Config>& r_sums, LongBlocks<Config>& blocks, ShortOperand& from, std::int64_t depth,
                            int slice) {
  constexpr int kGroupDepth = Config::kGroupDepth;
  constexpr int kChunkGroups = Config::kChunkDepth / kGroupDepth;
  auto groups = static_cast<std::uint32_t>((depth + kGroupDepth - 1) / kGroupDepth);  // left; 32 bits do for 2^39 of k
  const int last = static_cast<int>(depth - std::int64_t{groups - 1} * kGroupDepth);
  int in_chunk = 0;
#pragma unroll 1
  for (; groups > 0; --groups) {
    typename LongBlocks<Config>::Block r_group[Config::kUnroll];
    blocks.load(r_group, groups > 1 ? kGroupDepth : last);
    if (in_chunk == 0) {  // the loads are under way while the chunk comes
      ptx::barrier_sync();  // the chunk before is read
      fill_chunk<Config>(from, groups > kChunkGroups ? Config::kChunkDepth
                                                     : static_cast<int>(groups - 1) * kGroupDepth + last);
      from.g_first += from.offset(Config::kChunkDepth, 0, static_cast<int>(element_size(Config::kType)));
      ptx::barrier_sync();
    }
#pragma unroll
    for (int u = 0; u < Config::kUnroll; ++u) {
      multiply_block<Config>(r_sums, r_group[u], in_chunk * Config::kUnroll + u, slice);
    }
    in_chunk = in_chunk == kChunkGroups - 1 ? 0 : in_chunk + 1;
  }
}

// Adds the slices: each holder gets four neighbours along the long side of the tile's sums over the block's part of k.
template <class Config>
FG_DEVICE void add_slices(float (&r_held)[4], const Sums<Config>& r_sums) {
  const ThreadPlace place = thread_place<Config>(ptx::thread_index());
  ptx::barrier_sync();  // the last chunk is read
  const ptx::SharedAddress s_slice = ptx::shared_base() + place.slice * Config::kSlicePitch;
#pragma unroll
  for (int j = 0; j < Config::kShort; ++j) {
    const ptx::SharedAddress s_column = s_slice + j * kTileLong * 4;
    if constexpr (long_offset<Config>(0, 1) == 1) {
      ptx::st_shared_f32x4(s_column + long_offset<Config>(place.group, 0) * 4,
                           float4{r_sums[j][0], r_sums[j][1], r_sums[j][2], r_sums[j][3]});
    } else {
#pragma unroll
      for (int i = 0; i < kBlock; ++i) {
        ptx::st_shared_f32(s_column + long_offset<Config>(place.group, i) * 4, r_sums[j][i]);
      }
    }
  }
  ptx::barrier_sync();
  if (ptx::thread_index() >= Config::kVectors) return;
  float4 sum{0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 8
  for (int slice = 0; slice < kSlices; ++slice) {
    const float4 term =
        ptx::ld_shared_f32x4(ptx::shared_base() + slice * Config::kSlicePitch + ptx::thread_index() * 16);
    sum.x = ptx::add_rn(sum.x, term.x), sum.y = ptx::add_rn(sum.y, term.y);
    sum.z = ptx::add_rn(sum.z, term.z), sum.w = ptx::add_rn(sum.w, term.w);
  }
  r_held[0] = sum.x, r_held[1] = sum.y, r_held[2] = sum.z, r_held[3] = sum.w;
}

// Only the holders meet: a warp, or the first warps of the block.
template <int kHolders>
struct HoldersMeet {
  FG_DEVICE void operator()() const {
    if constexpr (kHolders == 32) {
      ptx::warp_sync();
    } else {
      ptx::barrier_sync(1, kHolders);
    }
  }
};

template <class Config>
FG_DEVICE void store_held(const GemvParams& params, std::int64_t batch, std::int64_t first_long,
                          const float (&r_held)[4]) {
  const LongAndShort sides = long_and_short(params.problem, params.long_is_n);
  const int column = ptx::thread_index() / kGroups;
  if (column >= sides.extent_short) return;
  const Epilogue epilogue = make_epilogue(params.problem, batch);
#pragma unroll 1  // registers have no run-time index: so there is the code of one element
  for (int i = 0; i < 4; ++i) {
    const std::int64_t at = first_long + ptx::thread_index() % kGroups * 4 + i;
    if (at >= sides.extent_long) return;
    const float sum = i < 2 ? (i == 0 ? r_held[0] : r_held[1]) : i == 2 ? r_held[2] : r_held[3];
    store_element(epilogue, params.long_is_n ? column : at, params.long_is_n ? at : column, sum);
  }
}

// The part's sums, in the holders.
template <class Config>
FG_DEVICE void sum_part(const GemvParams& params, std::int64_t batch, std::int64_t first_long, int part,
                        float (&r_held)[4]) {
  constexpr std::int64_t kSize = element_size(Config::kType);
  const LongAndShort sides = long_and_short(params.problem, params.long_is_n);
  const ThreadPlace place = thread_place<Config>(ptx::thread_index());
  std::int64_t begin = 0;
  std::int64_t end = params.problem.k;
  if (params.split.splits > 1) {
    const auto steps = static_cast<int>((params.problem.k + kStepDepth - 1) / kStepDepth);
    const SplitSteps own = split_steps(steps, params.split.splits, part);
    begin = static_cast<std::int64_t>(own.begin) * kStepDepth;
    if (own.end < steps) end = static_cast<std::int64_t>(own.end) * kStepDepth;
  }
  const Operand& g_long = *sides.g_long;
  const Operand& g_short = *sides.g_short;
  const void* long_entry = batch_entry(g_long.data, g_long.pointers, g_long.batch_stride, Config::kType, batch);
  LongBlocks<Config> blocks(long_entry, g_long.ld, first_long, begin, sides.extent_long - first_long, place);
  ShortOperand from;
  from.along_depth = sides.short_along_depth;
  from.ld_bytes = g_short.ld * kSize;
  from.extent = sides.extent_short;
  const void* short_entry = batch_entry(g_short.data, g_short.pointers, g_short.batch_stride, Config::kType, batch);
  from.g_first = static_cast<const char*>(short_entry) + begin * (from.along_depth ? kSize : from.ld_bytes);
  Sums<Config> r_sums = {};
  sum_products<Config>(r_sums, blocks, from, end - begin, place.slice);
  add_slices<Config>(r_held, r_sums);
}

template <class Config>
__global__ void __launch_bounds__(kThreads, Config::kBlocksPerSm)
    gemv_kernel(const __grid_constant__ GemvParams params) {
  SplitPart part = split_part(params.split, ptx::block_index());
  part.tile += params.first_tile;
  std::int64_t batch = 0;
  std::int64_t tile = part.tile;
  if (params.problem.batch_count > 1) {
    batch = tile / params.tiles;
    tile -= batch * params.tiles;
  }
  const std::int64_t first_long = tile * kTileLong;
  float r_held[4] = {};
  const bool product = has_product(params.problem);
  if (product) sum_part<Config>(params, batch, first_long, part.index, r_held);
  if (ptx::thread_index() >= Config::kHolders) return;
  if (product && params.split.splits > 1) {
    using Holders = SplitThreads<Config::kHolders, HoldersMeet<Config::kHolders>>;
    const Holders threads{ptx::thread_index(), ptx::shared_base()};
    const auto element = [&r_held](int i) -> float& { return r_held[i]; };
    if (!sum_split_parts<4>(params.split, part, threads, element)) return;
  } else if (part.index > 0) {
    return;
  }
  store_held<Config>(params, batch, first_long, r_held);
}

}  // namespace fastgemm::gemv
