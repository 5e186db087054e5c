#include "src/cli/verify_device.h"

#include <algorithm>

#include "src/cli/counter_random.cuh"

namespace fastgemm::cli {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 132 * 32;  // a matrix; grid-stride loops beyond

// Where element i of a stretch stands. batch < 0: in no matrix.
struct Place {
  std::int64_t batch = -1;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

__device__ Place place_of(const MatrixImage& image, std::int64_t i) {
  Place place;
  std::int64_t rest = i - image.start;
  if (rest < 0) return place;
  const std::int64_t batch = image.batch_count > 1 ? min(rest / image.batch_stride, image.batch_count - 1) : 0;
  rest -= batch * image.batch_stride;
  place.column = rest / image.ld;
  place.row = rest - place.column * image.ld;
  if (place.column < image.columns && place.row < image.rows) place.batch = batch;
  return place;
}

__device__ std::uint32_t nan_bits(DataType type, std::uint64_t hash) {
  const auto payload = static_cast<std::uint32_t>(hash);
  return type == DataType::kFloat32 ? 0x7fc00000u | (payload & 0x3fffffu) : 0x7e00u | (payload & 0x1ffu);
}

// What prepare_case writes to element i.
__device__ std::uint32_t initial_bits(const MatrixImage& image, std::int64_t i, const Place& place) {
  const std::uint64_t hash = counter_hash(image.seed, i);
  if (place.batch < 0 || image.content == Content::kNan) return nan_bits(image.type, hash);
  if (image.content == Content::kInfinity) {
    const std::uint32_t sign = static_cast<std::uint32_t>(hash & 1);
    return image.type == DataType::kFloat32 ? 0x7f800000u | sign << 31 : 0x7c00u | sign << 15;
  }
  return rounded_bits(image.type, random_integer(image.seed, i, image.range));
}

__device__ std::int64_t first_index() { return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; }
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * kThreads; }

__device__ void write_pointers(const CaseImage& image) {
  constexpr int kRoles[3] = {kMatrixA, kMatrixB, kMatrixD};
  for (int which = 0; which < 3; ++which) {
    if (image.pointers[which] == nullptr) continue;
    const MatrixImage& matrix = image.matrices[kRoles[which]];
    const std::int64_t bytes = matrix.type == DataType::kFloat32 ? 4 : 2;
    for (std::int64_t b = first_index(); b < matrix.batch_count; b += index_step()) {
      const std::int64_t at = matrix.start + (matrix.batch_count - 1 - b) * matrix.batch_stride;
      image.pointers[which][b] = static_cast<char*>(matrix.base) + at * bytes;
    }
  }
}

__global__ void prepare_kernel(CaseImage image) {
  const MatrixImage& matrix = image.matrices[blockIdx.y];
  for (std::int64_t i = first_index(); i < matrix.total; i += index_step()) {
    store_bits(matrix.base, matrix.type, i, initial_bits(matrix, i, place_of(matrix, i)));
  }
  if (blockIdx.y != 0) return;
  write_pointers(image);
  if (image.scalar_memory != nullptr && first_index() < 2) {
    char* at = static_cast<char*>(image.scalar_memory) + 4 * first_index();
    store_bits(at, image.scalar_type, 0, rounded_bits(image.scalar_type, image.scalars[first_index()]));
  }
}

__device__ bool same_value(DataType type, std::uint32_t bits, double expected, double tolerance) {
  const double value = value_of_bits(type, bits);
  const std::uint32_t expected_bits = rounded_bits(type, expected);
  if (bits == expected_bits || (value == 0.0 && value_of_bits(type, expected_bits) == 0.0)) return true;
  return tolerance > 0.0 && fabs(value - expected) <= tolerance * (1.0 + fabs(expected));
}

__global__ void check_kernel(CaseImage image, const double* expected, double tolerance, CaseVerdict* verdict) {
  const int role = static_cast<int>(blockIdx.y);
  const MatrixImage& matrix = image.matrices[role];
  unsigned long long wrong = 0;
  unsigned long long last_first = 0;
  for (std::int64_t i = first_index(); i < matrix.total; i += index_step()) {
    const Place place = place_of(matrix, i);
    const std::uint32_t bits = load_bits(matrix.base, matrix.type, i);
    bool right = false;
    if (role == kMatrixD && place.batch >= 0) {
      const bool reversed = image.pointers[2] != nullptr;
      const std::int64_t entry = reversed ? matrix.batch_count - 1 - place.batch : place.batch;
      const std::int64_t at = place.row + (place.column + entry * matrix.columns) * matrix.rows;
      right = same_value(matrix.type, bits, expected[at], tolerance);
      if (!right && atomicCAS(&verdict->sample, 0ull, static_cast<unsigned long long>(i) + 1) == 0) {
        verdict->got = value_of_bits(matrix.type, bits);
        verdict->wanted = expected[at];
      }
    } else {
      right = bits == initial_bits(matrix, i, place);
    }
    if (right) continue;
    ++wrong;
    last_first = max(last_first, ~static_cast<unsigned long long>(i));
  }
  if (wrong == 0) return;
  atomicAdd(&verdict->wrong[role], wrong);
  atomicMax(&verdict->last_first[role], last_first);
}

dim3 grid_of(const CaseImage& image) {
  std::int64_t largest = 1;
  for (const MatrixImage& matrix : image.matrices) largest = std::max(largest, matrix.total);
  const std::int64_t blocks = std::min((largest + kThreads - 1) / kThreads, kMaxBlocks);
  return {static_cast<unsigned>(blocks), kMatrixCount, 1};
}

}  // namespace

cudaError_t prepare_case(const CaseImage& image, cudaStream_t stream) {
  prepare_kernel<<<grid_of(image), kThreads, 0, stream>>>(image);
  return cudaGetLastError();
}

cudaError_t check_case(const CaseImage& image, const double* expected, double tolerance, CaseVerdict* verdict,
                       cudaStream_t stream) {
  check_kernel<<<grid_of(image), kThreads, 0, stream>>>(image, expected, tolerance, verdict);
  return cudaGetLastError();
}

}  // namespace fastgemm::cli
