// This thread's share of copying one operand's slice to shared memory, k tile after k tile.
#pragma once

#include <cstdint>

#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/tile/slice_copy_map.cuh"

namespace fastgemm::ffma {

// Where a slice lies: the operand's columns as stored are `ld` apart; the slice begins at `along` (m or n) of `extent`.
struct SliceOrigin {
  const float* g_operand = nullptr;
  std::int64_t ld = 0;
  std::int64_t along = 0;
  std::int64_t extent = 0;
};

template <class Map, SliceCopy kKind, int kTileK, int kPitch>
class OperandSlice {
 public:
  static constexpr bool kTransposed = kKind == SliceCopy::kTransposed4;
  static constexpr int kElements = Map::kElements;

  // `s_slice`: the slice's first byte in stage 0. `thread`: number in the group of threads that copies the slice.
  FG_DEVICE OperandSlice(const SliceOrigin& origin, ptx::SharedAddress s_slice, int thread) : ld_(origin.ld) {
    const SlicePosition first = Map::first(thread);
    const std::int64_t along = origin.along + first.along;
    g_next_ = origin.g_operand + (kTransposed ? along * ld_ + first.k : along + first.k * ld_);
    const std::int64_t room = origin.extent - along;
    room_ = room > kFar ? kFar : static_cast<int>(room < 0 ? 0 : room);
    first_k_ = first.k;
    s_first_ = s_slice + first.k * kPitch + first.along * 4;
  }

  // Starts the copies of the next k tile to the stage `stage_offset` bytes into shared memory. Checked: `depth` of the
  // tile's k exist, and elements beyond the extent become zero; k beyond the depth is left as it is.
  template <bool kChecked>
  FG_DEVICE void copy_async(ptx::SharedAddress stage_offset, int depth) {
    for_each_copy([&](int, const float* g_source, SlicePosition offset) {
      const ptx::SharedAddress s_target = s_first_ + stage_offset + offset.k * kPitch + offset.along * 4;
      if (kChecked && first_k_ + offset.k >= depth) return;
      const int valid = kChecked ? valid_elements(offset) * 4 : kElements * 4;
      if constexpr (kElements == 4) {
        ptx::cp_async_16(s_target, g_source, valid);
      } else {
        ptx::cp_async_4(s_target, g_source, valid);
      }
    });
    advance();
  }

  // The same through registers, for chips without cp.async: load, and later store.
  template <bool kChecked>
  FG_DEVICE void load(float (&r_staged)[Map::kPasses * kElements], int depth) {
    for_each_copy([&](int pass, const float* g_source, SlicePosition offset) {
      float* r_copy = r_staged + pass * kElements;
      const int valid = !kChecked ? kElements : first_k_ + offset.k < depth ? valid_elements(offset) : 0;
      if (kElements == 4 && valid == 4) {
        const float4 value = ptx::ld_global_f32x4(g_source);
        r_copy[0] = value.x, r_copy[1] = value.y, r_copy[2] = value.z, r_copy[3] = value.w;
        return;
      }
#pragma unroll
      for (int i = 0; i < kElements; ++i) r_copy[i] = i < valid ? ptx::ld_global_f32(g_source + i) : 0.0f;
    });
    advance();
  }

  FG_DEVICE void store(const float (&r_staged)[Map::kPasses * kElements], ptx::SharedAddress stage_offset) const {
#pragma unroll
    for (int pass = 0; pass < Map::kPasses; ++pass) {
      const SlicePosition offset = Map::offset(pass);
      const ptx::SharedAddress s_target = s_first_ + stage_offset + offset.k * kPitch + offset.along * 4;
      const float* r_copy = r_staged + pass * kElements;
      if constexpr (kElements == 4) {
        ptx::st_shared_f32x4(s_target, float4{r_copy[0], r_copy[1], r_copy[2], r_copy[3]});
      } else {
        ptx::st_shared_f32(s_target, r_copy[0]);
      }
    }
  }

 private:
  static constexpr int kFar = 1 << 20;  // more than any tile

  // Calls copy(pass, source, offset) for each pass. Sources are reached by adding one stride after another: products
  // with ld, which may pass 2^31, would each take registers of their own.
  template <class Copy>
  FG_DEVICE void for_each_copy(Copy copy) const {
    const float* g_run = g_next_;
#pragma unroll
    for (int run = 0; run < Map::kPasses; run += Map::kPassesPerRun) {
      const float* g_source = g_run;
#pragma unroll
      for (int pass = run; pass < run + Map::kPassesPerRun; ++pass) {
        copy(pass, g_source, Map::offset(pass));
        g_source += kTransposed ? Map::kAlongStep * ld_ : Map::kAlongStep;
      }
      g_run += kTransposed ? Map::kRunDepth : Map::kRunDepth * ld_;
    }
  }

  FG_DEVICE void advance() { g_next_ += kTransposed ? kTileK : kTileK * ld_; }

  // Elements of a copy that lie inside the operand.
  FG_DEVICE int valid_elements(SlicePosition offset) const {
    const int room = room_ - offset.along;
    return room >= kElements ? kElements : room > 0 ? room : 0;
  }

  const float* g_next_;  // source of the first copy of the next k tile
  std::int64_t ld_;
  int room_;     // elements from this thread's first one to the operand's edge along m or n, at most kFar
  int first_k_;
  ptx::SharedAddress s_first_;
};

}  // namespace fastgemm::ffma
