// The pass before the product: A and B into parts, both in one launch, and, for FP16, what the choice of method needs.
#pragma once

#include <climits>

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/grid_dependency.cuh"
#include "kernels/ptx/inter_block.cuh"
#include "kernels/sgemm_tensor/split_strips.cuh"

namespace fastgemm::sgemm_tensor {

inline constexpr int kSplitBlocksPerSm = 2;
inline constexpr int kMaxSplitBlocks = 1024;
// Shared memory: a strip's slab, then four places of a word a warp, then a summary a warp.
inline constexpr int kSplitWordsOffset = StripSplit<Method::kFp16x3>::kSharedBytes;
inline constexpr int kSplitSummariesOffset = kSplitWordsOffset + 4 * kSplitWarps * 4;
inline constexpr int kSplitSharedBytes =
    kSplitSummariesOffset + kSplitWarps * static_cast<int>(sizeof(Summary));

// Blocks take items in turn, `item` being this block's next one: of both operands as of one list. Behind strips so few
// that one block in two has one at most, the list is for the other blocks alone: 2048 x 2048 of each layout took 32.5
// us without this, and 27.9 with it, on one H200.
class Turn {
 public:
  int item = static_cast<int>(ptx::block_index());

  FG_DEVICE void begin(int items, bool strips) {
    apart_ = strips && items <= blocks_ / 2;
    has_one_ = item < items;
  }
  FG_DEVICE void next() { item += blocks_; }
  FG_DEVICE void end(int items) {
    item -= items;
    if (!apart_) return;
    blocks_ -= items;
    if (has_one_) item = INT_MAX / 2;
  }

 private:
  int blocks_ = static_cast<int>(ptx::grid_size());
  bool apart_ = false;
  bool has_one_ = false;
};

// Blocks take the next item whenever they are ready for one, and can then wait for all parts: whoever holds an item
// runs, however few blocks there is room for. Its number is on its way while the one before is split.
class Ticket {
 public:
  int item = 0;

  FG_DEVICE Ticket(const SplitParams& params, ptx::SharedAddress s_word) : params_(params), s_word_(s_word) {
    ask();
    item = take();
  }
  FG_DEVICE void begin(int, bool) const {}
  FG_DEVICE void next() {
    ++done_;
    item = take() - passed_;
  }
  FG_DEVICE void end(int items) {
    item -= items;
    passed_ += items;
  }

  // After both operands: until all items are done. The last block that knows leaves the words 0 for the next launch.
  FG_DEVICE void wait_for_all() const {
    ptx::fence_proxy_async_global();  // parts, for copies
    meet_to_split();
    if (ptx::thread_index() == 0) {
      ptx::atomic_add_gpu_u32(params_.g_items_done, static_cast<std::uint32_t>(done_));
      while (ptx::ld_acquire_gpu_u32(params_.g_items_done) != static_cast<std::uint32_t>(passed_)) {
      }
      const std::uint32_t blocks_before = ptx::atomic_add_gpu_u32(params_.g_blocks_done, 1);
      if (blocks_before == static_cast<std::uint32_t>(ptx::grid_size()) - 1) {
        for (std::uint32_t* g_word : {params_.g_blocks_done, params_.g_tickets, params_.g_items_done}) {
          ptx::st_release_gpu_u32(g_word, 0);
        }
      }
    }
    meet_to_split();
  }

 private:
  FG_DEVICE void ask() {
    if (ptx::thread_index() == 0) number_ = ptx::atomic_add_relaxed_gpu_u32(params_.g_tickets, 1);
  }
  FG_DEVICE int take() {
    meet_to_split();
    if (ptx::thread_index() == 0) ptx::st_shared_u32(s_word_, number_);
    meet_to_split();
    ask();
    return static_cast<int>(ptx::ld_shared_u32(s_word_));
  }

