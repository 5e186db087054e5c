// What a sliced FFMA kernel is handed, by value as its one parameter.
#pragma once

#include "kernels/contract.h"
#include "kernels/ptx/tma.cuh"
#include "kernels/split_params.h"

namespace fastgemm::sliced {

struct SlicedParams {
  ptx::TensorMap a;
  ptx::TensorMap b;
  GemmProblem problem;
  int tiles_m = 0;
  int tiles_n = 0;
  int k_blocks = 0;  // of kTileK; what the last one lacks of k is read as zeros
  SplitParams split;
};

}  // namespace fastgemm::sliced
