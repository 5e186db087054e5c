// The operands of a GEMV kernel: a thread's block of the long one in registers, a chunk of the short one in shared
// memory. What lies outside a matrix, or outside the block's part of k, is not read and counts as 0.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/gemv/config.h"
#include "kernels/gemv/params.h"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/shared.cuh"

namespace fastgemm::gemv {

template <DataType kType>
struct ElementOf;

template <>
struct ElementOf<DataType::kFloat32> {
  using Bits = float;
  static FG_DEVICE Bits load(const void* from) { return ptx::ld_global_f32(static_cast<const float*>(from)); }
  static FG_DEVICE float to_float(Bits bits) { return bits; }
};

template <>
struct ElementOf<DataType::kFloat16> {
  using Bits = std::uint16_t;
  static FG_DEVICE Bits load(const void* from) { return ptx::ld_global_u16(from); }
  static FG_DEVICE float to_float(Bits bits) { return ptx::f32_from_f16(bits); }
};

// Four elements as they were loaded, by one load or by four.
template <DataType kType, bool kWide>
struct Vector {
  using Element = ElementOf<kType>;
  typename Element::Bits bits[kBlock];

  FG_DEVICE void load(const char* from, int step_bytes) {
#pragma unroll
    for (int i = 0; i < kBlock; ++i) bits[i] = Element::load(from + i * step_bytes);
  }
  FG_DEVICE float get(int i) const { return Element::to_float(bits[i]); }
  FG_DEVICE void set(int i, typename Element::Bits value) { bits[i] = value; }
};

template <>
struct Vector<DataType::kFloat32, true> {
  float bits[kBlock];

  FG_DEVICE void load(const char* from, int) {
    const float4 value = ptx::ld_global_once_f32x4(reinterpret_cast<const float*>(from));
    bits[0] = value.x, bits[1] = value.y, bits[2] = value.z, bits[3] = value.w;
  }
  FG_DEVICE float get(int i) const { return bits[i]; }
  FG_DEVICE void set(int i, float value) { bits[i] = value; }
};

template <>
struct Vector<DataType::kFloat16, true> {
  uint2 pairs;

  FG_DEVICE void load(const char* from, int) { pairs = ptx::ld_global_once_u32x2(from); }
  FG_DEVICE float get(int i) const {
    const std::uint32_t pair = i < 2 ? pairs.x : pairs.y;
    return ptx::f32_from_f16(static_cast<std::uint16_t>(i % 2 == 0 ? pair & 0xffffu : pair >> 16));
  }
  FG_DEVICE void set(int i, std::uint16_t value) {
    std::uint32_t& pair = i < 2 ? pairs.x : pairs.y;
    const int shift = i % 2 * 16;
    pair = (pair & ~(0xffffu << shift)) | static_cast<std::uint32_t>(value) << shift;
  }
};

// A thread's blocks of the long operand, step after step along k. A block is four vectors, ld apart.
template <class Config>
class LongBlocks {
  static constexpr int kSize = static_cast<int>(element_size(Config::kType));
  static constexpr bool kAlongDepth = Config::kAlongDepth;
  // Between the elements of a vector that is loaded one by one.
  static constexpr int kElementStep = (kAlongDepth ? kSlices : kGroups) * kSize;

 public:
  using Block = Vector<Config::kType, Config::kWide>[kBlock];

  // From `first_long` and `first_depth` on; `long_left` and `depth_left` elements exist from there.
  FG_DEVICE LongBlocks(const void* matrix, std::int64_t ld, std::int64_t first_long, std::int64_t first_depth,
                       std::int64_t long_left, const ThreadPlace& place)
      : long_left_(long_left < kTileLong ? static_cast<int>(long_left) : kTileLong),
        ld_bytes_(ld * kSize) {
    const std::int64_t along_long = first_long + long_offset<Config>(place.group, 0);
    const std::int64_t along_depth = first_depth + depth_offset<Config>(place.slice, 0);
    g_next_ = static_cast<const char*>(matrix) + (kAlongDepth ? along_depth : along_long) * kSize +
              (kAlongDepth ? along_long : along_depth) * ld_bytes_;
  }

