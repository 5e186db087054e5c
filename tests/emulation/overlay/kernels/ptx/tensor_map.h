// Host version of kernels/ptx/tensor_map.h: the same shapes are refused as by the driver.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "tests/emulation/engine/tensor_map.h"
#include "tests/emulation/engine/violation.h"

namespace fastgemm::ptx {

enum class TensorSwizzle { kNone, k32Bytes, k64Bytes, k128Bytes };

struct TensorMapShape {
  const void* base = nullptr;
  int element_bytes = 0;
  std::int64_t inner = 0;
  std::int64_t outer = 0;
  std::int64_t ld = 0;
  int box_inner = 0;
  int box_outer = 0;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  std::int64_t entries = 0;
  std::int64_t entry_stride = 0;
};

using TensorMapEncoder = cudaError_t (*)(CUtensorMap*, const TensorMapShape&);

inline cudaError_t encode_tensor_map(CUtensorMap* map, const TensorMapShape& shape) {
  constexpr int kSwizzleBytes[] = {0, 32, 64, 128};
  constexpr std::int64_t kMaxExtent = std::int64_t{1} << 32;
  constexpr std::int64_t kMaxPitch = std::int64_t{1} << 40;
  const int swizzle = kSwizzleBytes[static_cast<int>(shape.swizzle)];
  const std::int64_t pitch = shape.ld * shape.element_bytes;
  const int row_bytes = shape.box_inner * shape.element_bytes;
  const std::int64_t entry_pitch = (shape.entries > 1 ? shape.entry_stride : shape.ld) * shape.element_bytes;
  const bool aligned = reinterpret_cast<std::uintptr_t>(map) % 64 == 0 &&
                       reinterpret_cast<std::uintptr_t>(shape.base) % 16 == 0 && pitch % 16 == 0 &&
                       (shape.entries == 0 || entry_pitch % 16 == 0);
  const bool array = shape.inner >= 1 && shape.inner <= kMaxExtent && shape.outer >= 1 && shape.outer <= kMaxExtent &&
                     pitch >= 0 && pitch < kMaxPitch && shape.entries >= 0 && shape.entries <= kMaxExtent &&
                     entry_pitch >= 0 && entry_pitch < kMaxPitch;
  const bool box = shape.box_inner >= 1 && shape.box_inner <= 256 && shape.box_outer >= 1 && shape.box_outer <= 256 &&
                   row_bytes % 16 == 0 && (swizzle == 0 || row_bytes <= swizzle);
  if (!aligned || !array || !box || (shape.element_bytes != 2 && shape.element_bytes != 4)) {
    return cudaErrorInvalidValue;
  }
  if (swizzle != 0 && row_bytes != swizzle) {
    throw emulation::Violation(emulation::Fault::kLaunch, "the emulation knows swizzled rows of their full width only");
  }
  emulation::TensorMapContent content;
  content.base = reinterpret_cast<std::uintptr_t>(shape.base);
  content.inner = shape.inner;
  content.outer = shape.outer;
  content.pitch = pitch;
  content.entries = shape.entries;
  content.entry_pitch = entry_pitch;
  content.element_bytes = shape.element_bytes;
  content.box_inner = shape.box_inner;
  content.box_outer = shape.box_outer;
  content.swizzle_bytes = swizzle;
  emulation::store_content(*map, content);
  return cudaSuccess;
}

inline TensorMapEncoder tensor_map_encoder() { return encode_tensor_map; }

}  // namespace fastgemm::ptx
