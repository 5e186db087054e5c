// How wgmma finds an operand in shared memory: the 64-bit matrix descriptor. PTX ISA, "Matrix descriptor" and
// "Strides". Plain arithmetic; the layouts below are what bulk tensor copies with the 128-byte swizzle leave of FP16 or
// BF16.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace fastgemm {

// Which of an operand's axes is contiguous in shared memory. For B, "mn" is n.
enum class Major { kK = 0, kMn = 1 };  // as in the instruction's transpose immediates

enum class WgmmaSwizzle : std::uint32_t { kNone = 0, k128Bytes = 1, k64Bytes = 2, k32Bytes = 3 };

// `address` in the shared window, a multiple of 16; the byte offsets too. What "leading" and "stride" mean depends on
// the layout: see below.
__host__ __device__ constexpr std::uint64_t wgmma_descriptor(std::uint32_t address, int leading_bytes, int stride_bytes,
                                                             WgmmaSwizzle swizzle) {
  return std::uint64_t{(address & 0x3ffffu) >> 4} | static_cast<std::uint64_t>(leading_bytes >> 4) << 16 |
         static_cast<std::uint64_t>(stride_bytes >> 4) << 32 | static_cast<std::uint64_t>(swizzle) << 62;
}

// A tile of an operand, 64 deep in k, whose pieces start at multiples of 1024 bytes.
//   K-major:  (mn, 64) rows of 128 bytes; groups of 8 rows are 1024 bytes apart (stride). Leading is not used.
//   MN-major: blocks of (64 k, 64 mn), rows of 128 bytes; groups of 8 k are 1024 bytes apart (stride), blocks of 64 mn
//             8192 (leading).
inline constexpr int kWgmmaTileDepth = 64;
inline constexpr int kWgmmaBlockBytes = 8192;
inline constexpr int kWgmmaGroupBytes = 1024;

template <Major kMajor>
__host__ __device__ constexpr std::uint64_t swizzled_tile_descriptor(std::uint32_t address) {
  return wgmma_descriptor(address, kMajor == Major::kK ? 16 : kWgmmaBlockBytes, kWgmmaGroupBytes,
                          WgmmaSwizzle::k128Bytes);
}

// The descriptor of the same layout `bytes` further on, a multiple of 16.
__host__ __device__ constexpr std::uint64_t moved_descriptor(std::uint64_t descriptor, int bytes) {
  return descriptor + static_cast<std::uint64_t>(bytes >> 4);
}

// Bytes from the tile's beginning to k step `step` of 16: what to add to the address.
template <Major kMajor>
__host__ __device__ constexpr int wgmma_step_bytes(int step) {
  return step * (kMajor == Major::kK ? 32 : 2 * kWgmmaGroupBytes);
}

// Bytes from the tile's beginning to row `row` of the operand, a multiple of 64.
__host__ __device__ constexpr int wgmma_row_bytes(int row) { return row / 64 * kWgmmaBlockBytes; }

// Where accumulator `index` of a thread of the warpgroup lies in the 64 x N product.
__host__ __device__ constexpr int wgmma_row(int thread, int index) {
  return thread / 32 * 16 + thread % 32 / 4 + index / 2 % 2 * 8;
}
__host__ __device__ constexpr int wgmma_column(int thread, int index) {
  return index / 4 * 8 + thread % 4 * 2 + index % 2;
}

}  // namespace fastgemm
