// From accumulators to whole sums: those of the slices are added through shared memory, those of a cluster's blocks
// through each other's, those of several clusters through workspace; each in ascending k.
#pragma once

#include "kernels/hgemm_sliced/mainloop.cuh"
#include "kernels/ptx/cluster_shared.cuh"
#include "kernels/ptx/convert.cuh"
#include "kernels/tile/split_sum.cuh"

namespace fastgemm::hgemm_sliced {

// Sums in shared memory that add up to those of the columns that a block finishes: `count` of them, `stride` bytes from
// one to the next, each laid out as those columns of a SumTile.
struct SumTerms {
  ptx::SharedAddress s_first = 0;
  int stride = 0;
  int count = 0;
};

FG_DEVICE float4 add_vectors(float4 x, float4 y) {
  return {ptx::add_rn(x.x, y.x), ptx::add_rn(x.y, y.y), ptx::add_rn(x.z, y.z), ptx::add_rn(x.w, y.w)};
}

// The sum of four rows `offset` bytes from each term's beginning; zeros without terms.
FG_DEVICE float4 sum_vector(const SumTerms& terms, int offset) {
  float4 sum{0.0f, 0.0f, 0.0f, 0.0f};
  ptx::SharedAddress s_term = terms.s_first + offset;
#pragma unroll 4
  for (int term = 0; term < terms.count; ++term, s_term += terms.stride) {
    sum = add_vectors(sum, ptx::ld_shared_f32x4(s_term));
  }
  return sum;
}

// The warp's sums over its slice, to the ring's place, which no copy fills and nobody reads any more.
template <class Config>
FG_DEVICE void store_slice(const SharedLayout<Config>& shared, const Accumulators<Config>& r_acc) {
  using Sums = typename Config::Sums;
  const int lane = ptx::lane_index();
  const ptx::SharedAddress s_slice = shared.s_ring + ptx::warp_index() * Sums::kBytes;
#pragma unroll
  for (int n = 0; n < Config::kTileN / 16; ++n) {
#pragma unroll
    for (int m = 0; m < Config::kTileM / 8; ++m) {
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        const int row = m * 8 + accumulator_m(lane, pair * 2);
        const int column = n * 16 + accumulator_n(lane, pair * 2);
        ptx::st_shared_f32x2(s_slice + Sums::offset(row, column),
                             float2{r_acc.block[n][m][pair * 2], r_acc.block[n][m][pair * 2 + 1]});
      }
    }
  }
}

template <class Config>
FG_DEVICE SumTerms slice_terms(const SharedLayout<Config>& shared) {
  return {shared.s_ring, Config::Sums::kBytes, kWarps};
}

// Sends each block of the cluster this block's sums of its columns; returns those of this block's from all.
template <class Config>
FG_DEVICE SumTerms exchange_sums(const SlicedParams& params, const SharedLayout<Config>& shared, int rank) {
  const int bytes = Config::Sums::kBytes / params.shares.cluster;  // of a block's columns
  const SumTerms slices = slice_terms<Config>(shared);
  ptx::cluster_wait();  // the other blocks have left their rings
#pragma unroll 4
  for (int at = ptx::thread_index() * 16; at < Config::Sums::kBytes; at += kThreads * 16) {
    const int owner = static_cast<int>(static_cast<std::uint32_t>(at) / static_cast<std::uint32_t>(bytes));
    const ptx::SharedAddress s_here = shared.landing() + rank * bytes + (at - owner * bytes);
    ptx::st_cluster_f32x4(ptx::cluster_address(s_here, owner), sum_vector(slices, at));
  }
  ptx::cluster_arrive();
  ptx::cluster_wait();
  return {shared.landing(), bytes, params.shares.cluster};
}

// Adds the sums of all clusters of the tile, by the first kSumThreads threads. True in the block that has the whole sum,
// then as the one term of `terms`.
template <class Config>
FG_DEVICE bool sum_clusters(const SlicedParams& params, const SharedLayout<Config>& shared, const BlockPlace& place,
                            SumTerms& terms) {
  const int offset = ptx::thread_index() * 16;
  const float4 own = sum_vector(terms, offset);
  float r_sums[Config::kElements] = {own.x, own.y, own.z, own.w};
  const auto meet = [] { ptx::barrier_sync(1, Config::kSumThreads); };
  const std::int64_t share = std::int64_t{place.tile} * kMostCluster + place.rank;
  const SplitPart part{share, place.group, params.shares.groups, share * params.shares.groups};
  const SplitThreads<Config::kSumThreads, decltype(meet)> threads{ptx::thread_index(), shared.word(), meet};
  const auto element = [&r_sums](int i) -> float& { return r_sums[i]; };
  if (!sum_split_parts<Config::kElements>(params.sums, part, threads, element)) return false;
  ptx::st_shared_f32x4(terms.s_first + offset, float4{r_sums[0], r_sums[1], r_sums[2], r_sums[3]});
  meet();
  terms.count = 1;
  return true;
}

}  // namespace fastgemm::hgemm_sliced
