// Rows of an operand, one at a time or several, into parts: what a thread does with the numbers it has loaded, and rows
// whose k is contiguous.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/sgemm_tensor/config.h"
#include "kernels/sgemm_tensor/params.h"

namespace fastgemm::sgemm_tensor {

inline constexpr int kSplitThreads = 256;
inline constexpr int kSplitWarps = kSplitThreads / 32;

template <class Value, class Combine>
FG_DEVICE Value reduce_warp(Value value, const Combine& combine) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = combine(value, ptx::shuffle(value, ptx::lane_index() ^ distance));
  }
  return value;
}

struct Larger {
  FG_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a > b ? a : b; }
};
struct Sum {
  FG_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return add_counts(a, b); }
};

// All warps' values together, in all threads. `s_words`: a word a warp, which nobody else uses until the block meets.
template <class Combine>
FG_DEVICE std::uint32_t reduce_block(std::uint32_t value, ptx::SharedAddress s_words, const Combine& combine) {
  value = reduce_warp(value, combine);
  const int own = ptx::warp_index();
  if (ptx::lane_index() == 0) ptx::st_shared_u32(s_words + own * 4, value);
  ptx::barrier_sync();
  value = ptx::ld_shared_u32(s_words);
#pragma unroll
  for (int warp = 1; warp < kSplitWarps; ++warp) value = combine(value, ptx::ld_shared_u32(s_words + warp * 4));
  return value;
}

// A row's scaling, and what of its elements is missed.
struct RowScale {
  float scale = 1.0f;
  float unscale = 1.0f;
  std::uint32_t full = 0;  // least magnitude that keeps all bits
};

template <Method kMethod>
FG_DEVICE RowScale row_scale(std::uint32_t top) {
  RowScale row;
  if constexpr (kMethod == Method::kFp16x3) {
    const int exponent = scale_exponent(top);
    row.scale = ptx::f32_from_bits(power_of_two_bits(exponent));
    row.unscale = ptx::f32_from_bits(power_of_two_bits(-exponent));
    row.full = full_magnitude(exponent);
  }
  return row;
}

// The parts of one number.
template <Method kMethod>
FG_DEVICE void split_number(float x, const RowScale& row, std::uint32_t (&parts)[Parts<kMethod>::kCount]) {
  if constexpr (kMethod == Method::kFp16x3) {
    const float scaled = ptx::mul_rn(x, row.scale);
    const std::uint16_t high = ptx::f16_from_f32(scaled);
    constexpr float kLow = 1 << kLowScale;
    // Both exact: the difference has fewer bits than x, the factor is a power of two.
    const float rest = ptx::mul_rn(ptx::add_rn(scaled, -ptx::f32_from_f16(high)), kLow);
    parts[0] = high;
    parts[1] = ptx::f16_from_f32(rest);
  } else {
    float rest = x;
#pragma unroll
    for (std::uint32_t& part : parts) {
      part = bf16_from_bits(ptx::bits_from_f32(rest)) & 0xffffu;
      rest = ptx::add_rn(rest, -ptx::f32_from_bits(part << 16));
    }
  }
}

// Counts of a row or of some of its elements.
struct Misses {
  std::uint32_t fp16 = 0;
  std::uint32_t bf16 = 0;
};

FG_DEVICE void count(float x, const RowScale& row, Misses& misses, Summary& summary) {
  const std::uint32_t size = magnitude(ptx::bits_from_f32(x));
  misses.fp16 += sgemm_tensor::misses(size, row.full) ? 1 : 0;
  misses.bf16 += sgemm_tensor::misses(size, power_of_two_bits(kMinSafeExponent)) ? 1 : 0;
  summary.tiny |= sgemm_tensor::misses(size, power_of_two_bits(kMinExponent)) ? 1 : 0;
}

FG_DEVICE void add_row(Summary& summary, const Misses& row, int depth) {
  summary.fp16_misses = add_counts(summary.fp16_misses, row_misses(row.fp16, depth));
  summary.bf16_misses = add_counts(summary.bf16_misses, row_misses(row.bf16, depth));
}

// Elements of a row of parts.
template <Method kMethod>
FG_HOST_DEVICE constexpr std::int64_t part_pitch(int depth) {
  return std::int64_t{(depth + kBlockK - 1) / kBlockK} * kBlockK * Parts<kMethod>::kCount;
}

