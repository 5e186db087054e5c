// Which operands pass through workspace before a product, and how the product is cut where workspace is short: into
// panels of the packed operand's rows or columns, with k whole, so that no bit depends on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/sgemm_hopper/config.h"
#include "kernels/sgemm_hopper/shares.h"

namespace fastgemm::hopper {

enum class Pack { kNone, kCopy, kTranspose };

// An operand in workspace: columns of `inner` elements, padded to whole 128-byte lines.
constexpr std::int64_t packed_ld(std::int64_t inner) { return (inner + 31) / 32 * 32; }
constexpr std::int64_t packed_bytes(std::int64_t inner, std::int64_t outer) {
  return (packed_ld(inner) * outer * 4 + 255) / 256 * 256;
}

// A product as the kernels see it: a packed wide operand lies along its own axis, a narrow one as it did.
struct PackingProblem {
  std::int64_t wide = 0;
  std::int64_t narrow = 0;
  std::int64_t k = 0;
  bool narrow_depth_contiguous = false;
  Pack pack_wide = Pack::kNone;
  Pack pack_narrow = Pack::kNone;

  constexpr bool packs() const { return pack_wide != Pack::kNone || pack_narrow != Pack::kNone; }
  // Panels are cut of the wide operand where it is packed, else of the narrow one.
  constexpr bool panels_of_wide() const { return pack_wide != Pack::kNone; }
  constexpr std::int64_t extent() const { return panels_of_wide() ? wide : narrow; }
  constexpr int tile() const { return panels_of_wide() ? kTileWide : kTileNarrow; }
  constexpr std::int64_t tiles_across() const {
    return panels_of_wide() ? (narrow + kTileNarrow - 1) / kTileNarrow : (wide + kTileWide - 1) / kTileWide;
  }
  constexpr std::int64_t narrow_bytes(std::int64_t elements) const {
    return narrow_depth_contiguous ? packed_bytes(k, elements) : packed_bytes(elements, k);
  }
  constexpr std::int64_t panel_bytes(std::int64_t elements) const {
    return panels_of_wide() ? packed_bytes(elements, k) : narrow_bytes(elements);
  }
  // What is packed once, whatever the panels.
  constexpr std::int64_t fixed_bytes() const {
    return panels_of_wide() && pack_narrow != Pack::kNone ? narrow_bytes(narrow) : 0;
  }
};

inline constexpr int kPanelTiles = 128;       // a launch of fewer would leave SMs idle
inline constexpr double kPanelWaves = 0.02;   // what a panel's two launches cost beside a wave of tiles

constexpr std::int64_t fastest_pack_bytes(const PackingProblem& problem) {
  return problem.packs() ? problem.fixed_bytes() + problem.panel_bytes(problem.extent()) : 0;
}

constexpr std::int64_t least_pack_bytes(const PackingProblem& problem) {
  if (!problem.packs()) return 0;
  const std::int64_t tiles = (kPanelTiles + problem.tiles_across() - 1) / problem.tiles_across();
  return problem.fixed_bytes() + problem.panel_bytes(std::min(problem.extent(), tiles * problem.tile()));
}

// Extent of a panel, `least_pack_bytes` of workspace being there: all of it, or as many tiles as make the least waves
// over all panels. `chain_bytes`: with so much more, tiles that do not come out even cost no wave.
inline std::int64_t panel_extent(const PackingProblem& problem, std::int64_t workspace_bytes, int sm_count,
                                 std::int64_t chain_bytes) {
  if (fastest_pack_bytes(problem) <= workspace_bytes) return problem.extent();
  const std::int64_t room = workspace_bytes - problem.fixed_bytes();
  const auto waves_of = [&](std::int64_t extent, bool chained) {
    const std::int64_t tiles = (extent + problem.tile() - 1) / problem.tile() * problem.tiles_across();
    if (chained && tiles > sm_count) return static_cast<double>(tiles) / sm_count;
    return static_cast<double>((tiles + sm_count - 1) / sm_count);
  };
  std::int64_t best = problem.tile();
  double best_waves = 0.0;
  for (std::int64_t extent = problem.tile(); problem.panel_bytes(extent) <= room; extent += problem.tile()) {
    const bool chained = problem.panel_bytes(extent) + chain_bytes <= room;
    const std::int64_t panels = problem.extent() / extent;
    const std::int64_t rest = problem.extent() % extent;
    const double waves = panels * (waves_of(extent, chained) + kPanelWaves) +
                         (rest > 0 ? waves_of(rest, chained) + kPanelWaves : 0.0);
    if (best_waves == 0.0 || waves < best_waves) best = extent, best_waves = waves;
  }
  return best;
}

}  // namespace fastgemm::hopper
