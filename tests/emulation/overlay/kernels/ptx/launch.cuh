// Host version of kernels/ptx/launch.cuh: the grid has run when the launch returns.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "tests/emulation/engine/grid.h"

namespace fastgemm::ptx {

struct LaunchShape {
  std::int64_t blocks = 0;
  int threads = 0;
  std::int64_t shared_bytes = 0;
  bool overlaps = false;  // of no meaning: the grid before has run
  int cluster = 1;
};

template <class Params>
cudaError_t launch_grid(void (*kernel)(Params), const LaunchShape& shape, cudaStream_t, Params params) {
  return emulation::run_grid(reinterpret_cast<const void*>(kernel),
                             {shape.blocks, shape.threads, shape.shared_bytes, shape.cluster},
                             [kernel, &params] { kernel(params); });
}

template <class Params>
cudaError_t prepare_kernel(void (*kernel)(Params), std::int64_t shared_bytes) {
  return emulation::allow_shared_bytes(reinterpret_cast<const void*>(kernel), shared_bytes);
}

}  // namespace fastgemm::ptx