// Where part `part` of element k lies in its row.
template <Method kMethod>
FG_HOST_DEVICE constexpr std::int64_t part_index(int k, int part) {
  return std::int64_t{k / kBlockK * Parts<kMethod>::kCount + part} * kBlockK + k % kBlockK;
}

// Rows whose k is contiguous: kTeam threads a row, neighbours on neighbouring elements, whatever the alignment. What a
// team can hold at once is read once, a longer row twice.
template <Method kMethod, int kTeam>
class RowSplit {
  static constexpr int kHeld = 32;  // elements a thread
  static constexpr int kSlab = kTeam * kHeld;
  static constexpr int kTeams = kSplitThreads / kTeam;

 public:
  FG_DEVICE RowSplit(const SplitOperand& operand, int depth, ptx::SharedAddress s_words)
      : operand_(operand), depth_(depth), s_words_(s_words), index_(ptx::thread_index() % kTeam) {}

  FG_DEVICE static int items(const SplitOperand& operand) { return (operand.rows + kTeams - 1) / kTeams; }

  FG_DEVICE void split(int item, Summary& summary) {
    const int row = item * kTeams + ptx::thread_index() / kTeam;
    if (row >= operand_.rows) return;  // a whole team
    const float* g_row = operand_.g_source + row * operand_.row_step;
    const int slabs = (depth_ + kSlab - 1) / kSlab;
    std::uint32_t top = 0;
    if constexpr (kMethod == Method::kFp16x3) {
      for (int slab = 0; slab < slabs; ++slab) {
        load(g_row, slab);
#pragma unroll
        for (const float x : r_x_) top = Larger()(top, magnitude(ptx::bits_from_f32(x)));
      }
      top = reduce_team(top, 0, Larger());
      summary.top = Larger()(summary.top, top);
    }
    const RowScale scale = row_scale<kMethod>(top);
    Misses misses;
    for (int slab = 0; slab < slabs; ++slab) {
      if (kMethod != Method::kFp16x3 || slabs > 1) load(g_row, slab);
      store(operand_.g_parts + row * part_pitch<kMethod>(depth_), slab, scale, misses, summary);
    }
    if constexpr (kMethod == Method::kFp16x3) {
      misses = {reduce_team(misses.fp16, 1, Sum()), reduce_team(misses.bf16, 2, Sum())};
      if (index_ == 0) add_row(summary, misses, depth_);
    }
    if (index_ == 0) ptx::st_global_f32(operand_.g_unscale + row, scale.unscale);
  }

 private:
  // Constant distances from one address, and one comparison with a constant each: registers are for the numbers.
  FG_DEVICE void load(const float* g_row, int slab) {
    const int first_k = slab * kSlab + index_;
    const float* g_first = g_row + first_k;
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      r_x_[i] = i * kTeam < depth_ - first_k ? ptx::ld_global_f32(g_first + i * kTeam) : 0.0f;
    }
  }

  FG_DEVICE void store(std::uint16_t* g_parts, int slab, const RowScale& scale, Misses& misses,
                       Summary& summary) const {
    static_assert(kTeam % kBlockK == 0, "a thread's elements have the same place in their blocks");
    constexpr int kCount = Parts<kMethod>::kCount;
    const int first_k = slab * kSlab + index_;
    const int padded_depth = (depth_ + kBlockK - 1) / kBlockK * kBlockK;
    std::uint16_t* g_first = g_parts + part_index<kMethod>(first_k, 0);
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      if (i * kTeam >= padded_depth - first_k) break;
      if constexpr (kMethod == Method::kFp16x3) count(r_x_[i], scale, misses, summary);
      std::uint32_t parts[kCount];
      split_number<kMethod>(r_x_[i], scale, parts);
#pragma unroll
      for (int part = 0; part < kCount; ++part) {
        ptx::st_global_u16(g_first + i * kTeam * kCount + part * kBlockK, static_cast<std::uint16_t>(parts[part]));
      }
    }
  }

  // `place`: which words, so that a reduction need not wait until the one before has been read.
  template <class Combine>
  FG_DEVICE std::uint32_t reduce_team(std::uint32_t value, int place, const Combine& combine) const {
    if constexpr (kTeam == 32) {
      return reduce_warp(value, combine);
    } else {
      return reduce_block(value, s_words_ + place * (kSplitWarps * 4), combine);
    }
  }

  const SplitOperand& operand_;
  int depth_;
  ptx::SharedAddress s_words_;
  int index_;  // in the team
  float r_x_[kHeld];
};

}  // namespace fastgemm::sgemm_tensor
