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

// The threads that split: all of a block, or its first ones. Teams of them have barriers of lower numbers.
FG_DEVICE void meet_to_split() {
  constexpr int kBarrier = 9;
  ptx::barrier_sync(kBarrier, kSplitThreads);
}

template <class Value, class Combine>
FG_DEVICE Value reduce_warp(Value value, const Combine& combine) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = combine(value, ptx::shuffle(value, ptx::lane_index() ^ distance));
  }
  return value;
}

struct Larger {
  FG_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return larger(a, b); }
};
struct Sum {
  FG_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};
struct FloatSum {
  FG_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return ptx::bits_from_f32(ptx::add_rn(ptx::f32_from_bits(a), ptx::f32_from_bits(b)));
  }
};
struct Union {
  FG_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a | b; }
};

// A row's scaling, and what of its elements is missed.
struct RowScale {
  float scale = 1.0f;
  float unscale = 1.0f;    // for FP16
  std::uint32_t full = 0;  // least magnitudes that are not missed, as FP16 and as BF16 parts
  std::uint32_t safe = 0;
};

FG_DEVICE RowScale fp16_row_scale(std::uint32_t top) {
  const int exponent = scale_exponent(top);
  return {ptx::f32_from_bits(power_of_two_bits(exponent)), ptx::f32_from_bits(power_of_two_bits(-exponent)),
          full_magnitude(exponent), safe_magnitude(exponent)};
}

// From what undoes the row's scaling for FP16.
FG_DEVICE RowScale bf16_row_scale(float unscale) {
  const int exponent = -exponent_of(ptx::bits_from_f32(unscale)) + kBf16TopExponent - kTopExponent;
  return {.scale = ptx::f32_from_bits(power_of_two_bits(exponent))};
}

// The parts of one number.
template <Method kMethod>
FG_DEVICE void split_number(float x, const RowScale& row, std::uint32_t (&parts)[Parts<kMethod>::kCount]) {
  if constexpr (kMethod == Method::kFp16x3) {
    const float scaled = ptx::mul_rn(x, row.scale);
    const std::uint16_t high = ptx::f16_from_f32(scaled);
    parts[0] = high;
    parts[1] = ptx::f16_from_f32(ptx::add_rn(scaled, -ptx::f32_from_f16(high)));  // exact, but for the conversion
  } else {
    float rest = ptx::mul_rn(x, row.scale);
#pragma unroll
    for (std::uint32_t& part : parts) {
      part = bf16_from_bits(ptx::bits_from_f32(rest)) & 0xffffu;
      rest = ptx::add_rn(rest, -ptx::f32_from_bits(part << 16));
    }
  }
}

// Those of two neighbours, `even` in the lower half of each word.
template <Method kMethod>
FG_DEVICE void split_pair(float even, float odd, const RowScale& row, std::uint32_t (&parts)[Parts<kMethod>::kCount]) {
  if constexpr (kMethod == Method::kFp16x3) {
    even = ptx::mul_rn(even, row.scale);
    odd = ptx::mul_rn(odd, row.scale);
    parts[0] = ptx::f16x2_from_f32(even, odd);
    parts[1] = ptx::f16x2_from_f32(
        ptx::add_rn(even, -ptx::f32_from_f16(static_cast<std::uint16_t>(parts[0]))),  // exact, but for the conversion
        ptx::add_rn(odd, -ptx::f32_from_f16(static_cast<std::uint16_t>(parts[0] >> 16))));
  } else {
    std::uint32_t of_odd[Parts<kMethod>::kCount];
    split_number<kMethod>(even, row, parts);
    split_number<kMethod>(odd, row, of_odd);
#pragma unroll
    for (int part = 0; part < Parts<kMethod>::kCount; ++part) parts[part] |= of_odd[part] << 16;
  }
}

// Of a row, or of some of its elements.
struct Tally {
  float sum = 0.0f;
  std::uint32_t fp16_misses = 0;
  std::uint32_t bf16_misses = 0;
};

FG_DEVICE void count_misses(float x, const RowScale& row, Tally& tally) {
  const std::uint32_t size = magnitude(ptx::bits_from_f32(x));
  tally.fp16_misses += misses(size, row.full) ? 1 : 0;
  tally.bf16_misses += misses(size, row.safe) ? 1 : 0;
}

