// What the kernels are handed, by value as their one parameter, and which tile comes when.
#pragma once

#include "kernels/contract.h"
#include "kernels/ptx/tma.cuh"
#include "kernels/sgemm_tensor/parts.h"
#include "kernels/tile/tile_order.cuh"

namespace fastgemm::sgemm_tensor {

// op(A), or op(B) transposed: `rows` of `depth` numbers, and where their parts go.
struct SplitOperand {
  const float* g_source = nullptr;
  std::int64_t row_step = 0;  // elements
  std::int64_t k_step = 0;    // one of the two is 1
  int rows = 0;
  std::uint16_t* g_parts = nullptr;  // (rows, part_pitch()), k contiguous: blocks of kBlockK of all parts, 0 past depth
  float* g_unscale = nullptr;        // (rows): what undoes a row's scaling for FP16
};

struct SplitParams {
  SplitOperand operands[kSides];
  Scalar alpha;
  int depth = 0;
  bool bf16_available = false;
  Summary* g_summaries = nullptr;          // (blocks)
  // Words that are 0 before and after.
  std::uint32_t* g_blocks_done = nullptr;
  std::uint32_t* g_tickets = nullptr;
  std::uint32_t* g_items_done = nullptr;
  std::uint32_t* g_method = nullptr;
};

// Tiles of D, or pairs of tiles; fewer than kMaxTiles, so that 32-bit arithmetic does.
struct TileGrid {
  int tiles_m = 0;
  int tiles_n = 0;
};
inline constexpr std::int64_t kMaxTiles = std::int64_t{1} << 27;

// What a method multiplies.
struct PartTiles {
  ptx::TensorMap parts[kSides];
  TileGrid grid;     // of the tiles of a cluster, side by side
  int k_blocks = 0;  // rounded up to whole sums: copies bring zeros past the end of k
};

struct ProductParams {
  PartTiles fp16;
  PartTiles bf16;  // where they are available
  SplitParams split;
  int summary_count = 0;
  bool strict_apart = false;  // plain FP32 has a launch of its own
  GemmProblem problem;

  template <Method kMethod>
  FG_HOST_DEVICE constexpr const PartTiles& tiles() const {
    if constexpr (kMethod == Method::kFp16x3) return fp16;
    else return bf16;
  }
};

// A raster that walks `group` tiles of n before one of m: {m, n}.
__host__ __device__ constexpr TileCoordinate tile_place(const TileGrid& grid, int index, int group) {
  const TileCoordinate at = grouped_raster_tile(index, grid.tiles_n, grid.tiles_m, group);
  return {at.n, at.m};
}

}  // namespace fastgemm::sgemm_tensor
