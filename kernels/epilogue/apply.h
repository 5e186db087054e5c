// One pass over D that finishes a product made elsewhere: D = act(alpha * product + beta * C + bias), rounded once.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm {

// problem.k > 0: `product` holds op(A) * op(B) in FP32, (m, n) column-major; it may be D itself where D is FP32.
// problem.k == 0: there is no product and `product` is not read. A and B are never read.
struct ApplyParams {
  GemmProblem problem;
  const float* product = nullptr;
  std::int64_t product_ld = 0;
  std::int64_t product_batch_stride = 0;  // elements
};

// Loads the pass's code on the current device; cudaErrorNoKernelImageForDevice: there is none for it.
cudaError_t prepare_epilogue_apply();

// Asynchronous; nothing is allocated.
cudaError_t launch_epilogue_apply(const ApplyParams& params, cudaStream_t stream);

}  // namespace fastgemm
