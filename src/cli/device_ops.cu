// Fills, comparisons and the other device work shared by check, bench and the GPU tests. Plain code, tuned for nothing.
#include "src/cli/device_ops.h"

#include <algorithm>
#include <cmath>

#include "src/cli/counter_random.cuh"

namespace fastgemm::cli {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 132 * 64;  // grid-stride loops beyond

int block_count(std::int64_t work) {
  return static_cast<int>(std::clamp<std::int64_t>((work + kThreads - 1) / kThreads, 1, kMaxBlocks));
}

__device__ std::int64_t first_index() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

enum class Distribution { kIntegers, kNormal, kUniform, kWide };

struct FillArguments {
  void* data;
  DataType type;
  std::int64_t count;
  std::uint64_t seed;
  Distribution distribution;
  double parameter;  // range of the integers, spread of the wide values
};

__device__ double draw(const FillArguments& fill, std::int64_t i) {
  switch (fill.distribution) {
    case Distribution::kIntegers:
      return random_integer(fill.seed, i, static_cast<int>(fill.parameter));
    case Distribution::kNormal:
      return random_normal(fill.seed, i);
    case Distribution::kUniform:
      return random_uniform(fill.seed, i);
    case Distribution::kWide:
      return (random_uniform(~fill.seed, i) - 0.5) * exp(fill.parameter * random_normal(fill.seed, i));
  }
  return 0.0;
}

__global__ void fill_kernel(FillArguments fill) {
  for (std::int64_t i = first_index(); i < fill.count; i += index_step()) {
    store_bits(fill.data, fill.type, i, rounded_bits(fill.type, draw(fill, i)));
  }
}

cudaError_t fill(const FillArguments& arguments, cudaStream_t stream) {
  if (arguments.count <= 0) return cudaSuccess;
  fill_kernel<<<block_count(arguments.count), kThreads, 0, stream>>>(arguments);
  return cudaGetLastError();
}

// ---- comparison ----

struct CompareArguments {
  const void* x;
  std::int64_t ldx;
  const void* y;             // of the same type as x, or null:
  const double* reference;   // an FP64 reference instead
  const double* magnitude;   // with reference: divides the error; or null
  std::int64_t ldy;          // of y, reference and magnitude
  DataType type;
  std::int64_t m;
  std::int64_t n;
};

// What the blocks of a comparison add up. All zero at the start.
struct Tally {
  unsigned long long differing;
  unsigned long long non_finite;
  unsigned long long max_absolute;  // bits of a non-negative double: they order like integers
  unsigned long long last_first;    // complement of the first differing index, so that 0 means none
  double sum_of_squares;
};

struct ElementError {
  bool differs = false;
  bool non_finite = false;  // in exactly one of the two
  double error = 0.0;
};

__device__ ElementError element_error(const CompareArguments& args, std::int64_t row, std::int64_t column) {
  const std::int64_t at_y = row + column * args.ldy;
  const std::uint32_t x_bits = load_bits(args.x, args.type, row + column * args.ldx);
  const double x = value_of_bits(args.type, x_bits);
  const double y = args.reference != nullptr ? args.reference[at_y] : load_element(args.y, args.type, at_y);
  ElementError result;
  const std::uint32_t y_bits =
      args.reference != nullptr ? rounded_bits(args.type, y) : load_bits(args.y, args.type, at_y);
  result.differs = x_bits != y_bits;
  const bool y_finite = isfinite(value_of_bits(args.type, y_bits));
  result.non_finite = isfinite(x) != y_finite;
  if (!isfinite(x) || !y_finite) return result;
  result.error = fabs(x - y);
  if (args.magnitude != nullptr && result.error > 0.0) result.error /= args.magnitude[at_y];
  return result;
}

__global__ void compare_kernel(CompareArguments args, Tally* tally) {
  unsigned long long differing = 0;
  unsigned long long non_finite = 0;
  unsigned long long last_first = 0;
  double largest = 0.0;
  double squares = 0.0;
  const std::int64_t count = args.m * args.n;
  for (std::int64_t i = first_index(); i < count; i += index_step()) {
    const ElementError e = element_error(args, i % args.m, i / args.m);
    differing += e.differs;
    non_finite += e.non_finite;
    if (e.differs) last_first = max(last_first, ~static_cast<unsigned long long>(i));
    largest = fmax(largest, e.error);
    squares += e.error * e.error;
  }
  if (differing != 0) atomicAdd(&tally->differing, differing);
  if (non_finite != 0) atomicAdd(&tally->non_finite, non_finite);
  if (last_first != 0) atomicMax(&tally->last_first, last_first);
  if (largest > 0.0) {
    atomicMax(&tally->max_absolute, static_cast<unsigned long long>(__double_as_longlong(largest)));
    atomicAdd(&tally->sum_of_squares, squares);
  }
}

__global__ void hash_kernel(CompareArguments args, unsigned long long* hash) {
  std::uint64_t sum = 0;
  const std::int64_t count = args.m * args.n;
  for (std::int64_t i = first_index(); i < count; i += index_step()) {
    const std::uint32_t bits = load_bits(args.x, args.type, i % args.m + i / args.m * args.ldx);
    sum += counter_hash(bits + 1, i);  // a sum, so that the order of the threads does not matter
  }
  atomicAdd(hash, static_cast<unsigned long long>(sum));
}

// Runs `kernel` over a zeroed result in device memory and reads that back.
template <class Kernel, class Result>
cudaError_t run_reduction(Kernel kernel, const CompareArguments& args, Result* result, cudaStream_t stream) {
  Result* device_result = nullptr;
  cudaError_t status = cudaMallocAsync(reinterpret_cast<void**>(&device_result), sizeof(Result), stream);
  if (status != cudaSuccess) return status;
  status = cudaMemsetAsync(device_result, 0, sizeof(Result), stream);
  if (status == cudaSuccess) {
    kernel<<<block_count(args.m * args.n), kThreads, 0, stream>>>(args, device_result);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(result, device_result, sizeof(Result), cudaMemcpyDeviceToHost, stream);
  }
  const cudaError_t freed = cudaFreeAsync(device_result, stream);
  const cudaError_t done = cudaStreamSynchronize(stream);
  if (status != cudaSuccess) return status;
  return done != cudaSuccess ? done : freed;
}

cudaError_t run_compare(const CompareArguments& args, Difference* difference, cudaStream_t stream) {
  *difference = Difference{};
  if (args.m <= 0 || args.n <= 0) return cudaSuccess;
  Tally tally{};
  const cudaError_t status = run_reduction(compare_kernel, args, &tally, stream);
  if (status != cudaSuccess) return status;
  difference->differing = static_cast<std::int64_t>(tally.differing);
  difference->non_finite = static_cast<std::int64_t>(tally.non_finite);
  difference->max_absolute = __builtin_bit_cast(double, tally.max_absolute);
  difference->rms = std::sqrt(tally.sum_of_squares / (static_cast<double>(args.m) * static_cast<double>(args.n)));
  if (tally.last_first != 0) {
    const auto first = static_cast<std::int64_t>(~tally.last_first);
    difference->first_row = first % args.m;
    difference->first_column = first / args.m;
  }
  return cudaSuccess;
}

// Dynamic shared memory in the launch leaves room for no second block on the SM.
__global__ void empty_kernel() {}

__global__ void occupy_kernel(const volatile int* flag) {
  if (threadIdx.x == 0) {
    while (*flag == 0) __nanosleep(1000);
  }
}

}  // namespace

