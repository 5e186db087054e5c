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
  int whole_blocks = 0;  // k blocks of a tile that are full; one more, of rest_steps, where k is no multiple of kTileK
  int rest_steps = 0;
  SplitParams split;               // memory of parts to be added, where grid.length is not 0
  float* parked = nullptr;         // grid.shares - 1 tiles of accumulators between the shares of a chain
  std::uint32_t* flags = nullptr;  // a ticket counter, then a flag a share: its parked accumulators are there
};

}  // namespace fastgemm::hopper
