// Host version of kernels/ptx/fma.cuh.
#pragma once

#include <cmath>

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

FG_DEVICE void fma_rn_in_place(float& sum, float a, float b) { sum = std::fma(a, b, sum); }

}  // namespace fastgemm::ptx
