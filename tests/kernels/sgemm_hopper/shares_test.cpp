// Equal shares of the work: every k block of every tile belongs to one share, and a tile that a border cuts passes from
// one share to the next in ascending k.
#include "kernels/sgemm_hopper/shares.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace fastgemm::hopper {
namespace {

std::vector<ShareGrid> small_grids() {
  std::vector<ShareGrid> grids;
  for (const int tiles : {1, 2, 3, 7, 12, 133}) {
    for (const int k_blocks : {1, 2, 5, 32}) {
      for (const int shares : {1, 2, 3, 5, 7, 11, 132}) {
        if (shares > tiles) continue;
        for (const bool chained : {false, true}) grids.push_back({tiles, k_blocks, shares, chained});
      }
    }
  }
  return grids;
}

}  // namespace

TEST_CASE("shares cover every k block of every tile once", "[kernels][hopper]") {
  for (const ShareGrid& grid : small_grids()) {
    std::vector<int> owner(static_cast<std::size_t>(grid.tiles * grid.k_blocks), -1);
    for (int number = 0; number < grid.shares; ++number) {
      const Share share = make_share(grid, number);
      REQUIRE(share.segments >= 1);
      for (int index = 0; index < share.segments; ++index) {
        const Segment segment = segment_of(grid, share, index);
        REQUIRE(segment.first < segment.end);
        REQUIRE(segment.end <= grid.k_blocks);
        for (int block = segment.first; block < segment.end; ++block) {
          int& of_block = owner[static_cast<std::size_t>(segment.tile * grid.k_blocks + block)];
          REQUIRE(of_block == -1);
          of_block = number;
        }
      }
    }
    CHECK(std::count(owner.begin(), owner.end(), -1) == 0);
    CHECK(std::is_sorted(owner.begin(), owner.end()));
  }
}

TEST_CASE("a cut tile is begun by a share's first segment and continued by the next share's last", "[kernels][hopper]") {
  int cuts = 0;
  for (const ShareGrid& grid : small_grids()) {
    for (int number = 0; number < grid.shares; ++number) {
      const Share share = make_share(grid, number);
      for (int index = 0; index < share.segments; ++index) {
        const Segment segment = segment_of(grid, share, index);
        if (segment.end < grid.k_blocks) {  // parked for the next share
          REQUIRE(grid.chained);
          REQUIRE(index == 0);
          REQUIRE(number + 1 < grid.shares);
          const Share next = make_share(grid, number + 1);
          const Segment continued = segment_of(grid, next, next.segments - 1);
          CHECK(continued.tile == segment.tile);
          CHECK(continued.first == segment.end);
          ++cuts;
        }
        if (segment.first > 0) CHECK(index == share.segments - 1);
        if (segment.first > 0) CHECK(number > 0);
        // With a share a tile long or longer, no segment both waits for another share and is waited for.
        CHECK((segment.first == 0 || segment.end == grid.k_blocks));
      }
    }
  }
  CHECK(cuts > 100);
}

TEST_CASE("chained shares are equal, whole ones differ by a tile", "[kernels][hopper]") {
  for (const ShareGrid& grid : small_grids()) {
    int least = std::numeric_limits<int>::max();
    int most = 0;
    for (int number = 0; number < grid.shares; ++number) {
      const Share share = make_share(grid, number);
      least = std::min(least, share.end - share.begin);
      most = std::max(most, share.end - share.begin);
    }
    CHECK(most - least <= (grid.chained ? 1 : grid.k_blocks));
  }
}

TEST_CASE("segments follow each other in a share's count of k blocks", "[kernels][hopper]") {
  for (const ShareGrid& grid : small_grids()) {
    for (int number = 0; number < grid.shares; ++number) {
      const Share share = make_share(grid, number);
      int before = 0;
      for (int index = 0; index < share.segments; ++index) {
        REQUIRE(blocks_before(grid, share, index) == before);
        const Segment segment = segment_of(grid, share, index);
        before += segment.end - segment.first;
      }
      CHECK(blocks_before(grid, share, share.segments) == before);
      CHECK(before == share.end - share.begin);
    }
  }
}

