// An operand that bulk copies cannot bring, or that has to be turned on its way: element by element, by all threads.
#pragma once

#include "kernels/contract.h"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/sgemm_sliced/config.h"

namespace fastgemm::sliced {

// Elements (first_side, first_depth) and on of an operand. Made anew for every stage from what lies in constant memory:
// kept in registers it would cost the main loop spills.
struct CopiedBlock {
  const Operand& operand;
  bool along_depth;  // how it is stored
  int first_side;
  int first_depth;
  int sides;   // that the operand has along its side
  int depths;  // and along k
};

template <class Side, int kSides, int kDepths>
FG_DEVICE void copy_passes(ptx::SharedAddress s_stage, const CopiedBlock& block, int first_side, int first_depth) {
  static_assert(Side::kSize % kSides == 0 && kTileK % kDepths == 0, "whole passes");
  const std::int64_t ld_bytes = block.operand.ld * 4;
  const std::int64_t depth_step = block.along_depth ? 4 : ld_bytes;
  const std::int64_t side_step = block.along_depth ? ld_bytes : 4;
  const char* const g_first = static_cast<const char*>(block.operand.data);
  const int depths_left = block.depths - block.first_depth - first_depth;
#pragma unroll 1
  for (int side = first_side; side < Side::kSize; side += kSides) {
    const bool side_inside = block.first_side + side < block.sides;
    const char* g_element = g_first + (block.first_side + side) * side_step +
                            (block.first_depth + first_depth) * depth_step;
    ptx::SharedAddress s_element = s_stage + first_depth * Side::kPitch + side * 4;
#pragma unroll
    for (int at = 0; at < kTileK; at += kDepths) {
      const bool inside = side_inside && at < depths_left;
      ptx::cp_async_4(s_element + at * Side::kPitch, inside ? g_element : g_first, inside ? 4 : 0);
      g_element += kDepths * depth_step;
    }
  }
}

// Starts this thread's copies of a block to a stage. What lies outside the operand is filled with zeros.
template <class Side>
FG_DEVICE void copy_elements(ptx::SharedAddress s_stage, const CopiedBlock& block) {
  const int thread = ptx::thread_index();
  if (block.along_depth) {
    // A warp's lanes are eight of k by four rows: sectors of 32 bytes, and 32 banks.
    constexpr int kRows = Side::kSize < 16 ? Side::kSize : 16;  // a pass
    constexpr int kDepths = kThreads / kRows;
    copy_passes<Side, kRows, kDepths>(s_stage, block, thread / 8 % kRows, thread / (8 * kRows) * 8 + thread % 8);
  } else {
    constexpr int kSides = Side::kSize < kThreads ? Side::kSize : kThreads;
    copy_passes<Side, kSides, kThreads / kSides>(s_stage, block, thread % kSides, thread / kSides);
  }
}

}  // namespace fastgemm::sliced
