// The pass before the product: A and B into parts, both in one launch, and, for FP16, the choice of the method.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/grid_dependency.cuh"
#include "kernels/ptx/inter_block.cuh"
#include "kernels/sgemm_tensor/split_strips.cuh"

namespace fastgemm::sgemm_tensor {

inline constexpr int kSplitBlocksPerSm = 2;
inline constexpr int kMaxSplitBlocks = 1024;
// Up to here a warp takes a row, so that many rows are on their way at once; from here on a block does. One H200, CUDA
// 13.0: a block a row took 41 us at 2048 x 2048 for both operands, most of it waiting.
inline constexpr int kShallowDepth = 4096;

// Shared memory: a strip's slab, then four places of a word a warp, then a summary a warp.
inline constexpr int kSplitWordsOffset = StripSplit<Method::kFp16x3>::kSharedBytes;
inline constexpr int kSplitSummariesOffset = kSplitWordsOffset + 4 * kSplitWarps * 4;
inline constexpr int kSplitSharedBytes =
    kSplitSummariesOffset + kSplitWarps * static_cast<int>(sizeof(Summary));

// Blocks take items in turn, `first` being this block's first one: of both operands as of one list.
template <class Split>
FG_DEVICE void split_items(Split split, const SplitOperand& operand, int& first, Summary& summary) {
  const int items = Split::items(operand);
  const auto blocks = static_cast<int>(ptx::grid_size());
  for (; first < items; first += blocks) split.split(first, summary);
  first -= items;
}

template <Method kMethod>
FG_DEVICE void split_operand(const SplitOperand& operand, int depth, int& first, Summary& summary) {
  const ptx::SharedAddress s_slab = ptx::shared_base();
  const ptx::SharedAddress s_words = s_slab + kSplitWordsOffset;
  if (operand.k_step != 1) {
    split_items(StripSplit<kMethod>(operand, depth, s_slab), operand, first, summary);
  } else if (depth <= kShallowDepth) {
    split_items(RowSplit<kMethod, 32>(operand, depth, s_words), operand, first, summary);
  } else {
    split_items(RowSplit<kMethod, kSplitThreads>(operand, depth, s_words), operand, first, summary);
  }
}

FG_DEVICE Summary summary_of(const uint4& words) { return {words.x, words.y, words.z, words.w}; }

// What the threads of the block have seen, joined; by way of shared memory, a summary a warp.
FG_DEVICE Summary join_block(const Summary& own, ptx::SharedAddress s_summaries) {
  const uint4 words{reduce_warp(own.top, Larger()), reduce_warp(own.sum, Larger()), reduce_warp(own.not_fp16, Union()),
                    reduce_warp(own.not_bf16, Union())};
  const int warp = ptx::warp_index();
  if (ptx::lane_index() == 0) ptx::st_shared_u32x4(s_summaries + warp * 16, words);
  ptx::barrier_sync();
  Summary all;
#pragma unroll
  for (int other = 0; other < kSplitWarps; ++other) {
    all = join(all, summary_of(ptx::ld_shared_u32x4(s_summaries + other * 16)));
  }
  return all;
}

// True in all threads of the block that comes last; what the others wrote is visible to it.
FG_DEVICE bool is_last_block(std::uint32_t* g_blocks_done, ptx::SharedAddress s_word) {
  ptx::barrier_sync();
  if (ptx::thread_index() == 0) {
    const bool last = ptx::atomic_add_gpu_u32(g_blocks_done, 1) == static_cast<std::uint32_t>(ptx::grid_size()) - 1;
    if (last) ptx::st_release_gpu_u32(g_blocks_done, 0);  // for the next launch
    ptx::st_shared_u32(s_word, last ? 1 : 0);
  }
  ptx::barrier_sync();
  return ptx::ld_shared_u32(s_word) != 0;
}

// By the last block.
FG_DEVICE void choose_method(const SplitParams& params, ptx::SharedAddress s_summaries) {
  const auto blocks = static_cast<int>(ptx::grid_size());
  Summary seen;
  for (int block = ptx::thread_index(); block < blocks; block += kSplitThreads) {
    seen = join(seen, summary_of(ptx::ld_global_u32x4(params.g_summaries + block)));
  }
  seen = join_block(seen, s_summaries);
  if (ptx::thread_index() > 0) return;
  ptx::st_global_u32(params.g_method, static_cast<std::uint32_t>(choose(seen, params.bf16_available)));
}

FG_DEVICE void split_and_choose(const SplitParams& params) {
  const ptx::SharedAddress s_summaries = ptx::shared_base() + kSplitSummariesOffset;
  Summary seen;
  auto first = static_cast<int>(ptx::block_index());
#pragma unroll
  for (int side = 0; side < kSides; ++side) {
    split_operand<Method::kFp16x3>(params.operands[side], params.depth, first, seen);
  }
  seen = join_block(seen, s_summaries);
  if (ptx::thread_index() == 0) {
    ptx::st_global_u32x4(params.g_summaries + ptx::block_index(),
                         uint4{seen.top, seen.sum, seen.not_fp16, seen.not_bf16});
  }
  if (is_last_block(params.g_blocks_done, ptx::shared_base() + kSplitWordsOffset)) choose_method(params, s_summaries);
}

// FP16 parts, first of all, with the choice of the method; BF16 parts where that fell on them. alpha 0, which only the
// device may know: nothing is read, and nobody looks at the choice.
template <Method kMethod>
__global__ void __launch_bounds__(kSplitThreads, kSplitBlocksPerSm)
    split_kernel(const __grid_constant__ SplitParams params) {
  ptx::griddepcontrol_launch_dependents();
  if constexpr (kMethod == Method::kFp16x3) {
    if (load_scalar(params.alpha) != 0.0f) split_and_choose(params);
  } else {
    ptx::griddepcontrol_wait();
    if (load_scalar(params.alpha) == 0.0f ||
        ptx::ld_global_u32(params.g_method) != static_cast<std::uint32_t>(kMethod)) {
      return;
    }
    auto first = static_cast<int>(ptx::block_index());
#pragma unroll
    for (int side = 0; side < kSides; ++side) {
      Summary unused;
      split_operand<kMethod>(params.operands[side], params.depth, first, unused);
    }
  }
}

}  // namespace fastgemm::sgemm_tensor
