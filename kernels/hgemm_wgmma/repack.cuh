// Operands that bulk copies cannot reach, because a column starts at no multiple of 16 bytes, are copied into workspace
// first, in the same order but with padded columns. One launch copies both operands.
#pragma once

#include "kernels/contract.h"
#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/grid_dependency.cuh"
#include "kernels/ptx/simt.cuh"
#include "kernels/tile/swizzle.cuh"

namespace fastgemm::hgemm_wgmma {

inline constexpr int kRepackThreads = 256;
inline constexpr int kRepackDepth = 4;  // chunks of 16 bytes a thread copies, of different columns

// FP16 columns of `inner` elements: `outer` of them, in each of `entries` matrices. The result's columns lie to_ld
// apart, at least inner rounded up to kChunkElements, its matrices outer * to_ld; what it holds past `inner` means
// nothing.
struct RepackPlane {
  Operand from;
  std::uint16_t* to = nullptr;
  std::int64_t to_ld = 0;
  std::int64_t inner = 0;
  std::int64_t outer = 0;
  int entries = 0;
  int log_lanes = 0;  // so many threads, 2^log_lanes, go along a column, up to a block of them
  int blocks_along = 0;
  int blocks_across = 0;
  int blocks = 0;  // along x across x entries
};

struct RepackParams {
  GemmProblem problem;  // alpha on the device may be 0: nothing is read then
  RepackPlane planes[2];  // one after the other; a plane with no blocks is none
};

// Two 16-byte words at an aligned address, and how many bytes (even, under 16) into the first a chunk begins.
struct RawChunk {
  uint4 low{};
  uint4 high{};
  int shift = 0;
};

FG_DEVICE uint4 shifted(const RawChunk& raw) {
  std::uint32_t words[8] = {raw.low.x, raw.low.y, raw.low.z, raw.low.w, raw.high.x, raw.high.y, raw.high.z, raw.high.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) words[i] = (raw.shift & 8) != 0 ? words[i + 2] : words[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) words[i] = (raw.shift & 4) != 0 ? words[i + 1] : words[i];
#pragma unroll
  for (int i = 0; i < 4; ++i) words[i] = (raw.shift & 2) != 0 ? words[i] >> 16 | words[i + 1] << 16 : words[i];
  return {words[0], words[1], words[2], words[3]};
}

// Eight elements from `g_from` on, of which `count` (1 or more) exist: by two vectors where these lie within the
// matrix, begin to end, else one by one.
FG_DEVICE RawChunk load_chunk(const std::uint16_t* g_from, std::int64_t count, std::uintptr_t begin,
                              std::uintptr_t end) {
  RawChunk raw;
  const auto address = reinterpret_cast<std::uintptr_t>(g_from);
  const auto shift = address % 16;
  if (address - shift >= begin && address - shift + (shift == 0 ? 16 : 32) <= end) {
    raw.shift = static_cast<int>(shift);
    raw.low = ptx::ld_global_u32x4(reinterpret_cast<const void*>(address - shift));
    if (shift != 0) raw.high = ptx::ld_global_u32x4(reinterpret_cast<const void*>(address - shift + 16));
    return raw;
  }
  std::uint32_t halves[kChunkElements];
#pragma unroll
  for (int i = 0; i < kChunkElements; ++i) halves[i] = i < count ? ptx::ld_global_u16(g_from + i) : 0;
  raw.low = {halves[0] | halves[1] << 16, halves[2] | halves[3] << 16, halves[4] | halves[5] << 16,
             halves[6] | halves[7] << 16};
  return raw;
}

FG_DEVICE void repack_block(const RepackPlane& plane, int block) {
  const int in_order = block / plane.blocks_along;
  const int entry = in_order / plane.blocks_across;
  const int lanes = 1 << plane.log_lanes;
  const int columns = kRepackThreads >> plane.log_lanes;
  const std::int64_t first_column =
      static_cast<std::int64_t>(in_order - entry * plane.blocks_across) * (columns * kRepackDepth) +
      (ptx::thread_index() >> plane.log_lanes);
  const std::int64_t chunk =
      static_cast<std::int64_t>(block - in_order * plane.blocks_along) * lanes + (ptx::thread_index() & (lanes - 1));
  const std::int64_t row = chunk * kChunkElements;
  if (row >= plane.inner) return;
  const auto* g_matrix = static_cast<const std::uint16_t*>(
      batch_entry(plane.from.data, plane.from.pointers, plane.from.batch_stride, DataType::kFloat16, entry));
  const auto begin = reinterpret_cast<std::uintptr_t>(g_matrix);
  const auto end = reinterpret_cast<std::uintptr_t>(g_matrix + (plane.outer - 1) * plane.from.ld + plane.inner);
  RawChunk raw[kRepackDepth];
#pragma unroll
  for (int i = 0; i < kRepackDepth; ++i) {  // all loads are under way before the first is waited for
    const std::int64_t column = first_column + i * columns;
    if (column >= plane.outer) continue;
    raw[i] = load_chunk(g_matrix + column * plane.from.ld + row, plane.inner - row, begin, end);
  }
#pragma unroll
  for (int i = 0; i < kRepackDepth; ++i) {
    const std::int64_t column = first_column + i * columns;
    if (column >= plane.outer) return;
    ptx::st_global_u32x4(plane.to + (entry * plane.outer + column) * plane.to_ld + row, shifted(raw[i]));
  }
}

// Blocks of the first plane, then of the second.
__global__ void __launch_bounds__(kRepackThreads) repack_kernel(const __grid_constant__ RepackParams params) {
  ptx::griddepcontrol_launch_dependents();  // the product waits for the results by itself
  if (!has_product(params.problem)) return;
  const int block = static_cast<int>(ptx::block_index());
  const int first = params.planes[0].blocks;
  if (block < first) {
    repack_block(params.planes[0], block);
  } else {
    repack_block(params.planes[1], block - first);
  }
}

}  // namespace fastgemm::hgemm_wgmma
