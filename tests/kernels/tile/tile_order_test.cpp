// Tile orders are bijections, and the Hilbert order walks from neighbour to neighbour.
#include "kernels/tile/tile_order.cuh"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace fastgemm {
namespace {

// Whether order(0), order(1) ... visits every tile of the grid exactly once.
template <class Order>
bool is_permutation(int tiles_m, int tiles_n, Order order) {
  std::vector<bool> seen(static_cast<std::size_t>(tiles_m) * tiles_n, false);
  for (std::int64_t index = 0; index < std::int64_t{tiles_m} * tiles_n; ++index) {
    const TileCoordinate at = order(index);
    if (at.m < 0 || at.m >= tiles_m || at.n < 0 || at.n >= tiles_n) return false;
    const std::size_t cell = static_cast<std::size_t>(at.n) * tiles_m + at.m;
    if (seen[cell]) return false;
    seen[cell] = true;
  }
  return true;
}

struct Steps {
  int diagonal = 0;
  int longer = 0;  // neither to a neighbour nor to a diagonal neighbour
};

Steps count_steps(int tiles_m, int tiles_n, std::int64_t first, std::int64_t last) {
  Steps steps;
  TileCoordinate before = hilbert_tile(first, tiles_m, tiles_n);
  for (std::int64_t index = first + 1; index < last; ++index) {
    const TileCoordinate at = hilbert_tile(index, tiles_m, tiles_n);
    const int dm = std::abs(at.m - before.m);
    const int dn = std::abs(at.n - before.n);
    if (std::max(dm, dn) > 1) ++steps.longer;
    if (dm == 1 && dn == 1) ++steps.diagonal;
    before = at;
  }
  return steps;
}

const std::pair<int, int> kLargeGrids[] = {{1, 5000},  {5000, 1}, {2, 3001},  {3, 1000},
                                           {257, 255}, {64, 640}, {333, 100}, {128, 128}};

}  // namespace

TEST_CASE("hilbert order is a permutation of every grid", "[tile]") {
  for (int m = 1; m <= 40; ++m) {
    for (int n = 1; n <= 40; ++n) {
      CAPTURE(m, n);
      CHECK(is_permutation(m, n, [&](std::int64_t i) { return hilbert_tile(i, m, n); }));
    }
  }
  for (const auto& [m, n] : kLargeGrids) {
    CAPTURE(m, n);
    CHECK(is_permutation(m, n, [m = m, n = n](std::int64_t i) { return hilbert_tile(i, m, n); }));
  }
}

TEST_CASE("hilbert order steps to a neighbour, once at most to a diagonal one", "[tile]") {
  for (int m = 1; m <= 40; ++m) {
    for (int n = 1; n <= 40; ++n) {
      CAPTURE(m, n);
      const Steps steps = count_steps(m, n, 0, std::int64_t{m} * n);
      CHECK(steps.longer == 0);
      CHECK(steps.diagonal <= 1);
      if (std::max(m, n) % 2 == 0) CHECK(steps.diagonal == 0);
    }
  }
  for (const auto& [m, n] : kLargeGrids) {
    CAPTURE(m, n);
    CHECK(count_steps(m, n, 0, std::int64_t{m} * n).longer == 0);
  }
}

TEST_CASE("hilbert order holds beyond 2^31 tiles", "[tile]") {
  const int m = 100000;
  const int n = 99998;
  const std::int64_t tiles = std::int64_t{m} * n;
  for (const std::int64_t first : {std::int64_t{1} << 31, std::int64_t{1} << 32, tiles / 2, tiles - 5000}) {
    CAPTURE(first);
    const Steps steps = count_steps(m, n, first - 2000, std::min(first + 2000, tiles));
    CHECK(steps.longer == 0);
    CHECK(steps.diagonal == 0);
  }
}

// What the order is for: tiles under way at once need few different rows of A and columns of B.
TEST_CASE("132 consecutive tiles of the hilbert order share rows and columns", "[tile]") {
  const int side = 64;
  for (std::int64_t first = 0; first + 132 <= side * side; first += 132) {
    std::set<int> rows, columns;
    for (std::int64_t i = first; i < first + 132; ++i) {
      const TileCoordinate at = hilbert_tile(i, side, side);
      rows.insert(at.m);
      columns.insert(at.n);
    }
    CAPTURE(first);
    CHECK(rows.size() + columns.size() <= 44);  // 23 for a square of tiles, 67 for rows of the grid one after another
  }
}

TEST_CASE("grouped raster is a permutation and stays in its group", "[tile]") {
  for (const int group : {1, 3, 8, 50}) {
    for (int m = 1; m <= 20; ++m) {
      for (int n = 1; n <= 20; ++n) {
        CAPTURE(group, m, n);
        CHECK(is_permutation(m, n, [&](std::int64_t i) { return grouped_raster_tile(i, m, n, group); }));
        const TileCoordinate last_of_group = grouped_raster_tile(std::int64_t{std::min(group, m)} * n - 1, m, n, group);
        CHECK(last_of_group.m == std::min(group, m) - 1);
        CHECK(last_of_group.n == n - 1);
      }
    }
  }
}

}  // namespace fastgemm
