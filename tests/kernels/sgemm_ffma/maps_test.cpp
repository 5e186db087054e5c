// Index maps of the FFMA family, for every tile and copy: each element is copied once, read by its owner and stored
// once, and shared memory is accessed without bank conflicts.
#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <vector>

#include "kernels/sgemm_ffma/config.h"
#include "tests/support/catch.h"

namespace fastgemm::ffma {
namespace {

constexpr SliceCopy kWide = SliceCopy::kContiguous16;
constexpr SliceCopy kNarrow = SliceCopy::kContiguous4;
constexpr SliceCopy kAcross = SliceCopy::kTransposed4;
constexpr SliceCopy kRows = SliceCopy::kRows16;

// Calls visit(config) for the kernels of every tile.
template <class Visit>
void for_each_config(Visit visit) {
  const auto of_tile = [&]<class Tile>(Tile) {
    visit(Config<Tile, kNarrow, kAcross>{});
    visit(Config<Tile, kWide, kAcross>{});
    visit(Config<Tile, kNarrow, kNarrow>{});
    visit(Config<Tile, kWide, kWide>{});
    visit(Config<Tile, kAcross, kAcross>{});
    visit(Config<Tile, kAcross, kNarrow>{});
    visit(Config<Tile, kAcross, kWide>{});
    if constexpr (Tile::kSplits) {
      visit(Config<Tile, kWide, kRows>{});
      visit(Config<Tile, kRows, kWide>{});
      visit(Config<Tile, kRows, kAcross>{});
      visit(Config<Tile, kAcross, kRows>{});
    }
  };
  const auto of_transfers = [&]<class Tile>(Tile tile) {
    of_tile(tile);
    of_tile(Staged<Tile>{});
  };
  of_transfers(Tile256x128x8{});
  of_transfers(Tile256x128x8Block{});
  of_transfers(Tile128x128x8{});
  of_transfers(Tile128x64x8{});
  of_transfers(Tile64x64x16{});
  of_transfers(Tile32x32x16{});
  of_tile(Tile64x64x32{});
  of_tile(Tile32x32x32{});
  of_tile(Tile128x16x32{});
  of_tile(Tile16x128x32{});
}

// Passes over shared memory that one access of some lanes takes beyond the first: the most different words that fall
// into one bank, less one. Lanes are served 32 at a time for words, 8 at a time for vectors of four.
int bank_conflicts(const std::vector<int>& byte_addresses, int words) {
  const int lanes_at_once = 32 / words;
  int conflicts = 0;
  for (std::size_t first = 0; first < byte_addresses.size(); first += lanes_at_once) {
    std::array<std::set<int>, 32> words_of_bank;
    for (std::size_t lane = first; lane < first + lanes_at_once; ++lane) {
      for (int word = 0; word < words; ++word) {
        const int address = byte_addresses[lane] / 4 + word;
        words_of_bank[address % 32].insert(address);
      }
    }
    std::size_t most = 0;
    for (const auto& bank : words_of_bank) most = std::max(most, bank.size());
    conflicts += static_cast<int>(most) - 1;
  }
  return conflicts;
}

template <class Map>
SlicePosition copied(int thread, int pass) {
  const SlicePosition first = Map::first(thread);
  const SlicePosition offset = Map::offset(pass);
  return {first.along + offset.along, first.k + offset.k};
}

template <class Map>
void check_slice(int width, int depth, int threads, int pitch, SliceCopy kind) {
  std::vector<int> copies(static_cast<std::size_t>(width) * depth, 0);
  for (int pass = 0; pass < Map::kPasses; ++pass) {
    for (int warp = 0; warp < threads / 32; ++warp) {
      std::vector<int> targets;
      std::set<std::pair<int, int>> sectors;  // of 8 elements that lie next to each other in device memory
      for (int lane = 0; lane < 32; ++lane) {
        const SlicePosition at = copied<Map>(warp * 32 + lane, pass);
        REQUIRE(at.along >= 0);
        REQUIRE(at.along + (kind == kRows ? 1 : Map::kElements) <= width);
        REQUIRE(at.k >= 0);
        REQUIRE(at.k + (kind == kRows ? Map::kElements : 1) <= depth);
        for (int i = 0; i < Map::kElements; ++i) {
          ++copies[kind == kRows ? (at.k + i) * width + at.along : at.k * width + at.along + i];
        }
        targets.push_back(kind == kRows ? at.along * pitch + at.k * 4 : at.k * pitch + at.along * 4);
        sectors.insert(stored_along_k(kind) ? std::pair{at.along, at.k / 8} : std::pair{at.k, at.along / 8});
      }
      // Rows shorter than the banks are padded for their readers, who are many more; writers meet once in 8 lanes.
      const int row = kind == kRows ? depth : width;
      CHECK(bank_conflicts(targets, Map::kElements) <= (row < 32 ? 4 : 0));
      CHECK(sectors.size() == 32 * Map::kElements / 8);
      for (const int target : targets) CHECK(target % (4 * Map::kElements) == 0);
    }
  }
  CHECK(std::all_of(copies.begin(), copies.end(), [](int count) { return count == 1; }));
}

// The pointer of OperandSlice walks by a step within a run and by another one to the next run.
template <class Map>
void check_walk(int depth) {
  SlicePosition at{};
  for (int pass = 0; pass < Map::kPasses; ++pass) {
    CHECK(Map::offset(pass).along == at.along);
    CHECK(Map::offset(pass).k == at.k);
    if ((pass + 1) % Map::kPassesPerRun == 0) {
      at = {0, at.k + Map::kRunDepth};
    } else {
      at.along += Map::kAlongStep;
    }
  }
  CHECK(at.along == 0);
  CHECK(at.k == depth);  // the next tile's first copy
}

}  // namespace

TEST_CASE("every element of a slice is copied once, without bank conflicts, in whole sectors", "[sgemm_ffma]") {
  for_each_config([]<class C>(C) {
    CAPTURE(C::kTileM, C::kTileN, C::kTileK, static_cast<int>(C::kCopyA), static_cast<int>(C::kCopyB));
    check_slice<typename C::MapA>(C::kSliceM, C::kTileK, C::kSliceThreadsA, C::kPitchA, C::kCopyA);
    check_slice<typename C::MapB>(C::kSliceN, C::kTileK, C::kSliceThreadsB, C::kPitchB, C::kCopyB);
    check_walk<typename C::MapA>(C::kTileK);
    check_walk<typename C::MapB>(C::kTileK);
  });
}

TEST_CASE("thread tiles cover a block's tile once", "[sgemm_ffma]") {
  for_each_config([]<class C>(C) {
    CAPTURE(C::kTileM, C::kTileN);
    std::vector<int> owners(static_cast<std::size_t>(C::kTileM) * C::kTileN, 0);
    for (int thread = 0; thread < C::kGroupThreads; ++thread) {
      const int warp = thread / 32;
      const int lane_m = C::Lanes::lane_m(thread % 32);
      const int lane_n = C::Lanes::lane_n(thread % 32);
      for (int i = 0; i < C::kThreadM; ++i) {
        for (int j = 0; j < C::kThreadN; ++j) {
          const int row = warp % C::kWarpsM * C::AxisM::kWidth + C::AxisM::position(lane_m, i);
          const int column = warp / C::kWarpsM * C::AxisN::kWidth + C::AxisN::position(lane_n, j);
          REQUIRE(row < C::kTileM);
          REQUIRE(column < C::kTileN);
          ++owners[static_cast<std::size_t>(column) * C::kTileM + row];
        }
      }
    }
    CHECK(std::all_of(owners.begin(), owners.end(), [](int count) { return count == 1; }));
  });
}

// The vectors of one operand that the lanes of a warp read together: `lane_on_axis` tells a lane's place on its axis.
template <class Axis, class LaneOnAxis>
void check_fragments(int steps, int step_bytes, int pitch, bool rows, LaneOnAxis lane_on_axis) {
  const int vectors = rows ? Axis::kWidth / (lane_on_axis(31) + 1) : Axis::kVectors;
  for (int step = 0; step < steps; step += rows ? 4 : 1) {
    for (int vector = 0; vector < vectors; ++vector) {
      std::vector<int> addresses;
      for (int lane = 0; lane < 32; ++lane) {
        const int position = Axis::position(lane_on_axis(lane), rows ? vector : vector * 4);
        addresses.push_back(step * step_bytes + position * (rows ? pitch : 4));
        REQUIRE(addresses.back() % 16 == 0);
      }
      CHECK(bank_conflicts(addresses, 4) == 0);
    }
  }
}

TEST_CASE("fragments are aligned vectors read without bank conflicts", "[sgemm_ffma]") {
  for_each_config([]<class C>(C) {
    CAPTURE(C::kTileM, C::kTileN, C::kTileK);
    const auto lane_m = [](int lane) { return C::Lanes::lane_m(lane); };
    const auto lane_n = [](int lane) { return C::Lanes::lane_n(lane); };
    check_fragments<typename C::AxisM>(C::kTileK, C::kStepBytesA, C::kPitchA, C::kRowsA, lane_m);
    check_fragments<typename C::AxisN>(C::kTileK, C::kStepBytesB, C::kPitchB, C::kRowsB, lane_n);
    CHECK(C::kStageBytesA % 16 == 0);
    if constexpr (C::AxisM::kVectors > 0) {
      for (int index = 0; index < C::kThreadM; ++index) {  // vector loads put element `index` where position says
        CHECK(C::AxisM::position(3, index) ==
              C::AxisM::position(3, 0) + index / 4 * C::AxisM::kVectorStep + index % 4);
      }
    }
  });
}

TEST_CASE("the blocks that a tile is sized for fit into an SM", "[sgemm_ffma]") {
  for_each_config([]<class C>(C) {
    CAPTURE(C::kTileM, C::kTileN, C::kTileK, C::kStages);
    const auto bytes = [](bool rows, int pitch, int width) {
      return rows ? (width - 1) * pitch + C::kTileK * 4 : (C::kTileK - 1) * pitch + width * 4;
    };
    CHECK(C::kStageBytesA >= bytes(C::kRowsA, C::kPitchA, C::kTileM));
    CHECK(C::kStageBytes - C::kStageBytesA >= bytes(C::kRowsB, C::kPitchB, C::kTileN));
    CHECK(C::kStageBytes % 16 == 0);
    const bool staged = C::kTransfer == Transfer::kStaged;
    CHECK(C::kSharedBytes <= (staged ? 64 : 99) * 1024);  // a block's limit on sm_75, on sm_86
    // An SM's on sm_75, and on sm_80, where each block takes 1 KB more.
    const auto of_block = C::kSharedBytes + (staged ? 0 : 1024);
    CHECK(of_block * C::kBlocksPerSm <= (staged ? 64 : 164) * 1024);
  });
}

}  // namespace fastgemm::ffma