// Misses are rare: they are counted where the least of all numbers is one.
template <int kCount>
FG_DEVICE void count(const float (&r_x)[kCount], const RowScale& row, Tally& tally) {
  std::uint32_t least = 0xffffffffu;  // less 1, so that 0 is none
#pragma unroll
  for (const float x : r_x) {
    const std::uint32_t size = magnitude(ptx::bits_from_f32(x));
    tally.sum = ptx::add_rn(tally.sum, ptx::f32_from_bits(size));
    least = smaller(least, size - 1);
  }
  if (least >= row.full - 1) return;
#pragma unroll
  for (const float x : r_x) count_misses(x, row, tally);
}

FG_DEVICE Summary judge_row(std::uint32_t top, const Tally& tally, int depth) {
  return judge({top, ptx::f32_from_bits(top), tally.sum, tally.fp16_misses, tally.bf16_misses}, depth);
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

// Elements of a row that a thread holds at once.
inline constexpr int kHeldOfRow = 32;

// How many rows of such a depth a block takes at a time, one a team: as few threads as can hold it.
FG_HOST_DEVICE constexpr int rows_at_a_time(std::int64_t depth) {
  int rows = kSplitWarps;
  while (rows > 1 && depth > std::int64_t{kSplitThreads} / rows * kHeldOfRow) rows /= 2;
  return rows;
}

// Rows whose k is contiguous: kTeam threads a row, neighbours on neighbouring runs of kRun elements: of 4 where rows
// are aligned, else of 1. What a team can hold at once is read once, a longer row twice.
template <Method kMethod, int kTeam, int kRun>
class RowSplit {
  static constexpr int kHeld = kHeldOfRow;
  static_assert(kRun == 1 || kRun == 4, "loads and stores of these lengths");
  static constexpr int kTeams = kSplitThreads / kTeam;
  static constexpr int kTeamWarps = kTeam / 32;

 public:
  static constexpr int kSlab = kTeam * kHeld;

  FG_DEVICE RowSplit(const SplitOperand& operand, int depth, ptx::SharedAddress s_words)
      : operand_(operand), depth_(depth), s_words_(s_words), index_(ptx::thread_index() % kTeam) {}

  FG_DEVICE static int items(const SplitOperand& operand) { return (operand.rows + kTeams - 1) / kTeams; }

  FG_DEVICE void split(int item, Summary& summary) {
    const int row = item * kTeams + ptx::thread_index() / kTeam;
    if (row >= operand_.rows) return;  // a whole team
    const float* g_row = operand_.g_source + row * operand_.row_step;
    const int slabs = (depth_ + kSlab - 1) / kSlab;
    RowScale scale;
    std::uint32_t top = 0;
    if constexpr (kMethod == Method::kFp16x3) {
      for (int slab = 0; slab < slabs; ++slab) {
        load(g_row, slab);
#pragma unroll
        for (const float x : r_x_) top = Larger()(top, magnitude(ptx::bits_from_f32(x)));
      }
      top = team_top(top);
      scale = fp16_row_scale(top);
    } else {
      scale = bf16_row_scale(ptx::ld_global_f32(operand_.g_unscale + row));
    }
    Tally tally;
    for (int slab = 0; slab < slabs; ++slab) {
      if (kMethod != Method::kFp16x3 || slabs > 1) load(g_row, slab);
      store(operand_.g_parts + row * part_pitch<kMethod>(depth_), slab, scale, tally);
    }
    if constexpr (kMethod == Method::kFp16x3) {
      tally = team_tally(tally);
      if (index_ > 0) return;
      summary = join(summary, judge_row(top, tally, depth_));
      ptx::st_global_f32(operand_.g_unscale + row, scale.unscale);
    }
  }

 private:
  // Constant distances from one address, and one comparison with a constant each: registers are for the numbers.
  FG_DEVICE void load(const float* g_row, int slab) {
    const int first_k = slab * kSlab + index_ * kRun;
    const float* g_first = g_row + first_k;
#pragma unroll
    for (int i = 0; i < kHeld; i += kRun) {
      const int left = depth_ - first_k - i * kTeam;
      if constexpr (kRun == 4) {
        if (left >= kRun) {
          const float4 x = ptx::ld_global_once_f32x4(g_first + i * kTeam);
          r_x_[i] = x.x, r_x_[i + 1] = x.y, r_x_[i + 2] = x.z, r_x_[i + 3] = x.w;
          continue;
        }
      }
#pragma unroll
      for (int j = 0; j < kRun; ++j) r_x_[i + j] = j < left ? ptx::ld_global_f32(g_first + i * kTeam + j) : 0.0f;
    }
  }

  FG_DEVICE void store(std::uint16_t* g_parts, int slab, const RowScale& scale, Tally& tally) const {
    static_assert(kTeam * kRun % kBlockK == 0, "a thread's runs have the same place in their blocks");
    constexpr int kCount = Parts<kMethod>::kCount;
    const int first_k = slab * kSlab + index_ * kRun;
    const int padded_depth = (depth_ + kBlockK - 1) / kBlockK * kBlockK;
    std::uint16_t* g_first = g_parts + part_index<kMethod>(first_k, 0);
    if constexpr (kMethod == Method::kFp16x3) count(r_x_, scale, tally);
#pragma unroll
    for (int i = 0; i < kHeld; i += kRun) {
      if (i * kTeam >= padded_depth - first_k) break;
      std::uint16_t* g_run = g_first + i * kTeam * kCount;
      std::uint32_t parts[kCount];
      if constexpr (kRun == 4) {
        std::uint32_t others[kCount];
        split_pair<kMethod>(r_x_[i], r_x_[i + 1], scale, parts);
        split_pair<kMethod>(r_x_[i + 2], r_x_[i + 3], scale, others);
#pragma unroll
        for (int part = 0; part < kCount; ++part) {
          ptx::st_global_u32x2(g_run + part * kBlockK, uint2{parts[part], others[part]});
        }
      } else {
        split_number<kMethod>(r_x_[i], scale, parts);
#pragma unroll
        for (int part = 0; part < kCount; ++part) {
          ptx::st_global_u16(g_run + part * kBlockK, static_cast<std::uint16_t>(parts[part]));
        }
      }
    }
  }

  // The team's warps meet in between: words of tops are not those of tallies, so that each is read before it is
  // written again.
  FG_DEVICE std::uint32_t team_top(std::uint32_t top) const {
    top = reduce_warp(top, Larger());
    if constexpr (kTeam == 32) return top;
    put(0, top);
    meet();
    top = get(0, 0);
#pragma unroll
    for (int warp = 1; warp < kTeamWarps; ++warp) top = larger(top, get(0, warp));
    return top;
  }

  FG_DEVICE Tally team_tally(Tally tally) const {
    tally = {ptx::f32_from_bits(reduce_warp(ptx::bits_from_f32(tally.sum), FloatSum())),
             reduce_warp(tally.fp16_misses, Sum()), reduce_warp(tally.bf16_misses, Sum())};
    if constexpr (kTeam == 32) return tally;
    put(1, ptx::bits_from_f32(tally.sum));
    put(2, tally.fp16_misses);
    put(3, tally.bf16_misses);
    meet();
    tally = {};
#pragma unroll
    for (int warp = 0; warp < kTeamWarps; ++warp) {
      tally.sum = ptx::add_rn(tally.sum, ptx::f32_from_bits(get(1, warp)));
      tally.fp16_misses += get(2, warp);
      tally.bf16_misses += get(3, warp);
    }
    return tally;
  }

  FG_DEVICE void put(int place, std::uint32_t value) const {
    const ptx::SharedAddress s_word = s_words_ + (place * kSplitWarps + ptx::warp_index()) * 4;
    if (ptx::lane_index() == 0) ptx::st_shared_u32(s_word, value);
  }
  FG_DEVICE std::uint32_t get(int place, int warp) const {
    const int first_warp = ptx::warp_index() / kTeamWarps * kTeamWarps;
    return ptx::ld_shared_u32(s_words_ + (place * kSplitWarps + first_warp + warp) * 4);
  }
  FG_DEVICE static void meet() { ptx::barrier_sync(1 + ptx::thread_index() / kTeam, kTeam); }

  const SplitOperand& operand_;
  int depth_;
  ptx::SharedAddress s_words_;
  int index_;  // in the team
  float r_x_[kHeld];
};

}  // namespace fastgemm::sgemm_tensor
