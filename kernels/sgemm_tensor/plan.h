// How a product uses the workspace that is there: which of its parts are in it at a time, and where.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/contract.h"
#include "kernels/sgemm_tensor/parts.h"
#include "kernels/splits.h"

namespace fastgemm::sgemm_tensor {

constexpr std::int64_t align_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

// A product's size, of the whole or of a piece.
struct Extents {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

// A piece of the product: all of k if that fits, else D is read and written once for every stretch of k.
struct PiecePlan {
  Extents piece;                // the largest; those at edges are smaller
  bool bf16_available = false;  // there is room for three parts, too
};

// Offsets in bytes from an aligned beginning. FP16 and BF16 parts are never needed at once and share their place.
struct WorkspaceLayout {
  std::size_t summaries = 0;
  std::size_t method = 0;
  std::size_t unscale[kSides] = {};
  std::size_t parts[kSides] = {};
  std::size_t bytes = 0;
};

inline constexpr std::int64_t kSummaryBlocks = 1024;  // that a split pass has at most
inline constexpr std::int64_t kDepthUnit = 64;        // of stretches of k
// Stretches of k so long that passing over D between them costs less than the products: 2 * 4 bytes an element at
// 4 TB/s against 2 * 1024 operations at 260, or 130, TFLOP/s.
inline constexpr std::int64_t kLongStretch = 1024;
inline constexpr std::int64_t kShortStretch = 512;
// Deeper products are the sum, in D, of products of so much: their parts need no more workspace, and few roundings of
// D change nothing.
inline constexpr std::int64_t kDeep = 16384;
inline constexpr std::int64_t kLeastSide = 1536;  // of pieces of D, so that they have about a tile for each SM

constexpr WorkspaceLayout workspace_layout(const Extents& piece, bool bf16_available) {
  constexpr std::int64_t kUnit = kWorkspaceAlignment;
  const std::int64_t pitch = align_up(piece.k, 32) * (bf16_available ? 6 : 4);
  const std::int64_t rows[kSides] = {piece.n, piece.m};
  WorkspaceLayout layout;
  std::int64_t at = 0;
  layout.summaries = static_cast<std::size_t>(at);
  at += kSummaryBlocks * static_cast<std::int64_t>(sizeof(Summary));
  layout.method = static_cast<std::size_t>(at);
  at += kUnit;
  for (int side = 0; side < kSides; ++side) {
    layout.unscale[side] = static_cast<std::size_t>(at);
    at += align_up(rows[side] * 4, kUnit);
    layout.parts[side] = static_cast<std::size_t>(at);
    at += align_up(rows[side] * pitch, kUnit);
  }
  layout.bytes = static_cast<std::size_t>(at + kUnit);  // and what aligning its beginning takes
  return layout;
}

// The longest stretch of k, in whole units, whose parts fit; 0: none.
constexpr std::int64_t longest_stretch(Extents piece, bool bf16_available, std::size_t bytes) {
  std::int64_t units = (piece.k + kDepthUnit - 1) / kDepthUnit;
  std::int64_t too_many = units + 1;
  for (units = 0; units + 1 < too_many;) {
    const std::int64_t middle = (units + too_many) / 2;
    piece.k = middle * kDepthUnit;
    (workspace_layout(piece, bf16_available).bytes <= bytes ? units : too_many) = middle;
  }
  return units * kDepthUnit;
}

// Whole D in stretches of at least `least` of k, none much shorter than the others; k 0: they do not fit.
constexpr Extents whole_d(const Extents& whole, bool bf16_available, std::size_t bytes, std::int64_t least) {
  if (workspace_layout(whole, bf16_available).bytes <= bytes) return whole;
  const std::int64_t longest = longest_stretch(whole, bf16_available, bytes);
  if (longest < least) return {};
  const std::int64_t stretches = (whole.k + longest - 1) / longest;
  return {whole.m, whole.n, align_up((whole.k + stretches - 1) / stretches, kDepthUnit)};
}

// What must fit for a launch.
constexpr Extents least_piece(const Extents& whole) {
  return {std::min(whole.m, kLeastSide), std::min(whole.n, kLeastSide), std::min(whole.k, kShortStretch)};
}

// The side of equal pieces, no longer than `longest`, in whole tiles of every kernel.
constexpr std::int64_t equal_side(std::int64_t whole, std::int64_t longest) {
  constexpr std::int64_t kUnit = 384;
  const std::int64_t pieces = (whole + longest - 1) / longest;
  return std::min(longest, align_up((whole + pieces - 1) / pieces, kUnit));
}

// Pieces of D, as square and as equal as it allows, and stretches of k at least as long as the least piece's, which
// fits.
constexpr Extents part_of_d(const Extents& whole, std::size_t bytes) {
  Extents piece = least_piece(whole);
  const auto fits = [&](const Extents& larger) { return workspace_layout(larger, false).bytes <= bytes; };
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto side : {&Extents::m, &Extents::n}) {
      Extents larger = piece;
      larger.*side = std::min(whole.*side, piece.*side + kLeastSide);
      if (larger.*side == piece.*side || !fits(larger)) continue;
      piece = larger;
      grows = true;
    }
  }
  piece.m = equal_side(whole.m, piece.m);
  piece.n = equal_side(whole.n, piece.n);
  const Extents longer = whole_d({piece.m, piece.n, whole.k}, false, bytes, piece.k);
  return longer.k > 0 ? longer : piece;
}

// Three parts where their stretches of k are long, two where they are not too short, else pieces of D.
constexpr PiecePlan plan_pieces(Extents whole, std::size_t bytes) {
  whole.k = std::min(whole.k, kDeep);
  if (const Extents piece = whole_d(whole, true, bytes, kLongStretch); piece.k > 0) return {piece, true};
  if (const Extents piece = whole_d(whole, false, bytes, kShortStretch); piece.k > 0) return {piece, false};
  return {part_of_d(whole, bytes), false};
}

constexpr WorkspaceNeed workspace_need(Extents whole) {
  whole.k = std::min(whole.k, kDeep);
  return {workspace_layout(least_piece(whole), false).bytes, workspace_layout(whole, true).bytes};
}

}  // namespace fastgemm::sgemm_tensor
