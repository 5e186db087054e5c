// The sum of products of one block's tile: tiles of A and B stream through shared memory, each warp multiplies its share.
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

  FG_DEVICE TilePipeline(const OperandCopy<Variant, TileA>& a, const OperandCopy<Variant, TileB>& b, std::int64_t k)
      : a_(a),
        b_(b),
        tiles_((k + Variant::kTileK - 1) / Variant::kTileK),
        tiles_left_(tiles_),
        last_depth_(static_cast<int>(k - (tiles_ - std::int64_t{1}) * Variant::kTileK)),
        write_(ptx::shared_base()),
        read_(ptx::shared_base()) {}

  // Along k; 32 bits are enough for operands of 2^37 elements and more.
  FG_DEVICE std::uint32_t tiles() const { return tiles_; }

  FG_DEVICE ptx::SharedAddress tile_a() const { return read_; }
  FG_DEVICE ptx::SharedAddress tile_b() const { return read_ + TileA::kBytes; }

  // Makes the first tile readable.
  FG_DEVICE void prologue() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
#pragma unroll
      for (int stage = 0; stage < Variant::kStages - 1; ++stage) start();
      ptx::cp_async_wait<Variant::kStages - 2>();
    } else {
      copy_now();
    }
    ptx::barrier_sync();
  }

  // Before the products of a tile: the copy of a later one begins.
  FG_DEVICE void start() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      if (tiles_left_ > 0) {
        const int depth = next_depth();
        a_.copy_async(write_, depth, tiles_left_ == 0);
        b_.copy_async(write_ + TileA::kBytes, depth, tiles_left_ == 0);
        write_ = next_stage(write_);
      }
      ptx::cp_async_commit();  // also when empty, so that a count of groups is a count of tiles
    } else if constexpr (Variant::kPrefetch == Prefetch::kRegisters) {
      if (tiles_left_ > 0) {
        const int depth = next_depth();
        a_.load(depth);
        b_.load(depth);
        stored_ = false;
      }
    }
  }

  // When the last fragments of a tile are in registers: the next tile becomes readable.
  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      ptx::cp_async_wait<Variant::kStages - 2>();
    } else if constexpr (Variant::kPrefetch == Prefetch::kRegisters) {
      if (!stored_) store();
    } else {
      ptx::barrier_sync();  // the one stage is still being read by other warps
      if (tiles_left_ > 0) copy_now();
    }
    ptx::barrier_sync();
    read_ = next_stage(read_);
  }

 private:
  FG_DEVICE int next_depth() { return --tiles_left_ == 0 ? last_depth_ : Variant::kTileK; }

  static FG_DEVICE ptx::SharedAddress next_stage(ptx::SharedAddress stage) {
    if constexpr (Variant::kStages == 1) return stage;
    const ptx::SharedAddress next = stage + Variant::kStageBytes;
    return next == ptx::shared_base() + Variant::kPipelineBytes ? ptx::shared_base() : next;
  }

  FG_DEVICE void store() {
    a_.store(write_);
    b_.store(write_ + TileA::kBytes);
    write_ = next_stage(write_);
    stored_ = true;
  }

  FG_DEVICE void copy_now() {
    const int depth = next_depth();
    if constexpr (Variant::kUnrolledCopies) {
      a_.load(depth);
      b_.load(depth);
      store();
    } else {
      a_.copy_in_order(write_, depth);
      b_.copy_in_order(write_ + TileA::kBytes, depth);
    }
  }

  OperandCopy<Variant, TileA> a_;
  OperandCopy<Variant, TileB> b_;
  std::uint32_t tiles_;
  std::uint32_t tiles_left_;  // not yet asked for
  int last_depth_;            // of k, in the last tile
  ptx::SharedAddress write_;
  ptx::SharedAddress read_;
  bool stored_ = true;
};

// Sums all of k, at least 1. Ends with copies done, but without a barrier.
template <class Variant>
FG_DEVICE void accumulate(Accumulators<Variant>& acc, TilePipeline<Variant>& pipeline, int warp_m, int warp_n) {
  constexpr int kSteps = Variant::kTileK / kBlockDepth;
  constexpr int kRowsN = Variant::kWarpN / kBlockRows;
  constexpr int kRowsM = Variant::kWarpM / kBlockRows;
  // Loads into registers need all the time there is. cp.async writes shared memory, and no ldmatrix is moved up across
  // it: started after the first fragments it does not hold them up.
  constexpr bool kStartFirst = Variant::kPrefetch != Prefetch::kAsync || !Variant::kDoubleFragments;
  const FragmentReader<Variant, typename Variant::TileA, MmaOperand::kNarrow> read_a(warp_m * Variant::kWarpM);
  const FragmentReader<Variant, typename Variant::TileB, MmaOperand::kWide> read_b(warp_n * Variant::kWarpN);
  Fragments<Variant> fragments[Variant::kDoubleFragments ? 2 : 1];
  const auto load_part = [&](int buffer, int step, int n) {
    read_b.load(fragments[buffer].b[n], pipeline.tile_b(), n * kBlockRows, step * kBlockDepth);
#pragma unroll
    for (int m = n * kRowsM / kRowsN; m < (n + 1) * kRowsM / kRowsN; ++m) {
      read_a.load(fragments[buffer].a[m], pipeline.tile_a(), m * kBlockRows, step * kBlockDepth);
    }
  };
  const auto load = [&](int buffer, int step) {
#pragma unroll
    for (int n = 0; n < kRowsN; ++n) load_part(buffer, step, n);
  };

  pipeline.prologue();
  if constexpr (Variant::kDoubleFragments) load(0, 0);
  for (std::uint32_t tiles = pipeline.tiles(); tiles > 0; --tiles) {
    if constexpr (kStartFirst) pipeline.start();
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if constexpr (Variant::kDoubleFragments) {
        // Past the last tile this fetches what an old stage holds, and nothing uses it: cheaper than a branch.
        if (step == kSteps - 1) pipeline.finish();
#pragma unroll
        for (int n = 0; n < kRowsN; ++n) {
          load_part((step + 1) % 2, (step + 1) % kSteps, n);
          multiply_row(acc, fragments[step % 2], n);
        }
        if (!kStartFirst && step == 0) pipeline.start();
      } else {
        load(0, step);
#pragma unroll
        for (int n = 0; n < kRowsN; ++n) multiply_row(acc, fragments[0], n);
      }
    }
    if constexpr (!Variant::kDoubleFragments) pipeline.finish();
  }
}

}  // namespace fastgemm::hgemm_mma
