// What a Hopper FFMA kernel is handed, by value as its one parameter.
#pragma once

#include <cstdint>

#include "kernels/contract.h"
#include "kernels/ptx/tma.cuh"
#include "kernels/sgemm_hopper/shares.h"
#include "kernels/split_params.h"

namespace fastgemm::hopper {

struct HopperParams {
  ptx::TensorMap wide;
  ptx::TensorMap narrow;
  GemmProblem problem;
  ShareGrid grid;
  int tiles_wide = 0;
  int tiles_narrow = 0;
  int whole_blocks = 0;  // full k blocks of a tile; one more, of rest_steps, where k is no multiple of theirs
  int rest_steps = 0;
  SplitParams split;               // where grid.parts is 2 or more
  float* parked = nullptr;         // grid.shares - 1 tiles of accumulators between the shares of a chain
  std::uint32_t* flags = nullptr;  // a ticket counter, then a flag a share: its parked accumulators are there
};

}  // namespace fastgemm::hopper
