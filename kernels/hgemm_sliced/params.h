// What a sliced HGEMM kernel is handed, by value as its one parameter, and how k is shared out.
#pragma once

#include "kernels/contract.h"
#include "kernels/hgemm_sliced/config.h"
#include "kernels/ptx/tma.cuh"
#include "kernels/split_params.h"

namespace fastgemm::hgemm_sliced {

// Part p of k is the (p % cluster)th block's of cluster p / cluster of a tile.
struct KShares {
  int cluster = 1;  // blocks that add their sums through each other's shared memory
  int groups = 1;   // clusters whose sums are then added through workspace; more than one: of full clusters
};

// For `splits` parts: a power of two of blocks a cluster, and then full clusters.
constexpr KShares share_out(int splits) {
  KShares shares;
  while (shares.cluster < kMostCluster && shares.cluster * 2 <= splits) shares.cluster *= 2;
  if (shares.cluster == kMostCluster) shares.groups = splits / kMostCluster;
  return shares;
}

struct SlicedParams {
  ptx::TensorMap a;
  ptx::TensorMap b;
  GemmProblem problem;
  int tiles_m = 0;
  int tiles_n = 0;
  int k_blocks = 0;  // of a stage; what the last one lacks of k is read as zeros
  KShares shares;
  SplitParams sums;  // of the clusters: "tiles" are the shares of tiles that the blocks of a cluster finish
};

}  // namespace fastgemm::hgemm_sliced
