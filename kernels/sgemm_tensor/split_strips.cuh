// Strips of an operand whose rows, not whose k, are contiguous: read row by row of memory, transposed on the way.
#pragma once

#include "kernels/sgemm_tensor/split_rows.cuh"

namespace fastgemm::sgemm_tensor {

// A block takes kStripRows rows and walks along k twice: for the largest elements, then, from the end where the caches
// still have it, for the parts.
template <Method kMethod>
class StripSplit {
  static constexpr int kStripRows = 16;  // 64 bytes of each column
  static constexpr int kColumns = kSplitThreads / kStripRows;  // that the block reads side by side
  static constexpr int kHeld = 16;                             // elements a thread
  static constexpr int kSlab = kColumns * kHeld;               // of k
  static constexpr int kPitch = (kSlab + 4) * 4;               // bytes; rows start in different banks
  static constexpr int kRun = 8;                               // elements of k a thread writes at a time
  static constexpr int kRunsOfRow = kSlab / kRun;
  static_assert(kRunsOfRow == 32, "a warp writes a row");
  static constexpr int kRowsOfWarp = kStripRows / kSplitWarps;

 public:
  static constexpr int kSharedBytes = kStripRows * kPitch;

  FG_DEVICE StripSplit(const SplitOperand& operand, int depth, ptx::SharedAddress s_slab)
      : operand_(operand),
        depth_(depth),
        s_slab_(s_slab),
        warp_(ptx::warp_index()),
        row_(ptx::thread_index() % kStripRows),
        column_(ptx::thread_index() / kStripRows) {}

  FG_DEVICE static int items(const SplitOperand& operand) { return (operand.rows + kStripRows - 1) / kStripRows; }

  FG_DEVICE void split(int item, Summary& summary) {
    const int first_row = item * kStripRows;
    const int slabs = (depth_ + kSlab - 1) / kSlab;
    meet_to_split();  // the strip before has been read
    if constexpr (kMethod == Method::kFp16x3) find_tops(first_row, slabs);
    std::uint32_t top[kRowsOfWarp] = {};
    RowScale scale[kRowsOfWarp];
    Tally tally[kRowsOfWarp];
#pragma unroll
    for (int i = 0; i < kRowsOfWarp; ++i) {
      const int row = first_row + row_of_warp(i);
      if constexpr (kMethod == Method::kFp16x3) {
        top[i] = ptx::ld_shared_u32(s_slab_ + row_of_warp(i) * 4);
        scale[i] = fp16_row_scale(top[i]);
      } else if (row < operand_.rows) {
        scale[i] = bf16_row_scale(ptx::ld_global_f32(operand_.g_unscale + row));
      }
    }
    load(r_x_, first_row, slabs - 1);
    for (int slab = slabs - 1; slab >= 0; --slab) {
      meet_to_split();  // the slab before, or the tops, have been read
#pragma unroll
      for (int i = 0; i < kHeld; ++i) {
        ptx::st_shared_f32(s_slab_ + row_ * kPitch + (i * kColumns + column_) * 4, r_x_[i]);
      }
      meet_to_split();
      if (slab > 0) load(r_x_, first_row, slab - 1);  // on its way meanwhile
#pragma unroll
      for (int i = 0; i < kRowsOfWarp; ++i) store_run(first_row, i, slab, scale[i], tally[i]);
    }
    if constexpr (kMethod == Method::kFp16x3) {
#pragma unroll
      for (int i = 0; i < kRowsOfWarp; ++i) {
        finish_row(first_row + row_of_warp(i), top[i], scale[i].unscale, tally[i], summary);
      }
    }
  }

 private:
  FG_DEVICE int row_of_warp(int index) const { return index * kSplitWarps + warp_; }

  using Held = float[kHeld];

  FG_DEVICE void load(Held& r_x, int first_row, int slab) const {
    const int first_k = slab * kSlab + column_;
    const int columns = first_row + row_ < operand_.rows ? depth_ - first_k : 0;  // from here to the edge
    const float* g_next = operand_.g_source + first_row + row_ + first_k * operand_.k_step;
    const std::int64_t step = kColumns * operand_.k_step;
#pragma unroll
    for (int i = 0; i < kHeld; ++i, g_next += step) {
      r_x[i] = i * kColumns < columns ? ptx::ld_global_f32(g_next) : 0.0f;
    }
  }

