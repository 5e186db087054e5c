// What every GEMM kernel is handed: a problem with its tile grid, by value as the kernel's one parameter.
#pragma once

#include "kernels/split_params.h"

namespace fastgemm {

// Block `i` of a launch works on linear tile first_tile + i, or, where k is split, on part i % splits of tile i / splits.
// Tiles are counted within a batch entry first, in the order that kernels/tile/tile_order.cuh gives, then over the batch.
struct GemmParams {
  GemmProblem problem;
  std::int64_t first_tile = 0;
  int tiles_m = 0;
  int tiles_n = 0;
  SplitParams split;
};

}  // namespace fastgemm
