// Host side of a kernel launch, behind one function so that the emulation can run the grid itself.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace fastgemm::ptx {

struct LaunchShape {
  std::int64_t blocks = 0;  // at most 2^31 - 1
  int threads = 0;
  std::int64_t shared_bytes = 0;
  // Begins while the kernel before it in the stream ends: it must call griddepcontrol_wait() (kernels/ptx/
  // grid_dependency.cuh) before it reads or writes device memory. sm_90 and up.
  bool overlaps = false;
  int cluster = 1;  // blocks that run together, see kernels/ptx/cluster.cuh; divides their number. sm_90 and up
};

// Starts kernel(params) on `stream`; a launch error is returned, nothing is synchronised.
template <class Params>
cudaError_t launch_grid(void (*kernel)(Params), const LaunchShape& shape, cudaStream_t stream, Params params) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.stream = stream;
  cudaLaunchAttribute attributes[2] = {};
  config.attrs = attributes;
  if (shape.overlaps) {
    cudaLaunchAttribute& overlap = attributes[config.numAttrs++];
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(shape.cluster);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  }
  void* arguments[] = {&params};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments);
}

// Loads the kernel's code on the current device and lets a block use `shared_bytes` of dynamic shared memory.
template <class Params>
cudaError_t prepare_kernel(void (*kernel)(Params), std::int64_t shared_bytes) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(shared_bytes));
}

}  // namespace fastgemm::ptx
