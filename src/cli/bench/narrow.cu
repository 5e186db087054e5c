// FP32 to FP16 on the device: cuRAND draws FP32 only.
#include <cuda_fp16.h>

#include <algorithm>

#include "src/cli/bench/random_data.h"

namespace fastgemm::cli {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 65536;

__global__ void narrow_kernel(const float* from, __half* to, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = __float2half_rn(from[i]);
  }
}

}  // namespace

cudaError_t narrow_to_half(const float* from, void* to, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const std::int64_t blocks = std::min(kMaxBlocks, (count + kThreads - 1) / kThreads);
  narrow_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(from, static_cast<__half*>(to), count);
  return cudaGetLastError();
}

}  // namespace fastgemm::cli