TEST_CASE("tiles fewer than SMs are cut into parts that follow each other", "[kernels][hopper]") {
  int cut = 0;
  for (const int tiles : {1, 2, 7, 72, 131}) {
    for (const int k_blocks : {1, 3, 8, 128, 1000}) {
      for (const int most : {2, 3, 5, 24}) {
        ShareGrid grid{tiles, k_blocks, tiles, false};
        cut_tiles(grid, 132, most);
        if (grid.length == 0) {
          CHECK(grid.shares == tiles);
          CHECK((most == 2 || tiles == 131));
          if (most == 2) continue;
        }
        if (grid.length == 0) continue;
        ++cut;
        REQUIRE(grid.shares <= 132);
        std::vector<int> next_block(static_cast<std::size_t>(tiles), 0);
        std::vector<int> next_part(static_cast<std::size_t>(tiles), 0);
        std::vector<int> slots;
        for (int number = 0; number < grid.shares; ++number) {
          const Share share = make_share(grid, number);
          REQUIRE(share.segments >= 1);
          if (number + 1 < grid.shares) CHECK(share.end - share.begin == grid.length);
          for (int index = share.segments - 1; index >= 0; --index) {
            const Segment segment = segment_of(grid, share, index);
            const auto tile = static_cast<std::size_t>(segment.tile);
            REQUIRE(segment.first == next_block[tile]);
            next_block[tile] = segment.end;
            const TileParts parts = parts_of_tile(grid, segment.tile);
            CHECK(number - parts.first_share == next_part[tile]++);
            CHECK(parts.count <= most);
            slots.push_back(number + segment.tile);
          }
        }
        for (int tile = 0; tile < tiles; ++tile) {
          CHECK(next_block[static_cast<std::size_t>(tile)] == k_blocks);
          CHECK(next_part[static_cast<std::size_t>(tile)] == parts_of_tile(grid, tile).count);
        }
        std::sort(slots.begin(), slots.end());
        CHECK(std::adjacent_find(slots.begin(), slots.end()) == slots.end());
        CHECK(slots.back() < tiles * most);
      }
    }
  }
  CHECK(cut > 40);
}

TEST_CASE("borders of huge grids do not overflow", "[kernels][hopper]") {
  for (const auto& [tiles, k_blocks] : {std::pair{1 << 24, 127}, std::pair{1000, 2147483}, std::pair{66000000, 32}}) {
    REQUIRE(can_share(tiles, k_blocks, 132, 1024));
    const int shares = static_cast<int>(share_count(tiles, 132, 1024));
    for (const bool chained : {false, true}) {
      const ShareGrid grid{tiles, k_blocks, shares, chained};
      CHECK(share_border(grid, 0) == 0);
      CHECK(share_border(grid, shares) == tiles * k_blocks);
      int last = 0;
      for (int number = 1; number <= shares; number += 97) {
        CHECK(share_border(grid, number) > last);
        last = share_border(grid, number);
      }
      const Share share = make_share(grid, shares - 1);
      CHECK(share.segments <= 1024);
      CHECK(blocks_before(grid, share, share.segments) == share.end - share.begin);
    }
  }
  CHECK_FALSE(can_share(1 << 24, 128, 132, 1024));
  CHECK_FALSE(can_share(std::int64_t{1} << 40, 1, 132, 1024));
  CHECK_FALSE(can_share(67000000, 1, 132, 1024));  // more shares than kMaxShares
}

TEST_CASE("a launch has a share an SM, never more than tiles, and none too long for its table", "[kernels][hopper]") {
  CHECK(share_count(512, 132, 1024) == 132);
  CHECK(share_count(100, 132, 1024) == 100);
  CHECK(share_count(1, 132, 1024) == 1);
  CHECK(share_count(500, 0, 1024) == 1);  // an unknown SM count
  for (const int tiles : {1000, 134904, 134905, 1000000, 12345678}) {
    for (const int sm_count : {1, 7, 132}) {
      const int shares = static_cast<int>(share_count(tiles, sm_count, 1024));
      CHECK(shares >= std::min(sm_count, tiles));
      for (const bool chained : {false, true}) {
        const ShareGrid grid{tiles, 3, shares, chained};
        for (const int number : {0, 1, shares / 2, shares - 1}) {
          if (number < shares) CHECK(make_share(grid, number).segments <= 1024);
        }
      }
    }
  }
}

}  // namespace fastgemm::hopper