  // Loads the blocks of the next group of steps, of which `depth_left` of k exist, and goes on to the group after it.
  FG_DEVICE void load(Block (&r_group)[Config::kUnroll], int depth_left) {
    const bool whole = long_left_ == kTileLong && depth_left >= Config::kGroupDepth;
#pragma unroll
    for (int u = 0; u < Config::kUnroll; ++u) {
      if (whole) {
#pragma unroll
        for (int v = 0; v < kBlock; ++v) {
          r_group[u][v].load(g_next_ + v * ld_bytes_, Config::kWide ? 0 : kElementStep);
        }
      } else {
        load_checked(r_group[u], depth_left - u * kStepDepth);
      }
      g_next_ += kAlongDepth ? std::int64_t{kStepDepth} * kSize : kStepDepth * ld_bytes_;
    }
  }

  // Element (long, k) of a block.
  static FG_DEVICE float element(const Block& r_block, int along_long, int along_depth) {
    return kAlongDepth ? r_block[along_long].get(along_depth) : r_block[along_depth].get(along_long);
  }

 private:
  FG_DEVICE void load_checked(Block& r_block, int depth_left) const {
    const ThreadPlace place = thread_place<Config>(ptx::thread_index());  // again, to keep no registers for it
    using Element = ElementOf<Config::kType>;
    constexpr int kStep = Config::kWide ? kSize : kElementStep;
#pragma unroll
    for (int v = 0; v < kBlock; ++v) {
#pragma unroll
      for (int i = 0; i < kBlock; ++i) {
        const int along_long = long_offset<Config>(place.group, kAlongDepth ? v : i);
        const int along_depth = depth_offset<Config>(place.slice, kAlongDepth ? i : v);
        const bool inside = along_long < long_left_ && along_depth < depth_left;
        r_block[v].set(i, inside ? Element::load(g_next_ + v * ld_bytes_ + i * kStep) : typename Element::Bits{});
      }
    }
  }

  int long_left_;
  std::int64_t ld_bytes_;
  const char* g_next_;
};

// The short operand: its elements (k, short), k from the block's part on.
struct ShortOperand {
  const char* g_first = nullptr;
  std::int64_t ld_bytes = 0;
  int extent = 0;
  bool along_depth = false;

  // Of element (depth, column), from the first.
  FG_DEVICE std::int64_t offset(int depth, int column, int size) const {
    return (along_depth ? column : depth) * ld_bytes + (along_depth ? depth : column) * size;
  }
};

// Copies the next chunk of k, of which `depth_left` exist, to shared memory.
template <class Config>
FG_DEVICE void fill_chunk(const ShortOperand& from, int depth_left) {
  constexpr int kGroupDepth = Config::kGroupDepth;
  constexpr int kSize = static_cast<int>(element_size(Config::kType));
  // Steps of a group are multiplied whether k goes on or not.
  int depths = (depth_left + kGroupDepth - 1) / kGroupDepth * kGroupDepth;
  if (from.along_depth && Config::kShort > 1) depths = Config::kChunkDepth;
#pragma unroll(Config::kShort > 4 ? 2 : Config::kShort)  // a round for all, or what registers allow
  for (int index = ptx::thread_index(); index < depths * Config::kShort; index += kThreads) {
    // Neighbouring threads take neighbours in memory.
    const int column = from.along_depth ? index / Config::kChunkDepth : index % Config::kShort;
    const int depth = from.along_depth ? index % Config::kChunkDepth : index / Config::kShort;
    float value = 0.0f;
    if (depth < depth_left && column < from.extent) {
      using Element = ElementOf<Config::kType>;
      value = Element::to_float(Element::load(from.g_first + from.offset(depth, column, kSize)));
    }
    const int step = depth / kStepDepth;
    const SlicePlace place = slice_place<Config>(depth % kStepDepth);
    const int at = ((step * Config::kShort + column) * kSlices + place.slice) * kBlock + place.index;
    ptx::st_shared_f32(ptx::shared_base() + at * 4, value);
  }
}

}  // namespace fastgemm::gemv
