// What the product's kernel is handed, by value as its one parameter.
#pragma once

#include "kernels/contract.h"
#include "kernels/sgemm_tensor/params.h"

namespace fastgemm::sgemm_tensor_mma {

struct ProductParams {
  sgemm_tensor::SplitOperand operands[sgemm_tensor::kSides];  // whose parts are multiplied
  const std::uint32_t* g_method = nullptr;
  GemmProblem problem;
  sgemm_tensor::TileGrid grid;  // a tile a block
  int k_blocks = 0;
};

}  // namespace fastgemm::sgemm_tensor_mma
