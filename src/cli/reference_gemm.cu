// The FP64 reference product, its magnitude, and the FP32 fused multiply-add chain. Plain code: what they compute must
// be evident, and 2048^3 should take milliseconds.
#include <algorithm>

#include "src/cli/counter_random.cuh"
#include "src/cli/device_ops.h"

namespace fastgemm::cli {
namespace {

constexpr int kTile = 32;     // a block computes kTile x kTile elements, a thread 2 x 2 of them
constexpr int kStep = 16;     // of k at a time through shared memory
constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 1 << 20;  // grid-stride loops beyond

struct ReferenceArguments {
  GemmProblem problem;
  double* d;
  std::int64_t ldd;
  std::int64_t tiles_m;
  std::int64_t tiles;  // of the whole batch
  bool magnitude;      // of |A|, |B|, |C|, |alpha|, |beta|
};

__device__ double read_scalar(const Scalar& scalar) {
  return scalar.device == nullptr ? scalar.value : load_element(scalar.device, scalar.device_type, 0);
}

__device__ const void* entry(const Operand& operand, DataType type, std::int64_t batch) {
  if (operand.pointers != nullptr) return operand.pointers[batch];
  const std::int64_t bytes = type == DataType::kFloat32 ? 4 : 2;
  return static_cast<const char*>(operand.data) + batch * operand.batch_stride * bytes;
}

// Element (outer, kk) of a factor, with outer along m or n. k_fastest: consecutive kk lie side by side in memory.
__device__ double factor_element(const void* data, DataType type, std::int64_t ld, bool k_fastest, std::int64_t outer,
                                 std::int64_t kk) {
  return load_element(data, type, k_fastest ? kk + outer * ld : outer + kk * ld);
}

struct Factor {
  const void* data;
  DataType type;
  std::int64_t ld;
  bool k_fastest;
  std::int64_t outer_begin;
  std::int64_t outer_end;
  std::int64_t k;
  bool magnitude;
};

// s_factor: (kStep, kTile), 0 outside the matrix.
__device__ void load_factor(double (*s_factor)[kTile + 1], const Factor& f, std::int64_t k_begin) {
  for (int i = threadIdx.x; i < kTile * kStep; i += kThreads) {
    const int outer = f.k_fastest ? i / kStep : i % kTile;
    const int kk = f.k_fastest ? i % kStep : i / kTile;
    const bool inside = f.outer_begin + outer < f.outer_end && k_begin + kk < f.k;
    double value = 0.0;
    if (inside) value = factor_element(f.data, f.type, f.ld, f.k_fastest, f.outer_begin + outer, k_begin + kk);
    s_factor[kk][outer] = f.magnitude ? fabs(value) : value;
  }
}

__device__ double activate(Activation activation, double x) {
  if (activation == Activation::kRelu) return x < 0.0 ? 0.0 : x;
  if (activation == Activation::kGelu) {
    return 0.5 * x * (1.0 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
  }
  return x;
}

__device__ void finish(const ReferenceArguments& args, std::int64_t batch, std::int64_t row, std::int64_t column,
                       double alpha, double beta, double sum) {
  const GemmProblem& p = args.problem;
  if (row >= p.m || column >= p.n) return;
  double value = p.k > 0 && alpha != 0.0 ? alpha * sum : 0.0;
  if (beta != 0.0) {
    const double c = load_element(entry(p.c, p.type_cd, batch), p.type_cd, row + column * p.c.ld);
    value += beta * (args.magnitude ? fabs(c) : c);
  }
  if (p.bias != nullptr) {
    const double bias = load_element(p.bias, p.type_cd, row + batch * p.bias_stride);
    value += args.magnitude ? fabs(bias) : bias;
  }
  if (!args.magnitude) value = activate(p.activation, value);
  args.d[row + column * args.ldd + batch * args.ldd * p.n] = value;
}

__global__ void __launch_bounds__(kThreads) reference_kernel(ReferenceArguments args) {
  __shared__ double s_a[kStep][kTile + 1];
  __shared__ double s_b[kStep][kTile + 1];
  const GemmProblem& p = args.problem;
  double alpha = read_scalar(p.alpha);
  double beta = read_scalar(p.beta);
  if (args.magnitude) {
    alpha = fabs(alpha);
    beta = fabs(beta);
  }
  const std::int64_t k = alpha == 0.0 ? 0 : p.k;
  const int tx = threadIdx.x % 16;
  const int ty = threadIdx.x / 16;
  const std::int64_t tiles_n = (p.n + kTile - 1) / kTile;
  for (std::int64_t tile = blockIdx.x; tile < args.tiles; tile += gridDim.x) {
    const std::int64_t batch = tile / (args.tiles_m * tiles_n);
    const std::int64_t row = tile % args.tiles_m * kTile;
    const std::int64_t column = tile / args.tiles_m % tiles_n * kTile;
    double sum[2][2] = {};
    if (k > 0) {
      const Factor a{entry(p.a, p.type_ab, batch), p.type_ab, p.a.ld, p.op_a == Op::kT, row, p.m, k, args.magnitude};
      const Factor b{entry(p.b, p.type_ab, batch), p.type_ab, p.b.ld, p.op_b == Op::kN, column, p.n, k,
                     args.magnitude};
      for (std::int64_t k_begin = 0; k_begin < k; k_begin += kStep) {
        load_factor(s_a, a, k_begin);
        load_factor(s_b, b, k_begin);
        __syncthreads();
        for (int kk = 0; kk < kStep; ++kk) {
          for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 2; ++j) sum[i][j] = fma(s_a[kk][tx + 16 * i], s_b[kk][ty + 16 * j], sum[i][j]);
          }
        }
        __syncthreads();
      }
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) finish(args, batch, row + tx + 16 * i, column + ty + 16 * j, alpha, beta, sum[i][j]);
    }
  }
}

