// Products of operands that bulk copies cannot reach: what is repacked into workspace, and, where workspace does not
// hold it all, the panels of D that are computed one after another, each over all of k.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/alignment.h"
#include "kernels/contract.h"
#include "kernels/splits.h"

namespace fastgemm::hgemm_wgmma {

inline constexpr std::int64_t kMaxStride = std::int64_t{1} << 39;  // elements, within what tensor maps hold

// Batch entries one after another in memory, or all the same.
inline bool ascending(std::int64_t batch_stride, std::int64_t batch_count) {
  return batch_count == 1 || (batch_stride >= 0 && batch_stride < kMaxStride);
}

// Whether bulk copies can reach a matrix: the host knows where it is, and columns start at multiples of 16 bytes.
inline bool copies_reach(const void* data, const void* const* pointers, std::int64_t ld, std::int64_t batch_stride,
                         DataType type, std::int64_t batch_count) {
  return pointers == nullptr && ld < kMaxStride && ascending(batch_stride, batch_count) &&
         operand_alignment(reinterpret_cast<std::uintptr_t>(data), ld, batch_stride, type, batch_count) >= 16;
}

inline bool copies_reach(const Operand& operand, std::int64_t batch_count) {
  return copies_reach(operand.data, operand.pointers, operand.ld, operand.batch_stride, DataType::kFloat16,
                      batch_count);
}

inline bool needs_repack_a(const GemmProblem& problem) { return !copies_reach(problem.a, problem.batch_count); }
inline bool needs_repack_b(const GemmProblem& problem) { return !copies_reach(problem.b, problem.batch_count); }
inline bool needs_repack(const GemmProblem& problem) { return needs_repack_a(problem) || needs_repack_b(problem); }

constexpr std::int64_t round_up_to(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

// An operand, or a panel of `extent` of it along m or n, as columns in memory. They are repacked to begin at multiples
// of 128 bytes, as the rows of 64 elements that copies fetch are then a cache line each, not parts of two: with a ld of
// 2056 in place of 2048 products of 2048 took 40 to 55 us on one H200, not 28 to 36.
struct Columns {
  std::int64_t inner = 0;
  std::int64_t outer = 0;
  std::int64_t padded() const { return round_up_to(inner, 64); }
  std::int64_t bytes() const {
    return round_up_to(padded() * outer * 2, static_cast<std::int64_t>(kWorkspaceAlignment));
  }
};

inline Columns columns_of_a(const GemmProblem& problem, std::int64_t m) {
  return problem.op_a == Op::kT ? Columns{problem.k, m} : Columns{m, problem.k};
}
inline Columns columns_of_b(const GemmProblem& problem, std::int64_t n) {
  return problem.op_b == Op::kN ? Columns{problem.k, n} : Columns{n, problem.k};
}

// Entries of the batch that a repacked operand has.
inline std::int64_t repacked_entries(const Operand& operand, std::int64_t entries) {
  return operand.pointers == nullptr && operand.batch_stride == 0 ? 1 : entries;
}

// D in pieces of so many rows, columns and batch entries.
struct Panels {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t entries = 0;
};

inline std::int64_t panel_bytes_a(const GemmProblem& problem, const Panels& panels) {
  if (!needs_repack_a(problem)) return 0;
  return columns_of_a(problem, panels.m).bytes() * repacked_entries(problem.a, panels.entries);
}
inline std::int64_t panel_bytes_b(const GemmProblem& problem, const Panels& panels) {
  if (!needs_repack_b(problem)) return 0;
  return columns_of_b(problem, panels.n).bytes() * repacked_entries(problem.b, panels.entries);
}
inline std::int64_t panel_bytes(const GemmProblem& problem, const Panels& panels) {
  return panel_bytes_a(problem, panels) + panel_bytes_b(problem, panels);
}

// The smallest panels there are: a tile, or, in a batch, an entry.
inline Panels least_panels(const GemmProblem& problem, TileShape tile) {
  if (problem.batch_count > 1) return {problem.m, problem.n, 1};
  return {needs_repack_a(problem) ? std::min<std::int64_t>(problem.m, tile.m) : problem.m,
          needs_repack_b(problem) ? std::min<std::int64_t>(problem.n, tile.n) : problem.n, 1};
}

inline WorkspaceNeed repack_workspace(const GemmProblem& problem, TileShape tile) {
  if (!needs_repack(problem)) return {};
  const Panels whole{problem.m, problem.n, problem.batch_count};
  return {static_cast<std::size_t>(panel_bytes(problem, least_panels(problem, tile))),
          static_cast<std::size_t>(panel_bytes(problem, whole))};
}

// Clocks that D in such panels takes: every panel ends in a partial wave, and A is repacked for each panel along n.
inline double panel_clocks(const GemmProblem& problem, const Panels& panels, TileShape tile, int sm_count) {
  constexpr double kFlopsPerClockSm = 2600.0;
  constexpr double kBytesPerClock = 2200.0;  // of all SMs together
  constexpr double kLaunchClocks = 4000.0;
  const auto count = [](std::int64_t length, std::int64_t unit) {
    return static_cast<double>((length + unit - 1) / unit);
  };
  const double panels_n = count(problem.n, panels.n);
  const double number = count(problem.m, panels.m) * panels_n;
  const double tiles = count(panels.m, tile.m) * count(panels.n, tile.n);
  const double waves = static_cast<double>(static_cast<std::int64_t>(tiles + sm_count - 1) / sm_count);
  const double tile_clocks = 2.0 * tile.m * tile.n * static_cast<double>(problem.k) / kFlopsPerClockSm;
  const double bytes = 4.0 * static_cast<double>(problem.k) *
                       ((needs_repack_a(problem) ? static_cast<double>(problem.m) * panels_n : 0.0) +
                        (needs_repack_b(problem) ? static_cast<double>(problem.n) : 0.0));
  return number * (waves * tile_clocks + 2.0 * kLaunchClocks) + bytes / kBytesPerClock;
}

// The panels that take the least time of those that `bytes` of workspace hold; with m == 0 where it holds none.
inline Panels choose_panels(const GemmProblem& problem, TileShape tile, std::int64_t bytes, int sm_count) {
  constexpr std::int64_t kMaxPanels = 64;  // tried along n
  const Panels whole{problem.m, problem.n, problem.batch_count};
  const std::int64_t whole_bytes = panel_bytes(problem, whole);
  if (whole_bytes <= bytes) return whole;
  if (problem.batch_count > 1) {
    const std::int64_t entry_bytes = panel_bytes(problem, {problem.m, problem.n, 1});
    if (entry_bytes > bytes) return {};
    return {problem.m, problem.n, std::min(problem.batch_count, bytes / entry_bytes)};
  }
  Panels best;
  double best_clocks = 0.0;
  const std::int64_t counts = needs_repack_b(problem) ? std::min(kMaxPanels, (problem.n + tile.n - 1) / tile.n) : 1;
  for (std::int64_t count = 1; count <= counts; ++count) {
    Panels panels{problem.m, problem.n, 1};
    if (count > 1) panels.n = round_up_to((problem.n + count - 1) / count, tile.n);
    if (count == kMaxPanels) panels.n = tile.n;
    const std::int64_t rest = bytes - panel_bytes_b(problem, panels);
    if (rest < 0) continue;
    if (needs_repack_a(problem) && panel_bytes_a(problem, panels) > rest) {
      std::int64_t fits = rest / (problem.k * 2) / tile.m * tile.m;  // but for what columns are padded by
      while (fits > 0 && columns_of_a(problem, fits).bytes() > rest) fits -= tile.m;
      if (fits <= 0) continue;
      const std::int64_t panels_m = (problem.m + fits - 1) / fits;
      panels.m = round_up_to((problem.m + panels_m - 1) / panels_m, tile.m);
    }
    const double clocks = panel_clocks(problem, panels, tile, sm_count);
    if (best.m == 0 || clocks < best_clocks) best = panels, best_clocks = clocks;
  }
  return best;
}

// `problem` restricted to the panel that begins at (m, n, entry). Pointer arrays allow entries alone.
inline GemmProblem panel_problem(const GemmProblem& problem, const Panels& panels, const Panels& begin) {
  GemmProblem panel = problem;
  panel.m = std::min(panels.m, problem.m - begin.m);
  panel.n = std::min(panels.n, problem.n - begin.n);
  panel.batch_count = std::min(panels.entries, problem.batch_count - begin.entries);
  const auto move = [&](auto& matrix, DataType type, std::int64_t elements) {
    using Pointer = decltype(matrix.data);
    const std::int64_t bytes = (elements + begin.entries * matrix.batch_stride) * element_size(type);
    if (matrix.data != nullptr) {
      matrix.data = const_cast<Pointer>(static_cast<const void*>(static_cast<const char*>(matrix.data) + bytes));
    }
    if (matrix.pointers != nullptr) matrix.pointers += begin.entries;
  };
  move(panel.a, problem.type_ab, problem.op_a == Op::kN ? begin.m : begin.m * problem.a.ld);
  move(panel.b, problem.type_ab, problem.op_b == Op::kN ? begin.n * problem.b.ld : begin.n);
  move(panel.c, problem.type_cd, begin.m + begin.n * problem.c.ld);
  move(panel.d, problem.type_cd, begin.m + begin.n * problem.d.ld);
  if (problem.bias != nullptr) {
    panel.bias = static_cast<const char*>(problem.bias) +
                 (begin.m + begin.entries * problem.bias_stride) * element_size(problem.type_cd);
  }
  return panel;
}

}  // namespace fastgemm::hgemm_wgmma
