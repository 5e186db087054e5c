// Index maps of the Hopper FFMA family: fragments and stores agree on who owns what, and shared memory is read without
// bank conflicts.
#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "kernels/sgemm_hopper/config.h"
#include "tests/support/catch.h"

namespace fastgemm::hopper {
namespace {

// Whether vector accesses of 16 bytes at these addresses, taken `at_once`, fall into different banks or the same word.
bool free_of_conflicts(const std::vector<int>& addresses, std::size_t at_once) {
  for (std::size_t first = 0; first < addresses.size(); first += at_once) {
    std::array<std::set<int>, 8> vectors_of_banks;  // eight groups of four banks
    for (std::size_t lane = first; lane < first + at_once; ++lane) {
      const int vector = addresses[lane] / 16;
      if (addresses[lane] % 16 != 0) return false;
      vectors_of_banks[static_cast<std::size_t>(vector % 8)].insert(vector);
    }
    for (const auto& vectors : vectors_of_banks) {
      if (vectors.size() > 1) return false;
    }
  }
  return true;
}

template <class Address>
std::vector<int> of_lanes(Address address) {
  std::vector<int> addresses;
  for (int lane = 0; lane < 32; ++lane) addresses.push_back(address(lane));
  return addresses;
}

}  // namespace

TEST_CASE("fragments hold the elements that their thread stores", "[kernels][hopper]") {
  using Wide = ThreadTileAxis<kThreadWide, kLanesWide>;
  std::vector<int> owners(kTileWide, 0);
  for (int warp = 0; warp < kWarpsWide; ++warp) {
    for (int lane = 0; lane < kLanesWide; ++lane) {
      for (int i = 0; i < kThreadWide; ++i) {
        const int loaded = (wide_offset(warp, lane, i / 4) + i % 4 * 4) / 4;
        CHECK(loaded == warp * Wide::kWidth + Wide::position(lane, 0) + Wide::position(0, i));
        ++owners[static_cast<std::size_t>(loaded)];
      }
    }
  }
  CHECK(std::count(owners.begin(), owners.end(), 1) == kTileWide);

  using Along = Config<false, false>::AxisNarrow;
  using Depth = Config<false, true>::AxisNarrow;
  std::vector<int> along(kTileNarrow, 0);
  std::vector<int> depth(kTileNarrow, 0);
  for (int warp = 0; warp < kWarpsNarrow; ++warp) {
    for (int lane = 0; lane < kLanesNarrow; ++lane) {
      for (int j = 0; j < kThreadNarrow; ++j) {
        const int loaded = (narrow_offset(warp, lane, j / 4) + j % 4 * 4) / 4;
        CHECK(loaded == warp * Along::kWidth + Along::position(lane, 0) + Along::position(0, j));
        ++along[static_cast<std::size_t>(loaded)];
        const int row = narrow_row(warp, lane, j);
        CHECK(row == warp * Depth::kWidth + Depth::position(lane, 0) + Depth::position(0, j));
        ++depth[static_cast<std::size_t>(row)];
      }
    }
  }
  CHECK(std::count(along.begin(), along.end(), 1) == kTileNarrow);
  CHECK(std::count(depth.begin(), depth.end(), 1) == kTileNarrow);
}

TEST_CASE("a warp's fragment loads meet no bank twice", "[kernels][hopper]") {
  for (int vector = 0; vector < kThreadWide / 4; ++vector) {
    CHECK(free_of_conflicts(of_lanes([&](int lane) { return wide_offset(3, lane % kLanesWide, vector); }), 32));
  }
  for (int vector = 0; vector < kThreadNarrow / 4; ++vector) {
    CHECK(free_of_conflicts(of_lanes([&](int lane) { return narrow_offset(1, lane / kLanesWide, vector); }), 32));
  }
  for (int j = 0; j < kThreadNarrow; ++j) {
    for (int chunk = 0; chunk < kTileK / 4; ++chunk) {
      CHECK(free_of_conflicts(
          of_lanes([&](int lane) { return chunk_offset(narrow_row(1, lane / kLanesWide, j), chunk); }), 32));
    }
  }
}

TEST_CASE("chunks of k-contiguous rows fill a tile", "[kernels][hopper]") {
  std::set<int> offsets;
  for (int row = 0; row < kTileWide; ++row) {
    for (int chunk = 0; chunk < kTileK / 4; ++chunk) {
      const int offset = chunk_offset(row, chunk);
      CHECK(offset / kRowBytes == row);
      offsets.insert(offset);
    }
  }
  CHECK(offsets.size() == kTileWide * kTileK / 4);
}

TEST_CASE("a turned operand fills its place, and a warp turns it without meeting a bank twice", "[kernels][hopper]") {
  std::set<int> places;
  for (int group = 0; group < kGroups; ++group) {
    for (int depth = 0; depth < kTileK; ++depth) {
      CHECK(turned_offset(group, depth) / kGroupBytes == group);  // in place of its own four rows
      CHECK(turned_chunk(turned_offset(group, depth % kChunkK), depth / kChunkK) == turned_offset(group, depth));
      places.insert(turned_offset(group, depth));
    }
    CHECK(free_of_conflicts(of_lanes([&](int lane) { return turned_offset(group, lane % 8 * kChunkK + lane / 8); }), 8));
  }
  CHECK(places.size() == kTileWide * kTileK / 4);
}

TEST_CASE("a warp's loads of a turned operand meet no bank twice and find what their thread stores", "[kernels][hopper]") {
  using Wide = ThreadTileAxis<kThreadWide, kLanesWide>;
  for (int warp = 0; warp < kWarpsWide; ++warp) {
    for (int vector = 0; vector < kThreadWide / 4; ++vector) {
      for (int depth = 0; depth < kTileK; ++depth) {
        const auto read = [&](int lane) {
          const int group = warp * (kGroups / kWarpsWide) + lane % kLanesWide;
          return turned_chunk(turned_offset(group, 0), depth / kChunkK) + depth % kChunkK * kTurnedStepBytes +
                 vector * kTurnedVectorBytes;
        };
        CHECK(free_of_conflicts(of_lanes(read), 32));
        for (int lane = 0; lane < kLanesWide; ++lane) {
          const int element = warp * Wide::kWidth + Wide::position(lane, 4 * vector);
          CHECK(read(lane) == turned_offset(element / 4, depth));
        }
      }
    }
  }
}

}  // namespace fastgemm::hopper