cudaError_t launch_reference(const GemmProblem& problem, double* d, std::int64_t ldd, bool magnitude,
                             cudaStream_t stream) {
  const std::int64_t tiles_m = (problem.m + kTile - 1) / kTile;
  const std::int64_t tiles = tiles_m * ((problem.n + kTile - 1) / kTile) * problem.batch_count;
  if (tiles <= 0) return cudaSuccess;
  const auto blocks = static_cast<unsigned>(std::min(tiles, kMaxBlocks));
  reference_kernel<<<blocks, kThreads, 0, stream>>>({problem, d, ldd, tiles_m, tiles, magnitude});
  return cudaGetLastError();
}

struct ChainArguments {
  GemmProblem problem;
  float* d;
  std::int64_t ldd;
};

__global__ void __launch_bounds__(kThreads) fma_chain_kernel(ChainArguments args) {
  const GemmProblem& p = args.problem;
  const auto alpha = static_cast<float>(read_scalar(p.alpha));
  const auto beta = static_cast<float>(read_scalar(p.beta));
  const std::int64_t count = p.m * p.n * p.batch_count;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += step) {
    const std::int64_t row = i % p.m;
    const std::int64_t column = i / p.m % p.n;
    const std::int64_t batch = i / (p.m * p.n);
    const auto* a = static_cast<const float*>(entry(p.a, DataType::kFloat32, batch));
    const auto* b = static_cast<const float*>(entry(p.b, DataType::kFloat32, batch));
    float sum = 0.0f;
    for (std::int64_t kk = 0; kk < p.k; ++kk) {
      const float a_value = a[p.op_a == Op::kT ? kk + row * p.a.ld : row + kk * p.a.ld];
      const float b_value = b[p.op_b == Op::kN ? kk + column * p.b.ld : column + kk * p.b.ld];
      sum = __fmaf_rn(a_value, b_value, sum);
    }
    float value = __fmul_rn(alpha, sum);
    if (beta != 0.0f) {
      const auto* c = static_cast<const float*>(entry(p.c, DataType::kFloat32, batch));
      value = __fmaf_rn(beta, c[row + column * p.c.ld], value);
    }
    args.d[row + column * args.ldd + batch * args.ldd * p.n] = value;
  }
}

}  // namespace

cudaError_t reference_gemm(const GemmProblem& problem, double* d, std::int64_t ldd, cudaStream_t stream) {
  return launch_reference(problem, d, ldd, false, stream);
}

cudaError_t reference_magnitude(const GemmProblem& problem, double* d, std::int64_t ldd, cudaStream_t stream) {
  return launch_reference(problem, d, ldd, true, stream);
}

cudaError_t fma_chain_gemm(const GemmProblem& problem, float* d, std::int64_t ldd, cudaStream_t stream) {
  const std::int64_t count = problem.m * problem.n * problem.batch_count;
  if (count <= 0) return cudaSuccess;
  const auto blocks = static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMaxBlocks));
  fma_chain_kernel<<<blocks, kThreads, 0, stream>>>({problem, d, ldd});
  return cudaGetLastError();
}

}  // namespace fastgemm::cli
