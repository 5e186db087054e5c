// The ring of shared memory stages, kept full by cp.async of all threads. Rows of parts are whole, aligned 16-byte pieces
// that end with a stage: nothing of the HGEMM family's copies for odd addresses and the end of k is needed here.
#pragma once

#include "kernels/hgemm_mma/mainloop.cuh"
#include "kernels/sgemm_tensor_mma/config.h"
#include "kernels/sgemm_tensor_mma/params.h"

namespace fastgemm::sgemm_tensor_mma {

// One thread's share of an operand's rows, a piece of each kLinesPerPass-th one. Rows outside the operand become 0.
template <class Config, class Tile>
class PartsCopy {
  using Map = TileCopyMap<Tile, Config::kThreads, kChunkElements>;
  static_assert(Map::kLinesPerPass % Tile::kPhases == 0, "rows of all passes have the same phase");

 public:
  FG_DEVICE PartsCopy(const sgemm_tensor::SplitOperand& operand, std::int64_t first_row, int pitch) {
    const std::int64_t row = first_row + Map::line(ptx::thread_index());
    const std::int64_t left = operand.rows - row;
    rows_ = static_cast<int>(left < Tile::kRows ? left : Tile::kRows);
    g_next_ = operand.g_parts + row * pitch + Map::element(ptx::thread_index());
    s_offset_ = Map::target(ptx::thread_index());
  }

  // The next kBlockK of k into the stage's tile.
  FG_DEVICE void start(ptx::SharedAddress s_tile, int pitch) {
    const std::uint16_t* g_row = g_next_;
#pragma unroll
    for (int pass = 0; pass < Map::kPasses; ++pass) {
      const bool inside = pass * Map::kLinesPerPass < rows_;
      ptx::cp_async_16(s_tile + s_offset_ + Map::pass_advance(pass), g_row, inside ? kChunkBytes : 0);
      g_row += Map::kLinesPerPass * pitch;
    }
    g_next_ += Config::kTileK;
  }

 private:
  const std::uint16_t* g_next_;  // of the first pass
  int rows_;                     // of the operand, from this thread's first one on
  ptx::SharedAddress s_offset_;
};

template <class Config>
class Ring {
  static constexpr int kAhead = Config::kStages - 1;  // blocks that the copies are before the products

 public:
  FG_DEVICE Ring(const ProductParams& params, const TileExtent& tile)
      : params_(params),
        copy_right_(params.operands[sgemm_tensor::kRight], tile.row, pitch()),
        copy_left_(params.operands[sgemm_tensor::kLeft], tile.column, pitch()) {
#pragma unroll
    for (int block = 0; block < kAhead; ++block) start_copy(block, ptx::shared_base() + block * Config::kStageBytes);
    await_block();
  }

  FG_DEVICE ptx::SharedAddress right() const { return s_read_; }
  FG_DEVICE ptx::SharedAddress left() const { return s_read_ + Config::TileA::kBytes; }

  // While `block` is read, into the stage of the block before: the copy of the block kAhead later begins.
  FG_DEVICE void start_copy(int block) {
    const bool first = s_read_ == ptx::shared_base();
    start_copy(block + kAhead, s_read_ + (first ? kAhead * Config::kStageBytes : -Config::kStageBytes));
  }

  // When all fragments of a block are in registers: the next one becomes readable.
  FG_DEVICE void advance() {
    s_read_ += Config::kStageBytes;
    if (s_read_ == ptx::shared_base() + Config::kPipelineBytes) s_read_ = ptx::shared_base();
    await_block();
  }

 private:
  FG_DEVICE int pitch() const { return params_.k_blocks * Config::kTileK; }  // elements of a row of parts

  // Past the last block, nothing.
  FG_DEVICE void start_copy(int block, ptx::SharedAddress s_stage) {
    if (block < params_.k_blocks) {
      copy_right_.start(s_stage, pitch());
      copy_left_.start(s_stage + Config::TileA::kBytes, pitch());
    }
    ptx::cp_async_commit();  // also when empty, so that a count of groups is a count of blocks
  }

  FG_DEVICE static void await_block() {
    ptx::cp_async_wait<kAhead - 1>();
    ptx::barrier_sync();
  }

  const ProductParams& params_;
  PartsCopy<Config, typename Config::TileA> copy_right_;
  PartsCopy<Config, typename Config::TileB> copy_left_;
  ptx::SharedAddress s_read_ = ptx::shared_base();
};

}  // namespace fastgemm::sgemm_tensor_mma