  const SplitParams& params_;
  ptx::SharedAddress s_word_;
  std::uint32_t number_ = 0;  // thread 0's
  int passed_ = 0;
  int done_ = 0;
};

template <class Split, class Turn>
FG_DEVICE void split_items(Split split, const SplitOperand& operand, Turn& turn, Summary& summary) {
  const int items = Split::items(operand);
  turn.begin(items, operand.k_step != 1);
  for (; turn.item < items; turn.next()) split.split(turn.item, summary);
  turn.end(items);
}

// Every row of k begins at a multiple of 16 bytes.
FG_DEVICE bool rows_aligned(const SplitOperand& operand) {
  return reinterpret_cast<std::uintptr_t>(operand.g_source) % 16 == 0 && operand.row_step % 4 == 0;
}

// By as few threads a row as can hold it, so that many rows are on their way at once and none is read twice. One H200,
// CUDA 13.0, both operands of 4096 x 4096, k contiguous: 78 us; 98 us by warps that read a row twice, 82 us where twice
// the threads hold a row and load the next one meanwhile. A thread takes runs of 4 elements where that is quicker: 9.3
// us at 1024 (10.5 element by element), 24.0 at 2048 (24.8), but 79 at 4096 (76) and 298 at 8192 (285). BF16 parts,
// which are rare, have two teams, as each is more code within every product's kernel, and runs: 212 us in place of 215
// at 2048, 9767 and 9856 at 8192.
template <Method kMethod, int kTeam, class Turn>
FG_DEVICE void split_rows(const SplitOperand& operand, int depth, ptx::SharedAddress s_words, Turn& turn,
                          Summary& summary) {
  constexpr bool kRare = kMethod == Method::kBf16x6;
  if constexpr (kTeam < kSplitThreads) {
    if (depth > kTeam * kHeldOfRow) {
      split_rows<kMethod, kTeam * (kRare ? 4 : 2)>(operand, depth, s_words, turn, summary);
      return;
    }
  }
  constexpr int kLongestTeamOfRuns = 64;
  if constexpr (kRare || kTeam <= kLongestTeamOfRuns) {
    if (rows_aligned(operand)) {
      split_items(RowSplit<kMethod, kTeam, 4>(operand, depth, s_words), operand, turn, summary);
      return;
    }
  }
  split_items(RowSplit<kMethod, kTeam, 1>(operand, depth, s_words), operand, turn, summary);
}

template <Method kMethod, class Turn>
FG_DEVICE void split_operand(const SplitOperand& operand, int depth, Turn& turn, Summary& summary) {
  const ptx::SharedAddress s_slab = ptx::shared_base();
  const ptx::SharedAddress s_words = s_slab + kSplitWordsOffset;
  if (operand.k_step != 1) {
    split_items(StripSplit<kMethod>(operand, depth, s_slab), operand, turn, summary);
  } else {
    split_rows<kMethod, kMethod == Method::kFp16x3 ? 32 : 64>(operand, depth, s_words, turn, summary);
  }
}

// Strips first, if one operand has them: they take longest.
FG_DEVICE Side first_side(const SplitParams& params) {
  return params.operands[kLeft].k_step == 1 ? kRight : kLeft;
}

FG_DEVICE Summary summary_of(const uint4& words) { return {words.x, words.y, words.z, words.w}; }

FG_DEVICE Summary join_warp(const Summary& own) {
  return {reduce_warp(own.top, Larger()), reduce_warp(own.sum, Larger()), reduce_warp(own.not_fp16, Union()),
          reduce_warp(own.not_bf16, Union())};
}

// What the threads of a block of kWarps have seen, joined; by way of shared memory, a summary a warp.
template <int kWarps>
FG_DEVICE Summary join_block(const Summary& own, ptx::SharedAddress s_summaries) {
  const Summary joined = join_warp(own);
  const uint4 words{joined.top, joined.sum, joined.not_fp16, joined.not_bf16};
  const int warp = ptx::warp_index();
  if (ptx::lane_index() == 0) ptx::st_shared_u32x4(s_summaries + warp * 16, words);
  ptx::barrier_sync();
  Summary all;
#pragma unroll
  for (int other = 0; other < kWarps; ++other) {
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

// By every warp for itself, from what the blocks of the split pass have seen: one H200 had both passes of 1024
// x 1024 x 1024 done in 25.2 us, and in 25.8 where each block's warps shared the summaries out. All are on their way at
// once: with the first copies begun before the choice, the product took 19.1 us, and 20.0 with neither.
FG_DEVICE Method choose_method(const Summary* g_summaries, int count, bool bf16_available) {
  Summary seen;
  constexpr int kAtOnce = 9;  // all that two blocks on each of 132 SMs have written
#pragma unroll 1
  for (int first = ptx::lane_index(); first < count; first += 32 * kAtOnce) {
    uint4 words[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int block = first + 32 * i;
      words[i] = block < count ? ptx::ld_global_u32x4(g_summaries + block) : uint4{0, 0, 0, 0};
    }
#pragma unroll
    for (const uint4& of_block : words) seen = join(seen, summary_of(of_block));
  }
  return choose(join_warp(seen), bf16_available);
}

FG_DEVICE void split_and_summarise(const SplitParams& params) {
  Summary seen;
  Turn turn;
  const bool right_first = first_side(params) == kRight;
  split_operand<Method::kFp16x3>(params.operands[right_first ? kRight : kLeft], params.depth, turn, seen);
  split_operand<Method::kFp16x3>(params.operands[right_first ? kLeft : kRight], params.depth, turn, seen);
  seen = join_block<kSplitWarps>(seen, ptx::shared_base() + kSplitSummariesOffset);
  if (ptx::thread_index() == 0) {
    ptx::st_global_u32x4(params.g_summaries + ptx::block_index(),
                         uint4{seen.top, seen.sum, seen.not_fp16, seen.not_bf16});
  }
}

// For products that find the method chosen.
FG_DEVICE void split_and_choose(const SplitParams& params) {
  split_and_summarise(params);
  if (!is_last_block(params.g_blocks_done, ptx::shared_base() + kSplitWordsOffset)) return;
  const Method method = choose_method(params.g_summaries, static_cast<int>(ptx::grid_size()), params.bf16_available);
  if (ptx::thread_index() == 0) ptx::st_global_u32(params.g_method, static_cast<std::uint32_t>(method));
}

// BF16 parts, within the product that needs them. By the first kSplitThreads of a block.
FG_DEVICE void split_for_bf16(const SplitParams& params) {
  Ticket ticket(params, ptx::shared_base() + kSplitWordsOffset);
  Summary unused;
  const Side first = first_side(params);
#pragma unroll 1
  for (int other = 0; other < kSides; ++other) {
    split_operand<Method::kBf16x6>(params.operands[first ^ other], params.depth, ticket, unused);
  }
  ticket.wait_for_all();
}

// The first parts of a product, and what it chooses the method from. alpha 0, which only the device may know: nothing
// is read, and nobody looks at the choice. A template, so that it is there only where it is launched.
template <Method kMethod>
__global__ void __launch_bounds__(kSplitThreads, kSplitBlocksPerSm)
    split_kernel(const __grid_constant__ SplitParams params) {
  ptx::griddepcontrol_launch_dependents();
  ptx::griddepcontrol_wait();
  static_assert(kMethod == Method::kFp16x3, "others' come with the product");
  if (load_scalar(params.alpha) != 0.0f) split_and_summarise(params);
}

}  // namespace fastgemm::sgemm_tensor
