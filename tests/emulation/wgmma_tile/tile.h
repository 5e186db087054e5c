// The test product of kernel.cuh: one tile of D = A B on Hopper, in all four majornesses.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/ptx/tma.cuh"
#include "kernels/tile/wgmma_descriptor.cuh"

namespace fastgemm::wgmma_tile {

inline constexpr int kM = 64;
inline constexpr int kN = 128;
inline constexpr int kK = kWgmmaTileDepth;  // of a stage
inline constexpr int kStages = 2;
inline constexpr int kConsumers = 128;
inline constexpr int kThreads = kConsumers + 32;
inline constexpr int kBytesA = kM * kK * 2;
inline constexpr int kBytesB = kN * kK * 2;
inline constexpr int kStageBytes = kBytesA + kBytesB;
inline constexpr std::int64_t kSharedBytes = kStages * kStageBytes + 2 * kStages * 8 + 1024;

struct Params {
  ptx::TensorMap a;
  ptx::TensorMap b;
  ptx::TensorMap d_half;
  float* d = nullptr;  // (kM, kN), n contiguous
  int k_blocks = 0;
};

// FP16 in device memory: A is m x k, B is k x n, each contiguous along k or along m or n.
struct Problem {
  const void* a = nullptr;
  const void* b = nullptr;
  float* d = nullptr;
  void* d_half = nullptr;  // FP16, as d
  int k = 0;
  Major major_a = Major::kK;
  Major major_b = Major::kK;
};

// Asynchronous. k a multiple of 8 that need not be one of kK; m and n are kM and kN.
cudaError_t multiply(const Problem& problem);

}  // namespace fastgemm::wgmma_tile
