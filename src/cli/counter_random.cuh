// Random values that are a function of a seed and an index alone, and elements by type. Shared by the device files.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm::cli {

// The output function of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
__device__ inline std::uint64_t counter_hash(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed * 0xd1342543de82ef95ull) ^ (index * 0x9e3779b97f4a7c15ull + 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Uniform in [-range, range].
__device__ inline int random_integer(std::uint64_t seed, std::uint64_t index, int range) {
  const std::uint64_t high = counter_hash(seed, index) >> 32;
  return static_cast<int>((high * (2 * static_cast<std::uint64_t>(range) + 1)) >> 32) - range;
}

// Uniform in (0, 1), 52 bits.
__device__ inline double random_uniform(std::uint64_t seed, std::uint64_t index) {
  return (static_cast<double>(counter_hash(seed, index) >> 12) + 0.5) * 0x1p-52;
}

// N(0, 1), Box-Muller on two hashes.
__device__ inline double random_normal(std::uint64_t seed, std::uint64_t index) {
  const double radius = sqrt(-2.0 * log(random_uniform(seed, 2 * index)));
  return radius * cospi(2.0 * random_uniform(seed, 2 * index + 1));
}

__device__ inline double load_element(const void* data, DataType type, std::int64_t index) {
  if (type == DataType::kFloat32) return static_cast<const float*>(data)[index];
  return __half2float(static_cast<const __half*>(data)[index]);
}

__device__ inline std::uint32_t load_bits(const void* data, DataType type, std::int64_t index) {
  if (type == DataType::kFloat32) return static_cast<const std::uint32_t*>(data)[index];
  return static_cast<const std::uint16_t*>(data)[index];
}

__device__ inline void store_bits(void* data, DataType type, std::int64_t index, std::uint32_t bits) {
  if (type == DataType::kFloat32) {
    static_cast<std::uint32_t*>(data)[index] = bits;
  } else {
    static_cast<std::uint16_t*>(data)[index] = static_cast<std::uint16_t>(bits);
  }
}

// The bits of `value` after one rounding to `type`.
__device__ inline std::uint32_t rounded_bits(DataType type, double value) {
  if (type == DataType::kFloat32) return __float_as_uint(__double2float_rn(value));
  return __half_as_ushort(__double2half(value));
}

__device__ inline double value_of_bits(DataType type, std::uint32_t bits) {
  if (type == DataType::kFloat32) return __uint_as_float(bits);
  return __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
}

}  // namespace fastgemm::cli
