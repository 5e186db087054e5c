// What a product would take in cuBLAS, so that it is left to cuBLAS where that is the faster one. cuBLAS's kernels are
// described by rows like our own (tile, resident blocks, measured rate), and cost_model.h's formula predicts them.
#pragma once

#include "kernels/contract.h"
#include "src/dispatch/cost_model.h"

namespace fastgemm {

// Microseconds of cuBLAS's product without a pass of ours beside it; infinite on devices where cuBLAS was not measured,
// so that nothing is left to it there for speed.
double predict_cublas_us(const GemmProblem& problem, const DeviceInfo& device, const LaunchResources& resources);

}  // namespace fastgemm