cudaError_t fill_integers(void* data, DataType type, std::int64_t count, int range, std::uint64_t seed,
                          cudaStream_t stream) {
  return fill({data, type, count, seed, Distribution::kIntegers, static_cast<double>(range)}, stream);
}

cudaError_t fill_normal(void* data, DataType type, std::int64_t count, std::uint64_t seed, cudaStream_t stream) {
  return fill({data, type, count, seed, Distribution::kNormal, 0.0}, stream);
}

cudaError_t fill_uniform(void* data, DataType type, std::int64_t count, std::uint64_t seed, cudaStream_t stream) {
  return fill({data, type, count, seed, Distribution::kUniform, 0.0}, stream);
}

cudaError_t fill_wide(void* data, DataType type, std::int64_t count, double spread, std::uint64_t seed,
                      cudaStream_t stream) {
  return fill({data, type, count, seed, Distribution::kWide, spread}, stream);
}

cudaError_t compare(const void* x, std::int64_t ldx, const void* y, std::int64_t ldy, DataType type, std::int64_t m,
                    std::int64_t n, Difference* difference, cudaStream_t stream) {
  return run_compare({x, ldx, y, nullptr, nullptr, ldy, type, m, n}, difference, stream);
}

cudaError_t compare_with_reference(const void* x, std::int64_t ldx, DataType type, const double* reference,
                                   const double* magnitude, std::int64_t ld_reference, std::int64_t m, std::int64_t n,
                                   Difference* difference, cudaStream_t stream) {
  return run_compare({x, ldx, nullptr, reference, magnitude, ld_reference, type, m, n}, difference, stream);
}

cudaError_t hash_matrix(const void* x, std::int64_t ldx, DataType type, std::int64_t m, std::int64_t n,
                        std::uint64_t* hash, cudaStream_t stream) {
  unsigned long long sum = 0;
  const CompareArguments args{x, ldx, nullptr, nullptr, nullptr, 0, type, m, n};
  const cudaError_t status = run_reduction(hash_kernel, args, &sum, stream);
  *hash = sum;
  return status;
}

cudaError_t flush_l2(void* scratch, std::int64_t bytes, cudaStream_t stream) {
  return cudaMemsetAsync(scratch, 0, static_cast<std::size_t>(bytes), stream);
}

cudaError_t launch_empty_kernel(cudaStream_t stream) {
  empty_kernel<<<1, 128, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t occupy_sms(const volatile int* flag, int blocks, cudaStream_t stream) {
  int device = 0;
  int shared_bytes = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  if (status == cudaSuccess) {
    status = cudaFuncSetAttribute(occupy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  }
  if (status != cudaSuccess) return status;
  occupy_kernel<<<blocks, 1024, static_cast<std::size_t>(shared_bytes), stream>>>(flag);
  return cudaGetLastError();
}

}  // namespace fastgemm::cli
