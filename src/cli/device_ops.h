// Device work that `fastgemm check`, `fastgemm bench` and the GPU tests share: data, references, comparisons.
// In a build without device code (FASTGEMM_ARCHITECTURES=none) each of them answers cudaErrorNoDevice.
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

// Fills `count` elements with (U - 0.5) * exp(spread * N): magnitudes over many binades.
cudaError_t fill_wide(void* data, DataType type, std::int64_t count, double spread, std::uint64_t seed,
                      cudaStream_t stream);

// The product in FP64, not rounded to the type of D: the reference for everything else. Slow and simple. Batch entry b
// goes to d + b * ldd * n. Reads A, B, C and device scalars as the problem names them; problem.d is not touched.
cudaError_t reference_gemm(const GemmProblem& problem, double* d, std::int64_t ldd, cudaStream_t stream);

// |alpha| |op(A)| |op(B)| + |beta| |C| + |bias|, laid out like reference_gemm: the scale errors are measured by.
cudaError_t reference_magnitude(const GemmProblem& problem, double* d, std::int64_t ldd, cudaStream_t stream);

// FP32 A, B, C, D: one fused multiply-add chain an element from +0 in ascending k, then alpha * sum, then
// fma(beta, C, .). What FP32_SEQUENTIAL promises bit by bit. Batch entry b goes to d + b * ldd * n.
cudaError_t fma_chain_gemm(const GemmProblem& problem, float* d, std::int64_t ldd, cudaStream_t stream);

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

// Compares an m x n matrix with an FP64 reference: bits after the reference is rounded to `type`, errors before. With
// `magnitude` (same layout as the reference) errors are divided by it, element by element. Waits for the stream.
cudaError_t compare_with_reference(const void* x, std::int64_t ldx, DataType type, const double* reference,
                                   const double* magnitude, std::int64_t ld_reference, std::int64_t m, std::int64_t n,
                                   Difference* difference, cudaStream_t stream);

// A hash of the bits of an m x n matrix, padding left out. Waits for the stream.
cudaError_t hash_matrix(const void* x, std::int64_t ldx, DataType type, std::int64_t m, std::int64_t n,
                        std::uint64_t* hash, cudaStream_t stream);

// Overwrites `bytes` (256 MB or more is right for today's GPUs) so that L2 holds nothing of the operands.
cudaError_t flush_l2(void* scratch, std::int64_t bytes, cudaStream_t stream);

// A kernel that does nothing: what a launch costs by itself.
cudaError_t launch_empty_kernel(cudaStream_t stream);

// Holds one SM a block for as long as *flag (host-visible memory) is 0, `blocks` of them: a busy neighbour.
cudaError_t occupy_sms(const volatile int* flag, int blocks, cudaStream_t stream);

}  // namespace fastgemm::cli
