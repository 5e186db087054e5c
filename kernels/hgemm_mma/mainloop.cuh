// The sum of products of one block's tile: tiles of A and B stream through shared memory, each warp multiplies its
// share.
#pragma once

#include "kernels/hgemm_mma/copies.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/tile/mma_fragments.cuh"

namespace fastgemm::hgemm_mma {

// A warp's part of D, transposed as mma_fragments.cuh says: blocks of 16 (n) x 8 (m).
template <class Variant>
struct Accumulators {
  float block[Variant::kWarpN / 16][Variant::kWarpM / 8][4];
};

// Where a warp's part begins in the block's tile.
template <class Variant>
FG_DEVICE int warp_row(int warp) {
  return warp % Variant::kWarpsM * Variant::kWarpM;
}

template <class Variant>
FG_DEVICE int warp_column(int warp) {
  return warp / Variant::kWarpsM * Variant::kWarpN;
}

// One k step of 16 of both operands: blocks of 16 rows.
template <class Variant>
struct Fragments {
  std::uint32_t b[Variant::kWarpN / 16][4];
  std::uint32_t a[Variant::kWarpM / 16][4];
};

// d += b * a over one k step of 16, in one or two instructions. `half` chooses the first or second eight rows of a.
template <class Variant>
FG_DEVICE void multiply_block(float (&d)[4], const std::uint32_t (&b)[4], const std::uint32_t (&a)[4], int half) {
  if constexpr (Variant::kMmaDepth == 16) {
    const std::uint32_t columns[2] = {a[2 * half], a[2 * half + 1]};
    ptx::mma_m16n8k16_f16(d, b, columns);
  } else {
    const std::uint32_t first[2] = {b[0], b[1]};
    const std::uint32_t second[2] = {b[2], b[3]};
    ptx::mma_m16n8k8_f16(d, first, a[2 * half]);
    ptx::mma_m16n8k8_f16(d, second, a[2 * half + 1]);
  }
}

// One row of blocks. Serpentine over m, so that neighbouring instructions share an operand.
template <class Variant>
FG_DEVICE void multiply_row(Accumulators<Variant>& acc, const Fragments<Variant>& fragments, int n) {
  constexpr int kBlocksM = Variant::kWarpM / 8;
#pragma unroll
  for (int step = 0; step < kBlocksM; ++step) {
    const int m = n % 2 == 0 ? step : kBlocksM - 1 - step;
    multiply_block<Variant>(acc.block[n][m], fragments.b[n], fragments.a[m / 2], m % 2);
  }
}

// Fetches a warp's blocks of one operand.
template <class Variant, class Tile, MmaOperand kOperand>
class FragmentReader {
 public:
  FG_DEVICE explicit FragmentReader(int first_row)
      : first_row_(first_row), lane_offset_(block_offset<Tile, kOperand>(first_row, 0, ptx::lane_index())) {}

  // The block at (row, k) of the warp's part of `tile`.
  FG_DEVICE void load(std::uint32_t (&block)[4], ptx::SharedAddress tile, int row, int k) const {
    if constexpr (Tile::kDepthContiguous) {
      ptx::ldmatrix_x4(block, address(tile, row, k));
    } else {
      ptx::ldmatrix_x4_trans(block, address(tile, row, k));
    }
  }

 private:
  FG_DEVICE ptx::SharedAddress address(ptx::SharedAddress tile, int row, int k) const {
    if constexpr (Variant::kXorSteps) {
      return ((tile + lane_offset_) ^ block_flip<Tile>(row, k)) + block_advance<Tile>(row, k);
    } else {
      return tile + block_offset<Tile, kOperand>(first_row_ + row, k, ptx::lane_index());
    }
  }

  int first_row_;
  std::uint32_t lane_offset_;
};

// Brings the tiles of A and B into a ring of stages, ahead of their use. The mainloop calls start() and finish() once a
// tile; what each does depends on the prefetch.
template <class Variant>
class TilePipeline {
 public:
  using TileA = typename Variant::TileA;
  using TileB = typename Variant::TileB;

  using CopyA = OperandCopy<Variant, TileA, Variant::kAlignmentA>;
  using CopyB = OperandCopy<Variant, TileB, Variant::kAlignmentB>;

  FG_DEVICE TilePipeline(const CopyA& a, const CopyB& b, std::int64_t k)
      : a_(a),
        b_(b),
        left_((k + Variant::kTileK - 1) / Variant::kTileK),
        last_depth_(static_cast<int>(k - (left_ - std::int64_t{1}) * Variant::kTileK)),
        write_(ptx::shared_base()),
        read_(ptx::shared_base()) {}

  // Whether a tile is left to multiply.
  FG_DEVICE bool has_tile() const { return left_ > 0; }
  FG_DEVICE ptx::SharedAddress tile_a() const { return read_; }
  FG_DEVICE ptx::SharedAddress tile_b() const { return read_ + TileA::kBytes; }

