// Copies of operand tiles from device to shared memory, by all threads of a block. What lies outside the matrix is not
// read and becomes 0 in the tile; both operands are padded at the same k, so padding only ever meets padding there.
#pragma once

#include "kernels/hgemm_mma/config.h"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/tile/tile_copy_map.cuh"

namespace fastgemm::hgemm_mma {

// Elements `from` and the next as one word; of `valid` bytes only those that exist.
FG_DEVICE std::uint32_t load_pair(const char* from, int valid) {
  const std::uint32_t low = valid >= 2 ? ptx::ld_global_u16(from) : 0u;
  const std::uint32_t high = valid >= 4 ? ptx::ld_global_u16(from + 2) : 0u;
  return low | high << 16;
}

FG_DEVICE uint4 load_elements(const char* from, int valid) {
  return {load_pair(from, valid), load_pair(from + 4, valid - 4), load_pair(from + 8, valid - 8),
          load_pair(from + 12, valid - 12)};
}

// What one thread copies at once through registers: `valid` bytes, the rest 0.
template <int kUnit, int kAlignment>
struct RegisterUnit;

template <>
struct RegisterUnit<8, 16> {
  uint4 value;

  FG_DEVICE void load(const char* from, int valid) {
    value = uint4{0, 0, 0, 0};
    if (valid == 16) {
      value = ptx::ld_global_u32x4(from);
    } else if (valid > 0) {
      value = load_elements(from, valid);
    }
  }
  FG_DEVICE void store(ptx::SharedAddress to) const { ptx::st_shared_u32x4(to, value); }
};

// Two elements: by one load where they exist and the address allows, else by two, which meet when they are stored.
template <int kAlignment>
struct RegisterUnit<2, kAlignment> {
  static constexpr bool kByOne = kAlignment >= 4;
  std::uint32_t low;  // or both
  std::uint32_t high;

  FG_DEVICE void load(const char* from, int valid) {
    high = 0;
    if (kByOne && valid == 4) {
      low = ptx::ld_global_u32(from);
    } else {
      low = valid >= 2 ? ptx::ld_global_u16(from) : 0u;
      if (!kByOne && valid >= 4) high = ptx::ld_global_u16(from + 2);
    }
  }
  FG_DEVICE void store(ptx::SharedAddress to) const { ptx::st_shared_u32(to, kByOne ? low : low | high << 16); }
};

// One thread's share of an operand's tiles: in each pass one unit. Tiles follow each other along k.
template <class Variant, class Tile, int kAlignment>
class OperandCopy {
 public:
  static constexpr int kUnit = Variant::unit(kAlignment);
  using Map = TileCopyMap<Tile, Variant::kThreads, kUnit>;
  static constexpr int kPasses = Map::kPasses;
  static_assert(Tile::kDepth <= 256, "a depth fits beside the rows in position_");

  // Of an operand with `rows` rows, the part from `first_row` on.
  FG_DEVICE OperandCopy(const void* matrix, std::int64_t ld, std::int64_t rows, std::int64_t first_row) {
    const int thread = ptx::thread_index();
    const int row = Tile::kDepthContiguous ? Map::line(thread) : Map::element(thread);
    const int depth = Tile::kDepthContiguous ? Map::element(thread) : Map::line(thread);
    const int rows_in_tile = static_cast<int>(rows - first_row < Tile::kRows ? rows - first_row : Tile::kRows);
    all_rows_ = rows_in_tile == Tile::kRows;
    position_ = (rows_in_tile - row) * 256 + depth;
    const std::int64_t element =
        Tile::kDepthContiguous ? (first_row + row) * ld + depth : first_row + row + depth * ld;
    source_ = static_cast<const char*>(matrix) + element * 2;
    line_step_ = Map::kLinesPerPass * ld * 2;
    target_ = Map::target(thread);
  }

  // Starts the copy of the next tile, of which `depth` elements of k exist, into shared memory at `tile`.
  FG_DEVICE void copy_async(ptx::SharedAddress tile, int depth, bool last) {
    if (all_rows_ && depth == Tile::kDepth) {
      copy_async_units<kWhole>(tile, depth);
    } else if (!last || whole_units(depth)) {
      copy_async_units<kCut>(tile, depth);
    } else {
      copy_async_end(tile, depth);
    }
    source_ = next_tile();
  }

