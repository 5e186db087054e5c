// Copies of operand tiles from device to shared memory, by all threads of a block. What lies outside the matrix is not
// read and becomes 0 in the tile; both operands are padded at the same k, so padding only ever meets padding there.
#pragma once

#include "kernels/hgemm_mma/config.h"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/shared.cuh"

namespace fastgemm::hgemm_mma {

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
      value.x = pair(from, valid);
      value.y = pair(from + 4, valid - 4);
      value.z = pair(from + 8, valid - 8);
      value.w = pair(from + 12, valid - 12);
    }
  }
  FG_DEVICE void store(ptx::SharedAddress to) const { ptx::st_shared_u32x4(to, value); }

 private:
  static FG_DEVICE std::uint32_t pair(const char* from, int valid) {
    const std::uint32_t low = valid >= 2 ? ptx::ld_global_u16(from) : 0u;
    const std::uint32_t high = valid >= 4 ? ptx::ld_global_u16(from + 2) : 0u;
    return low | high << 16;
  }
};

// Two elements: by one load where the address allows.
template <int kAlignment>
struct RegisterUnit<2, kAlignment> {
  static constexpr bool kWhole = kAlignment >= 4;
  std::uint32_t low;   // or both
  std::uint32_t high;

  FG_DEVICE void load(const char* from, int valid) {
    low = 0;
    high = 0;
    if (kWhole && valid == 4) {
      low = ptx::ld_global_u32(from);
      return;
    }
    if (valid >= 2) low = ptx::ld_global_u16(from);
    if (!kWhole && valid >= 4) high = ptx::ld_global_u16(from + 2);
  }
  FG_DEVICE void store(ptx::SharedAddress to) const { ptx::st_shared_u32(to, kWhole ? low : low | high << 16); }
};

// One thread's share of an operand's tiles: in each of kPasses passes one unit, kLinesPerPass lines apart. Tiles follow
// each other along k.
template <class Variant, class Tile>
class OperandCopy {
 public:
  static constexpr int kUnit = Variant::kUnit;
  static constexpr int kUnitsPerLine = Tile::kLineElements / kUnit;
  static constexpr int kLinesPerPass = Variant::kThreads / kUnitsPerLine;
  static constexpr int kPasses = Tile::kLines / kLinesPerPass;
  static_assert(kLinesPerPass * kUnitsPerLine == Variant::kThreads, "every thread copies in every pass");
  static_assert(kPasses * kLinesPerPass == Tile::kLines, "passes cover the tile");
  static_assert((kLinesPerPass & (kLinesPerPass - 1)) == 0, "phases of the passes are XORed");

  // `rows` rows of the operand are left from `first_row` on.
  FG_DEVICE OperandCopy(const void* matrix, std::int64_t ld, std::int64_t first_row, std::int64_t rows) {
    const int thread = ptx::thread_index();
    const int first_unit = thread % kUnitsPerLine * kUnit;
    first_line_ = thread / kUnitsPerLine;
    first_element_ = first_unit;
    rows_ = static_cast<int>(rows < Tile::kRows ? rows : Tile::kRows);
    const std::int64_t start = Tile::kDepthContiguous ? (first_row + first_line_) * ld + first_unit
                                                      : first_line_ * ld + first_row + first_unit;
    source_ = static_cast<const char*>(matrix) + start * 2;
    line_step_ = kLinesPerPass * ld * 2;
    tile_step_ = Tile::kDepthContiguous ? Tile::kDepth * 2 : Tile::kDepth * ld * 2;
    target_ = Tile::offset(first_line_, first_unit / kChunkElements) + first_unit % kChunkElements * 2;
  }

  // Starts the copy of the next tile, of which `depth` elements of k exist, into shared memory at `tile`.
  FG_DEVICE void copy_async(ptx::SharedAddress tile, int depth, bool last) {
    if (rows_ == Tile::kRows && depth == Tile::kDepth) {
      copy_async_units<kWhole>(tile, depth);
    } else if (!last) {
      copy_async_units<kCut>(tile, depth);
    } else {
      copy_async_end(tile, depth);
    }
    source_ += tile_step_;
  }

  // Loads this thread's share of the next tile into registers, for a later store().
  FG_DEVICE void load(int depth) {
    const char* from = source_;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      units_[pass].load(from, valid_bytes(pass, depth));
      from += line_step_;
    }
    source_ += tile_step_;
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
      RegisterUnit<kUnit, Variant::kAlignment> unit;
      unit.load(from, valid_bytes(pass, depth));
      unit.store(target(tile, pass));
      from += line_step_;
    }
    source_ += tile_step_;
  }

 private:
  FG_DEVICE ptx::SharedAddress target(ptx::SharedAddress tile, int pass) const {
    const int lines = pass * kLinesPerPass;
    return (tile + (target_ ^ Tile::phase(lines) * kChunkBytes)) + lines * Tile::kLineBytes;
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
        RegisterUnit<kUnit, Variant::kAlignment> unit;
        unit.load(from, valid);
        unit.store(target(tile, pass));
      }
      from += line_step_;
    }
  }

  // How many bytes of the unit in `pass` exist.
  FG_DEVICE int valid_bytes(int pass, int depth) const {
    const int lines = Tile::kDepthContiguous ? rows_ : depth;
    const int elements = (Tile::kDepthContiguous ? depth : rows_) - first_element_;
    const int inside = elements < 0 ? 0 : elements < kUnit ? elements : kUnit;
    return first_line_ + pass * kLinesPerPass < lines ? inside * 2 : 0;
  }

  const char* source_;      // this thread's unit of the first pass, in the next tile
  std::int64_t line_step_;  // bytes between passes
  std::int64_t tile_step_;  // bytes between tiles
  std::uint32_t target_;    // bytes from the start of the tile in shared memory
  int first_line_;
  int first_element_;  // in its line
  int rows_;           // rows of the operand that exist in this block's tile
  RegisterUnit<kUnit, Variant::kAlignment> units_[Variant::kPrefetch == Prefetch::kAsync ? 1 : kPasses];
};

}  // namespace fastgemm::hgemm_mma