  // Makes the first tile readable.
  FG_DEVICE void prologue() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
#pragma unroll 1
      for (std::uint32_t stage = 0; stage < kAhead; ++stage) copy_async(left_ > stage ? left_ - stage : 0);
      ptx::cp_async_wait<Variant::kStages - 2>();
    } else {
      copy_now(left_);
    }
    ptx::barrier_sync();
  }

  // Before the products of a tile: the copy of a later one begins.
  FG_DEVICE void start() {
    const std::uint32_t left = left_ > kAhead ? left_ - kAhead : 0;
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      copy_async(left);
    } else if (Variant::kPrefetch == Prefetch::kRegisters && left > 0) {
      const int depth = depth_of(left);
      a_.load(depth);
      b_.load(depth);
    }
  }

  // When the last fragments of a tile are in registers: the next tile becomes readable.
  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      ptx::cp_async_wait<Variant::kStages - 2>();
    } else if constexpr (Variant::kPrefetch == Prefetch::kRegisters) {
      store(next_stage(read_));  // after the last tile once more what is there, where nothing is read any more
    } else {
      ptx::barrier_sync();  // the one stage is still being read by other warps
      if (left_ > kAhead) copy_now(left_ - kAhead);
    }
    ptx::barrier_sync();
    read_ = next_stage(read_);
    --left_;
  }

 private:
  // How many tiles the copies are ahead of the products.
  static constexpr std::uint32_t kAhead = Variant::kPrefetch == Prefetch::kAsync ? Variant::kStages - 1 : 1;

  // Of the tile from which on `left` tiles are left.
  FG_DEVICE int depth_of(std::uint32_t left) const { return left == 1 ? last_depth_ : Variant::kTileK; }

  static FG_DEVICE ptx::SharedAddress next_stage(ptx::SharedAddress stage) {
    if constexpr (Variant::kStages == 1) return stage;
    const ptx::SharedAddress next = stage + Variant::kStageBytes;
    return next == ptx::shared_base() + Variant::kPipelineBytes ? ptx::shared_base() : next;
  }

  FG_DEVICE void copy_async(std::uint32_t left) {
    if (left > 0) {
      a_.copy_async(write_, depth_of(left), left == 1);
      b_.copy_async(write_ + TileA::kBytes, depth_of(left), left == 1);
      write_ = next_stage(write_);
    }
    ptx::cp_async_commit();  // also when empty, so that a count of groups is a count of tiles
  }

  FG_DEVICE void copy_now(std::uint32_t left) {
    const int depth = depth_of(left);
    if constexpr (Variant::kUnrolledCopies) {
      a_.load(depth);
      b_.load(depth);
      store(read_);
    } else {
      a_.copy_in_order(read_, depth);
      b_.copy_in_order(read_ + TileA::kBytes, depth);
    }
  }

  FG_DEVICE void store(ptx::SharedAddress stage) {
    a_.store(stage);
    b_.store(stage + TileA::kBytes);
  }

  CopyA a_;
  CopyB b_;
  std::uint32_t left_;  // tiles along k not yet multiplied; 32 bits are enough for 2^37 elements
  int last_depth_;      // of k, in the last tile
  ptx::SharedAddress write_;  // the stage that cp.async fills next
  ptx::SharedAddress read_;
};

// Sums all of k, at least 1. Ends with copies done, but without a barrier.
template <class Variant>
FG_DEVICE void accumulate(Accumulators<Variant>& acc, TilePipeline<Variant>& pipeline, int warp) {
  constexpr int kSteps = Variant::kTileK / kBlockDepth;
  constexpr int kRowsN = Variant::kWarpN / kBlockRows;
  constexpr int kRowsM = Variant::kWarpM / kBlockRows;
  // Loads into registers need all the time there is. cp.async writes shared memory, and no ldmatrix is moved up across
  // it: started after the first fragments it does not hold them up.
  constexpr bool kStartFirst = Variant::kPrefetch != Prefetch::kAsync || !Variant::kDoubleFragments;
  const FragmentReader<Variant, typename Variant::TileA, MmaOperand::kNarrow> read_a(warp_row<Variant>(warp));
  const FragmentReader<Variant, typename Variant::TileB, MmaOperand::kWide> read_b(warp_column<Variant>(warp));
  Fragments<Variant> fragments[Variant::kDoubleFragments ? 2 : 1];
  const auto load_b = [&](int buffer, int step, int n) {
    read_b.load(fragments[buffer].b[n], pipeline.tile_b(), n * kBlockRows, step * kBlockDepth);
  };
  // The share of a's blocks that goes with row n of b's.
  const auto load_a = [&](int buffer, int step, int n) {
#pragma unroll
    for (int m = n * kRowsM / kRowsN; m < (n + 1) * kRowsM / kRowsN; ++m) {
      read_a.load(fragments[buffer].a[m], pipeline.tile_a(), m * kBlockRows, step * kBlockDepth);
    }
  };

  pipeline.prologue();
  if constexpr (Variant::kDoubleFragments) {
#pragma unroll
    for (int n = 0; n < kRowsN; ++n) {
      load_b(0, 0, n);
      load_a(0, 0, n);
    }
  }
  while (pipeline.has_tile()) {
    if constexpr (kStartFirst) pipeline.start();
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if constexpr (Variant::kDoubleFragments) {
        // Past the last tile this fetches what an old stage holds, and nothing uses it: cheaper than a branch.
        if (step == kSteps - 1) pipeline.finish();
#pragma unroll
        for (int n = 0; n < kRowsN; ++n) {
          load_b((step + 1) % 2, (step + 1) % kSteps, n);
          load_a((step + 1) % 2, (step + 1) % kSteps, n);
          multiply_row(acc, fragments[step % 2], n);
        }
        if (!kStartFirst && step == 0) pipeline.start();
      } else {
#pragma unroll
        for (int n = 0; n < kRowsN; ++n) load_a(0, step, n);
#pragma unroll
        for (int n = 0; n < kRowsN; ++n) {
          load_b(0, step, n);
          multiply_row(acc, fragments[0], n);
        }
      }
    }
    if constexpr (!Variant::kDoubleFragments) pipeline.finish();
  }
}

}  // namespace fastgemm::hgemm_mma
