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

template <class Map, SliceCopy kKind, int kPitch>
class OperandSlice {
  static constexpr bool kAlongK = stored_along_k(kKind);
  static constexpr bool kRows = kKind == SliceCopy::kRows16;
  static constexpr int kPitchAlong = kRows ? kPitch : 4;  // bytes in shared memory between neighbours of m or n,
  static constexpr int kPitchK = kRows ? 4 : kPitch;      // and of k
  static constexpr int kElements = Map::kElements;

 public:
  static constexpr int kStagedFloats = Map::kPasses * kElements;

  // `s_slice`: the slice's first byte in stage 0. `thread`: number in the group of threads that copies the slice.
  FG_DEVICE OperandSlice(const SliceOrigin& origin, ptx::SharedAddress s_slice, int thread) {
    const SlicePosition first = Map::first(thread);
    const std::int64_t along = origin.along + first.along;
    const std::int64_t stride_along = kAlongK ? origin.ld : 1;
    const std::int64_t stride_k = kAlongK ? 1 : origin.ld;
    g_next_ = origin.g_operand + along * stride_along + first.k * stride_k;
    step_ = Map::kAlongStep * stride_along;
    run_step_ = Map::kRunDepth * stride_k - (Map::kPassesPerRun - 1) * step_;
    const std::int64_t room = origin.extent - along;
    room_ = room > kFar ? kFar : static_cast<int>(room < 0 ? 0 : room);
    first_k_ = first.k;
    s_first_ = s_slice + first.k * kPitchK + first.along * kPitchAlong;
  }

  // Starts one copy of a k tile, to the stage `stage_offset` bytes into shared memory; a tile takes all passes, in
  // order. Checked: `depth` of the tile's k exist, and elements beyond the extent become zero; k beyond the depth is
  // left as it is.
  template <bool kChecked>
  FG_DEVICE void copy_async(int pass, ptx::SharedAddress stage_offset, int depth) {
    const SlicePosition offset = Map::offset(pass);
    const float* g_source = take_source(pass);
    if (kChecked && first_k_ + offset.k >= depth) return;
    const int valid = kChecked ? valid_elements(offset, depth) * 4 : kElements * 4;
    if constexpr (kElements == 4) {
      ptx::cp_async_16(target(offset, stage_offset), g_source, valid);
    } else {
      ptx::cp_async_4(target(offset, stage_offset), g_source, valid);
    }
  }

  // The same through registers, for chips without cp.async: load a whole tile, and later store it.
  template <bool kChecked>
  FG_DEVICE void load(float (&r_staged)[kStagedFloats], int depth) {
#pragma unroll
    for (int pass = 0; pass < Map::kPasses; ++pass) {
      const SlicePosition offset = Map::offset(pass);
      const float* g_source = take_source(pass);
      const int valid = !kChecked ? kElements : first_k_ + offset.k < depth ? valid_elements(offset, depth) : 0;
      load_copy<kChecked>(r_staged + pass * kElements, g_source, valid);
    }
  }

  FG_DEVICE void store(const float (&r_staged)[kStagedFloats], ptx::SharedAddress stage_offset) const {
#pragma unroll
    for (int pass = 0; pass < Map::kPasses; ++pass) {
      const ptx::SharedAddress s_target = target(Map::offset(pass), stage_offset);
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

  // Source of the copy `pass`. One pointer walks through a tile's passes and on to the next tile: ld may pass 2^31, so
  // offsets from a common base would take two registers each.
  FG_DEVICE const float* take_source(int pass) {
    const float* g_source = g_next_;
    g_next_ += (pass + 1) % Map::kPassesPerRun == 0 ? run_step_ : step_;
    return g_source;
  }

  FG_DEVICE ptx::SharedAddress target(SlicePosition offset, ptx::SharedAddress stage_offset) const {
    return s_first_ + stage_offset + offset.k * kPitchK + offset.along * kPitchAlong;
  }

  // Elements of a copy that lie inside the operand, of which `depth` of the tile's k exist.
  FG_DEVICE int valid_elements(SlicePosition offset, int depth) const {
    if (kRows && room_ <= offset.along) return 0;
    const int room = kRows ? depth - first_k_ : room_ - offset.along;
    return room >= kElements ? kElements : room > 0 ? room : 0;
  }

  template <bool kChecked>
  FG_DEVICE static void load_copy(float* r_copy, const float* g_source, int valid) {
    if constexpr (kElements == 4) {
      if (!kChecked || valid == 4) {
        const float4 value = ptx::ld_global_f32x4(g_source);
        r_copy[0] = value.x, r_copy[1] = value.y, r_copy[2] = value.z, r_copy[3] = value.w;
      } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) r_copy[i] = i < valid ? ptx::ld_global_f32(g_source + i) : 0.0f;
      }
    } else {
      r_copy[0] = valid > 0 ? ptx::ld_global_f32(g_source) : 0.0f;
    }
  }

  const float* g_next_;    // source of the next copy
  std::int64_t step_;      // elements to the next copy of a run,
  std::int64_t run_step_;  // and from a run's last copy to the next run's first
  int room_;               // elements from this thread's first one to the operand's edge along m or n, at most kFar
  int first_k_;
  ptx::SharedAddress s_first_;
};

}  // namespace fastgemm::ffma
