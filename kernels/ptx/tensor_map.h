// Host side of bulk tensor copies: descriptors, made through the driver's cuTensorMapEncodeTiled, which is looked up at
// run time so that nothing links libcuda.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>

namespace fastgemm::ptx {

enum class TensorSwizzle { kNone, k32Bytes, k64Bytes, k128Bytes };

// A column-major array in device memory (`inner` contiguous elements, `outer` columns `ld` elements apart) and the box
// that one copy moves. element_bytes is 2 or 4. The base must be 16-aligned, ld * element_bytes a multiple of 16.
struct TensorMapShape {
  const void* base = nullptr;
  int element_bytes = 0;
  std::int64_t inner = 0;
  std::int64_t outer = 0;
  std::int64_t ld = 0;
  int box_inner = 0;  // at most 256, and at most the swizzle's width in bytes where there is one
  int box_outer = 0;  // at most 256
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  std::int64_t entries = 0;       // more than 0: a row of such arrays, for the copies whose names end in 3d
  std::int64_t entry_stride = 0;  // elements from one to the next, a multiple of 16 bytes; of no meaning with one entry
};

using TensorMapEncoder = decltype(&cuTensorMapEncodeTiled);

// Null with an old driver, or while CUDA answers errors: a failed look-up is tried again. Thread-safe.
inline TensorMapEncoder tensor_map_encoder() {
  static std::atomic<TensorMapEncoder> encoder = nullptr;
  if (const TensorMapEncoder known = encoder.load(std::memory_order_relaxed); known != nullptr) return known;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  encoder.store(reinterpret_cast<TensorMapEncoder>(function), std::memory_order_relaxed);
  return encoder;
}

inline cudaError_t encode_tensor_map(CUtensorMap* map, const TensorMapShape& shape) {
  const TensorMapEncoder encoder = tensor_map_encoder();
  if (encoder == nullptr) return cudaErrorNotSupported;
  constexpr CUtensorMapSwizzle kSwizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                              CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  const std::int64_t entry_stride = shape.entries > 1 ? shape.entry_stride : shape.ld;
  const cuuint64_t extents[3] = {static_cast<cuuint64_t>(shape.inner), static_cast<cuuint64_t>(shape.outer),
                                 static_cast<cuuint64_t>(shape.entries)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(shape.ld * shape.element_bytes),
                                 static_cast<cuuint64_t>(entry_stride * shape.element_bytes)};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(shape.box_inner), static_cast<cuuint32_t>(shape.box_outer), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  const CUresult result =
      encoder(map, shape.element_bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
              shape.entries > 0 ? 3 : 2, const_cast<void*>(shape.base), extents, strides, box, steps,
              CU_TENSOR_MAP_INTERLEAVE_NONE, kSwizzles[static_cast<int>(shape.swizzle)],
              CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace fastgemm::ptx
