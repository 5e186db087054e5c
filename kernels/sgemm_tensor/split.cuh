// The pass before the product: A and B into parts, both in one launch, and, for FP16, the choice of the method.
#pragma once

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/grid_dependency.cuh"
#include "kernels/ptx/inter_block.cuh"
#include "kernels/sgemm_tensor/split_strips.cuh"

namespace fastgemm::sgemm_tensor {

inline constexpr int kSplitBlocksPerSm = 2;
inline constexpr int kMaxSplitBlocks = 1024;
inline constexpr int kShallowDepth = 1024;  // up to here a warp takes a row, from here on a block

// Shared memory: a strip's slab, then three places of a word a warp.
inline constexpr int kSplitWordsOffset = StripSplit<Method::kFp16x3>::kSharedBytes;
inline constexpr int kSplitSharedBytes = kSplitWordsOffset + 3 * kSplitWarps * 4;

template <class Split>
FG_DEVICE void split_items(Split split, const SplitOperand& operand, Summary& summary) {
  const auto items = Split::items(operand);
  for (auto item = static_cast<int>(ptx::block_index()); item < items; item += static_cast<int>(ptx::grid_size())) {
    split.split(item, summary);
  }
}

template <Method kMethod>
FG_DEVICE void split_operand(const SplitOperand& operand, int depth, Summary& summary) {
  const ptx::SharedAddress s_slab = ptx::shared_base();
  const ptx::SharedAddress s_words = s_slab + kSplitWordsOffset;
  if (operand.k_step != 1) {
    split_items(StripSplit<kMethod>(operand, depth, s_slab), operand, summary);
  } else if (depth <= kShallowDepth) {
    split_items(RowSplit<kMethod, 32>(operand, depth, s_words), operand, summary);
  } else {
    split_items(RowSplit<kMethod, kSplitThreads>(operand, depth, s_words), operand, summary);
  }
}

// What all threads of the block have seen, in all of them.
FG_DEVICE Summary reduce_summary(const Summary& own, ptx::SharedAddress s_words) {
  Summary all;
  const auto reduce = [s_words](std::uint32_t value, auto combine) {
    ptx::barrier_sync();  // the words of the reduction before have been read
    return reduce_block(value, s_words, combine);
  };
  all.top = reduce(own.top, Larger());
  all.tiny = reduce(own.tiny, Sum());
  all.fp16_misses = reduce(own.fp16_misses, Sum());
  all.bf16_misses = reduce(own.bf16_misses, Sum());
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

FG_DEVICE Summary load_summary(const Summary* g_summary) {
  const uint4 words = ptx::ld_global_u32x4(g_summary);
  return {words.x, words.y, words.z, words.w};
}

FG_DEVICE SeenOperand seen_by_all(const SplitParams& params, Side side, ptx::SharedAddress s_words) {
  const auto blocks = static_cast<int>(ptx::grid_size());
  Summary summary;
  for (int block = ptx::thread_index(); block < blocks; block += kSplitThreads) {
    summary = join(summary, load_summary(params.g_summaries + side * blocks + block));
  }
  return {reduce_summary(summary, s_words), std::int64_t{params.operands[side].rows} * params.depth};
}

// By the last block.
FG_DEVICE void choose_method(const SplitParams& params, ptx::SharedAddress s_words) {
  const SeenOperand left = seen_by_all(params, kLeft, s_words);
  const SeenOperand right = seen_by_all(params, kRight, s_words);
  if (ptx::thread_index() == 0) {
    const Method method = choose(left, right, params.bf16_available);
    ptx::st_global_u32(params.g_method, static_cast<std::uint32_t>(method));
  }
}

// alpha 0, which only the device may know: nothing is read, and nobody looks at the choice.
__global__ void __launch_bounds__(kSplitThreads, kSplitBlocksPerSm)
    split_fp16_kernel(const __grid_constant__ SplitParams params) {
  ptx::griddepcontrol_launch_dependents();
  if (load_scalar(params.alpha) == 0.0f) return;
  const ptx::SharedAddress s_words = ptx::shared_base() + kSplitWordsOffset;
#pragma unroll 1
  for (int side = 0; side < kSides; ++side) {
    Summary summary;
    split_operand<Method::kFp16x3>(params.operands[side], params.depth, summary);
    summary = reduce_summary(summary, s_words);
    if (ptx::thread_index() == 0) {
      ptx::st_global_u32x4(params.g_summaries + side * ptx::grid_size() + ptx::block_index(),
                           uint4{summary.top, summary.tiny, summary.fp16_misses, summary.bf16_misses});
    }
    ptx::barrier_sync();
  }
  if (is_last_block(params.g_blocks_done, s_words)) choose_method(params, s_words);
}

// After the choice has fallen on BF16.
__global__ void __launch_bounds__(kSplitThreads, kSplitBlocksPerSm)
    split_bf16_kernel(const __grid_constant__ SplitParams params) {
  ptx::griddepcontrol_launch_dependents();
  ptx::griddepcontrol_wait();
  if (load_scalar(params.alpha) == 0.0f ||
      ptx::ld_global_u32(params.g_method) != static_cast<std::uint32_t>(Method::kBf16x6)) {
    return;
  }
#pragma unroll 1
  for (int side = 0; side < kSides; ++side) {
    Summary unused;
    split_operand<Method::kBf16x6>(params.operands[side], params.depth, unused);
  }
}

}  // namespace fastgemm::sgemm_tensor