  // The largest magnitudes of the strip's rows are in shared memory then.
  FG_DEVICE void find_tops(int first_row, int slabs) {
    std::uint32_t top = 0;
    for (int slab = 0; slab < slabs; slab += 2) {  // past the last one all are 0
      Held r_next;
      load(r_x_, first_row, slab);
      load(r_next, first_row, slab + 1);
#pragma unroll
      for (int i = 0; i < kHeld; ++i) {
        top = larger(top, larger(magnitude(ptx::bits_from_f32(r_x_[i])), magnitude(ptx::bits_from_f32(r_next[i]))));
      }
    }
    ptx::st_shared_u32(s_slab_ + (column_ * kStripRows + row_) * 4, top);
    meet_to_split();
    std::uint32_t of_row = 0;
    if (column_ == 0) {
#pragma unroll
      for (int column = 0; column < kColumns; ++column) {
        of_row = Larger()(of_row, ptx::ld_shared_u32(s_slab_ + (column * kStripRows + row_) * 4));
      }
      ptx::st_shared_u32(s_slab_ + row_ * 4, of_row);
    }
    meet_to_split();
  }

  // kRun elements of k of one row.
  FG_DEVICE void store_run(int first_row, int index, int slab, const RowScale& scale, Tally& tally) const {
    constexpr int kCount = Parts<kMethod>::kCount;
    const int row = first_row + row_of_warp(index);
    const int k = slab * kSlab + ptx::lane_index() * kRun;
    if (row >= operand_.rows || k >= (depth_ + kBlockK - 1) / kBlockK * kBlockK) return;
    const ptx::SharedAddress s_run = s_slab_ + row_of_warp(index) * kPitch + ptx::lane_index() * (kRun * 4);
    std::uint32_t words[kCount][kRun / 2];
    float numbers[kRun];
#pragma unroll
    for (int four = 0; four < kRun; four += 4) {
      const float4 x = ptx::ld_shared_f32x4(s_run + four * 4);
      numbers[four] = x.x, numbers[four + 1] = x.y, numbers[four + 2] = x.z, numbers[four + 3] = x.w;
    }
    if constexpr (kMethod == Method::kFp16x3) count(numbers, scale, tally);
#pragma unroll
    for (int i = 0; i < kRun; i += 2) {
      std::uint32_t pair[kCount];
      split_pair<kMethod>(numbers[i], numbers[i + 1], scale, pair);
#pragma unroll
      for (int part = 0; part < kCount; ++part) words[part][i / 2] = pair[part];
    }
    std::uint16_t* g_row = operand_.g_parts + row * part_pitch<kMethod>(depth_);
#pragma unroll
    for (int part = 0; part < kCount; ++part) {
      ptx::st_global_u32x4(g_row + part_index<kMethod>(k, part),
                           uint4{words[part][0], words[part][1], words[part][2], words[part][3]});
    }
  }

  FG_DEVICE void finish_row(int row, std::uint32_t top, float unscale, Tally tally, Summary& summary) const {
    tally = {ptx::f32_from_bits(reduce_warp(ptx::bits_from_f32(tally.sum), FloatSum())),
             reduce_warp(tally.fp16_misses, Sum()), reduce_warp(tally.bf16_misses, Sum())};
    if (ptx::lane_index() != 0 || row >= operand_.rows) return;
    summary = join(summary, judge_row(top, tally, depth_));
    ptx::st_global_f32(operand_.g_unscale + row, unscale);
  }

  const SplitOperand& operand_;
  int depth_;
  ptx::SharedAddress s_slab_;  // (kStripRows, kSlab) floats; before, tops
  int warp_;
  int row_;                    // of the strip
  int column_;
  Held r_x_;
};

}  // namespace fastgemm::sgemm_tensor