  // Loads this thread's share of the next tile into registers, for a later store().
  FG_DEVICE void load(int depth) {
    const char* from = source_;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      units_[pass].load(from, valid_bytes(pass, depth));
      from += line_step_;
    }
    source_ = next_tile();
  }

  FG_DEVICE void store(ptx::SharedAddress tile) const {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) units_[pass].store(target(tile, pass));
  }

  // Loads and stores at once, one unit after the other.
  FG_DEVICE void copy_in_order(ptx::SharedAddress tile, int depth) {
    const char* from = source_;
#pragma unroll 1
    for (int pass = 0; pass < kPasses; ++pass) {
      RegisterUnit<kUnit, kAlignment> unit;
      unit.load(from, valid_bytes(pass, depth));
      unit.store(target(tile, pass));
      from += line_step_;
    }
    source_ = next_tile();
  }

 private:
  FG_DEVICE ptx::SharedAddress target(ptx::SharedAddress tile, int pass) const {
    return (tile + (target_ ^ Map::pass_flip(pass))) + Map::pass_advance(pass);
  }

  enum Extent { kWhole, kCut };  // whether the matrix fills the tile

  static FG_DEVICE void start_unit(ptx::SharedAddress to, const char* from, int valid) {
    if constexpr (kUnit == 8) {
      ptx::cp_async_16(to, from, valid);
    } else {
      ptx::cp_async_4(to, from, valid);
    }
  }

  template <Extent kExtent>
  FG_DEVICE void copy_async_units(ptx::SharedAddress tile, int depth) const {
    const char* from = source_;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      start_unit(target(tile, pass), from, kExtent == kWhole ? kUnit * 2 : valid_bytes(pass, depth));
      from += line_step_;
    }
  }

  // The matrix may end inside a unit of its last line, and there alone memory may end too. cp.async reads no further,
  // but compute-sanitizer takes it for a read of the whole unit: so those units go through registers.
  FG_DEVICE void copy_async_end(ptx::SharedAddress tile, int depth) const {
    const char* from = source_;
#pragma unroll 1
    for (int pass = 0; pass < kPasses; ++pass) {
      const int valid = valid_bytes(pass, depth);
      if (valid == 0 || valid == kUnit * 2) {
        start_unit(target(tile, pass), from, valid);
      } else {
        RegisterUnit<kUnit, kAlignment> unit;
        unit.load(from, valid);
        unit.store(target(tile, pass));
      }
      from += line_step_;
    }
  }

  // Where the rows are contiguous, the passes go over all of a tile's depth.
  FG_DEVICE const char* next_tile() const {
    return source_ + (Tile::kDepthContiguous ? std::int64_t{Tile::kDepth * 2} : kPasses * line_step_);
  }

  // Whether the matrix ends between units.
  FG_DEVICE bool whole_units(int depth) const {
    return ((Tile::kDepthContiguous ? depth : position_ >> 8) & (kUnit - 1)) == 0;
  }

  // How many bytes of the unit in `pass` exist.
  FG_DEVICE int valid_bytes(int pass, int depth) const {
    const int depth_left = depth - (position_ & 0xff);
    const int rows_left = position_ >> 8;
    const int lines = Tile::kDepthContiguous ? rows_left : depth_left;
    const int elements = Tile::kDepthContiguous ? depth_left : rows_left;
    const int inside = elements < 0 ? 0 : elements < kUnit ? elements : kUnit;
    return pass * Map::kLinesPerPass < lines ? inside * 2 : 0;
  }

  const char* source_;      // this thread's unit of the first pass, in the next tile
  std::int64_t line_step_;  // bytes between passes
  std::uint32_t target_;    // bytes from the start of the tile in shared memory
  // Of this thread's unit of the first pass: the rows of the operand that the tile holds from there on, times 256, plus
  // its depth in the tile. In one register, for blocks of 512 threads have none to spare.
  int position_;
  bool all_rows_;  // the operand fills the tile's rows
  RegisterUnit<kUnit, kAlignment> units_[Variant::kPrefetch == Prefetch::kAsync ? 1 : kPasses];
};

}  // namespace fastgemm::hgemm_mma
