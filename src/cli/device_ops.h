// Device work that `fastgemm check`, `fastgemm bench` and the GPU tests share: data, references, comparisons.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm::cli {

// Fills `count` elements with integers in [-range, range], a function of seed and index alone.
cudaError_t fill_integers(void* data, DataType type, std::int64_t count, int range, std::uint64_t seed,
                          cudaStream_t stream);

// Fills `count` elements with N(0, 1) values, or uniform ones in (0, 1), a function of seed and index alone.
cudaError_t fill_normal(void* data, DataType type, std::int64_t count, std::uint64_t seed, cudaStream_t stream);
cudaError_t fill_uniform(void* data, DataType type, std::int64_t count, std::uint64_t seed, cudaStream_t stream);

// One matrix product in FP64 with one rounding to the type of D: the reference for everything else. Slow and simple.
cudaError_t reference_gemm(const GemmProblem& problem, double* d, std::int64_t ldd, cudaStream_t stream);

struct Difference {
  std::int64_t differing = 0;  // elements whose bits differ
  std::int64_t non_finite = 0; // elements that are NaN or infinite in exactly one of the two
  double max_absolute = 0.0;
  double rms = 0.0;
  std::int64_t first_row = -1;     // of the first differing element in column-major order
  std::int64_t first_column = -1;
};

// Compares two m x n matrices of one type. Waits for the stream.
cudaError_t compare(const void* x, std::int64_t ldx, const void* y, std::int64_t ldy, DataType type, std::int64_t m,
                    std::int64_t n, Difference* difference, cudaStream_t stream);

// Overwrites `bytes` (256 MB or more is right for today's GPUs) so that L2 holds nothing of the operands.
cudaError_t flush_l2(void* scratch, std::int64_t bytes, cudaStream_t stream);

}  // namespace fastgemm::cli
