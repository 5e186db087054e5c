// The Hopper FFMA family, from its own sources: every layout, shares that cut tiles, and what passes between blocks.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>

#include "kernels/families.h"
#include "kernels/sgemm_hopper/packing.h"
#include "tests/emulation/engine/grid.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/gemm_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;
using namespace fastgemm::hopper;

namespace {

struct Layout {
  Op op_a;
  Op op_b;
  const char* row;
};

constexpr Layout kLayouts[] = {{Op::kN, Op::kT, "hopper_f32_256x128x32_s4"},
                               {Op::kN, Op::kN, "hopper_f32_256x128x32_s4"},
                               {Op::kT, Op::kT, "hopper_f32_128x256x32_s4"},
                               {Op::kT, Op::kN, "hopper_turned_f32_256x128x32_s4"}};

const KernelEntry& row_of(const Layout& layout) {
  for (const KernelEntry& row : sgemm_hopper_f32_sm90()) {
    if (std::string(row.name) == layout.row) return row;
  }
  throw std::logic_error("no such row");
}

// A problem whose operands the bulk copies take: leading dimensions are multiples of 4.
GemmCase aligned_case(const Layout& layout, int m, int n, int k) {
  GemmCase gemm = padded_case(layout.op_a, layout.op_b, m, n, k, 4);
  gemm.data = Data::kReals;
  return gemm;
}

// Runs one case, each under another seed: another order of blocks, warps, lanes and copies.
void check(const Layout& layout, GemmCase gemm, int resident_blocks = 1) {
  static std::uint64_t seed = 0;
  gemm.seed = ++seed;
  Options options = Options::from_seed(seed);
  options.resident_blocks = resident_blocks;
  const ScopedOptions scope(options);
  CHECK(run_case(row_of(layout), gemm) == "");
}

}  // namespace

TEST_CASE("Hopper kernels multiply at and around the edges of their tile", "[kernels][hopper]") {
  int turn = 0;
  for (const Layout& layout : kLayouts) {
    const TileShape tile = row_of(layout).tile;
    for (const int m : {1, tile.m - 1, tile.m + 1}) {
      for (const int n : {1, tile.n, tile.n + 3}) {
        GemmCase gemm = aligned_case(layout, m, n, turn % 2 == 0 ? 33 : 31);
        gemm.beta = turn % 3 == 0 ? -0.3f : 0.0f;
        gemm.pad_d = gemm.pad_c = turn % 2;
        gemm.offset_d = gemm.offset_c = turn / 2 % 2;
        check(layout, gemm);
        ++turn;
      }
    }
  }
}

TEST_CASE("Hopper kernels multiply for every length of k", "[kernels][hopper]") {
  for (const Layout& layout : kLayouts) {
    for (const int k : {1, 7, 31, 32, 33, 40, 64, 96, 127, 128, 129, 160, 200}) {
      check(layout, aligned_case(layout, 40, 24, k));
    }
  }
}

TEST_CASE("Hopper kernels hand chains of FMAs from block to block", "[kernels][hopper]") {
  int turn = 0;
  for (const Layout& layout : kLayouts) {
    const TileShape tile = row_of(layout).tile;
    for (const auto& [tiles_m, tiles_n, sm_count] : {std::tuple(3, 1, 2), std::tuple(1, 4, 3), std::tuple(2, 3, 5)}) {
      for (const int k : {32, 75, 160}) {
        GemmCase gemm = aligned_case(layout, tiles_m * tile.m - 3, tiles_n * tile.n - 1, k);
        gemm.sm_count = sm_count;
        gemm.chained = true;
        gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
        check(layout, gemm, 1 + turn % 3);
        ++turn;
      }
    }
  }
}

TEST_CASE("Hopper kernels add parts of tiles where these are fewer than SMs", "[kernels][hopper][split]") {
  int turn = 0;
  for (const Layout& layout : kLayouts) {
    const TileShape tile = row_of(layout).tile;
    for (const auto& [tiles_m, tiles_n, sm_count] : {std::tuple(1, 1, 3), std::tuple(1, 2, 3), std::tuple(2, 2, 7)}) {
      for (const int k : {64, 75, 160, 321}) {
        GemmCase gemm = aligned_case(layout, tiles_m * tile.m - 3, tiles_n * tile.n - 1, k);
        gemm.data = Data::kIntegers;
        gemm.sm_count = sm_count;
        gemm.splits = 3 + turn % 2;
        gemm.split_flags = turn % 3 == 0 ? tiles_m * tiles_n : 64;
        gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
        gemm.bias = turn % 5 == 0;
        check(layout, gemm, 1 + turn % 3);
        ++turn;
      }
    }
  }
}

TEST_CASE("Hopper kernels add parts of tiles in ascending k", "[kernels][hopper][split]") {
  for (const Layout& layout : kLayouts) {
    for (const auto& [sm_count, blocks, length] : {std::tuple(2, 5, 3), std::tuple(4, 9, 3), std::tuple(9, 24, 3)}) {
      GemmCase gemm = aligned_case(layout, 40, 24, blocks * 32 - 7);
      gemm.sm_count = sm_count;
      gemm.splits = 24;
      gemm.part_length = length * 32;
      check(layout, gemm, 2);
    }
  }
}

TEST_CASE("Hopper kernels pass over operands before they cut tiles", "[kernels][hopper][split]") {
  int turn = 0;
  for (const char* row : {"hopper_f32_256x128x32_s4", "hopper_f32_128x256x32_s4"}) {
    for (const Op op_a : {Op::kN, Op::kT}) {
      const Layout layout{op_a, row[11] == '2' ? Op::kN : Op::kT, row};
      if (op_a == Op::kN && layout.op_b == Op::kT) continue;  // the mirrored row takes A along k
      GemmCase gemm = aligned_case(layout, 261, 135, 97 + turn);
      gemm.data = Data::kIntegers;
      gemm.pad_a += turn % 2;
      gemm.offset_b = 1;
      gemm.sm_count = 9;
      gemm.splits = 3;
      gemm.row_workspace = turn % 2 == 0 ? RowWorkspace::kLeast : RowWorkspace::kFastest;
      gemm.beta = 0.5f;
      check(layout, gemm);
      ++turn;
    }
  }
}

TEST_CASE("Hopper kernels keep to one chain where parts may not be added", "[kernels][hopper][split]") {
  for (const Layout& layout : kLayouts) {
    GemmCase gemm = aligned_case(layout, 261, 135, 200);
    gemm.sm_count = 9;
    gemm.splits = 3;
    gemm.split_flags = 2;  // fewer than tiles
    gemm.part_length = 200;
    check(layout, gemm);
    gemm.split_flags = 64;
    gemm.splits = 2;  // no more than a share a tile
    check(layout, gemm);
  }
}

TEST_CASE("Hopper kernels take whole tiles without memory for a chain", "[kernels][hopper]") {
  for (const Layout& layout : kLayouts) {
    const TileShape tile = row_of(layout).tile;
    GemmCase gemm = aligned_case(layout, 3 * tile.m, tile.n, 70);
    check(layout, gemm);
  }
}

TEST_CASE("Hopper kernels pass over operands that they cannot take as they lie", "[kernels][hopper]") {
  // Layouts with an operand to transpose, and those without, at odd leading dimensions and addresses.
  constexpr const char* kWideA = "hopper_f32_256x128x32_s4";
  constexpr const char* kWideB = "hopper_f32_128x256x32_s4";
  constexpr Layout kPacked[] = {{Op::kT, Op::kN, kWideA}, {Op::kT, Op::kN, kWideB}, {Op::kT, Op::kT, kWideA},
                                {Op::kN, Op::kN, kWideA}, {Op::kN, Op::kT, kWideA}, {Op::kT, Op::kT, kWideB}};
  int turn = 0;
  for (const Layout& layout : kPacked) {
    const TileShape tile = row_of(layout).tile;
    for (int odd = 0; odd < 4; ++odd) {  // A, B, both or none unaligned
      GemmCase gemm = aligned_case(layout, tile.m + 5, tile.n + 65, 33 + turn);
      if ((odd & 1) != 0) gemm.pad_a += 1;
      if ((odd & 2) != 0) gemm.offset_b = 3;
      gemm.row_workspace = RowWorkspace::kFastest;
      gemm.chained = turn % 2 == 0;
      gemm.beta = turn % 3 == 0 ? -0.3f : 0.0f;
      gemm.bias = turn % 4 == 0;
      gemm.in_place = turn % 5 != 0;
      gemm.offset_d = turn % 2;
      check(layout, gemm);
      ++turn;
    }
  }
}

TEST_CASE("Hopper kernels work in panels where workspace is short", "[kernels][hopper]") {
  struct Case {
    Layout layout;
    int m, n;  // so many that the least workspace holds a part of them
    bool odd_a, odd_b;
  };
  // Panels of A's rows, of B's columns (mirrored), of the narrow operand, and of the wide beside a packed narrow one.
  const Case cases[] = {
      {{Op::kT, Op::kN, "hopper_f32_256x128x32_s4"}, 600, 128 * 127 + 2, false, false},
      {{Op::kT, Op::kN, "hopper_f32_128x256x32_s4"}, 128 * 127 + 3, 520, false, false},
      {{Op::kN, Op::kN, "hopper_f32_256x128x32_s4"}, 256 * 127 + 4, 260, false, true},
      {{Op::kN, Op::kT, "hopper_f32_256x128x32_s4"}, 530, 128 * 127 + 1, true, true}};
  int turn = 0;
  for (const Case& c : cases) {
    GemmCase gemm = aligned_case(c.layout, c.m, c.n, 3);
    gemm.pad_a += c.odd_a ? 1 : 0;
    gemm.pad_b += c.odd_b ? 1 : 0;
    gemm.row_workspace = RowWorkspace::kLeast;
    gemm.sm_count = 128;
    gemm.bias = turn % 2 == 0;
    gemm.beta = turn % 2 == 1 ? 0.5f : 0.0f;
    gemm.in_place = turn < 2;
    const std::int64_t before = launch_record().count;
    check(c.layout, gemm);
    CHECK(launch_record().count - before >= 4);  // two panels, two launches each
    ++turn;
  }
}

TEST_CASE("panels fit their workspace and make few waves", "[kernels][hopper]") {
  for (const std::int64_t k : {1, 33, 4096, 100000}) {
    for (const std::int64_t wide : {1, 256, 4096, 16384, 28672}) {
      for (const std::int64_t narrow : {1, 100, 4097, 30000}) {
        for (int packs = 1; packs < 4; ++packs) {
          const PackingProblem problem{.wide = wide,
                                       .narrow = narrow,
                                       .k = k,
                                       .narrow_depth_contiguous = wide % 3 == 0,
                                       .pack_wide = packs != 2 ? Pack::kTranspose : Pack::kNone,
                                       .pack_narrow = packs != 1 ? Pack::kCopy : Pack::kNone};
          const std::int64_t least = least_pack_bytes(problem);
          const std::int64_t fastest = fastest_pack_bytes(problem);
          REQUIRE(least <= fastest);
          CHECK(panel_extent(problem, fastest, 132, 1 << 24) == problem.extent());
          for (const std::int64_t bytes : {least, (least + fastest) / 2, fastest - 1}) {
            if (bytes < least) continue;
            const std::int64_t extent = panel_extent(problem, bytes, 132, 1 << 24);
            REQUIRE(extent > 0);
            REQUIRE(problem.fixed_bytes() + problem.panel_bytes(std::min(extent, problem.extent())) <= bytes);
          }
        }
      }
    }
  }
  // 8192 x 8192 x 8192 in 32 MiB: panels of 1024 rows, each 256 tiles for 132 SMs.
  const PackingProblem square{.wide = 8192, .narrow = 8192, .k = 8192, .pack_wide = Pack::kTranspose};
  CHECK(panel_extent(square, 32 << 20, 132, 132 * 128 << 10) == 1024);
}

TEST_CASE("Hopper kernels read nothing of A and B where alpha is 0", "[kernels][hopper]") {
  for (const Layout& layout : kLayouts) {
    for (const float beta : {0.0f, -0.5f}) {
      GemmCase gemm = aligned_case(layout, 300, 300, 70);
      gemm.splits = beta == 0.0f ? 1 : 3;
      gemm.sm_count = beta == 0.0f ? 2 : 13;
      gemm.alpha = 0.0f;
      gemm.beta = beta;
      gemm.device_scalars = true;
      gemm.poisoned_operands = true;
      gemm.chained = true;
      check(layout, gemm);
      if (row_of(layout).workspace == nullptr) continue;  // takes no unaligned columns
      gemm.pad_a += 1;
      gemm.row_workspace = RowWorkspace::kFastest;
      check(layout, gemm);
    }
  }
}

TEST_CASE("Hopper kernels apply bias and activation, and D apart from C", "[kernels][hopper]") {
  int turn = 0;
  for (const Layout& layout : kLayouts) {
    for (const Activation activation : {Activation::kRelu, Activation::kGelu}) {
      GemmCase gemm = aligned_case(layout, 261, 50, 20);
      gemm.data = Data::kIntegers;
      gemm.alpha = -2.0f;
      gemm.beta = 0.5f;
      gemm.device_scalars = turn % 2 == 0;
      gemm.activation = activation;
      gemm.bias = turn % 3 != 0;
      gemm.in_place = turn % 4 < 2;
      check(layout, gemm);
      ++turn;
    }
  }
}

TEST_CASE("Hopper rows pack or decline what bulk copies cannot read", "[kernels][hopper]") {
  for (const Layout& layout : kLayouts) {
    GemmProblem problem;
    problem.op_a = layout.op_a;
    problem.op_b = layout.op_b;
    problem.m = problem.n = problem.k = 512;
    problem.a = {.data = reinterpret_cast<const void*>(0x10000), .ld = 512};
    problem.b = {.data = reinterpret_cast<const void*>(0x20000), .ld = 512};
    problem.alpha.value = 1.0f;
    int takers = 0;  // as the operands lie
    for (const KernelEntry& row : sgemm_hopper_f32_sm90()) {
      takers += row.supports(problem) && (row.workspace == nullptr || row.workspace(problem).fastest == 0) ? 1 : 0;
    }
    CHECK(takers == 1);
    const auto supports = row_of(layout).supports;
    CHECK(supports(problem));
    const auto packs = [&](auto change) {
      GemmProblem changed = problem;
      change(changed);
      return supports(changed) ? row_of(layout).workspace(changed).fastest : 0;
    };
    constexpr std::size_t kOperand = 512 * 512 * 4;
    const bool turns = row_of(layout).workspace == nullptr;
    const auto unaligned_a = [](GemmProblem& p) { p.a.data = reinterpret_cast<const void*>(0x10004); };
    const auto unaligned_b = [](GemmProblem& p) { p.b.data = reinterpret_cast<const void*>(0x20008); };
    const auto odd_a = [](GemmProblem& p) { p.a.ld = 513; };
    const auto odd_both = [](GemmProblem& p) { p.a.ld = p.b.ld = 514; };
    if (!turns) {
      CHECK(packs([](GemmProblem&) {}) == 0);
      CHECK(packs(unaligned_a) == kOperand);
      CHECK(packs(unaligned_b) == kOperand);
      CHECK(packs(odd_a) == kOperand);
      CHECK(packs(odd_both) == 2 * kOperand);
    }
    const auto declines = [&](auto change) {
      GemmProblem changed = problem;
      change(changed);
      return !supports(changed);
    };
    CHECK(declines(unaligned_a) == turns);
    CHECK(declines(unaligned_b) == turns);
    CHECK(declines(odd_both) == turns);
    CHECK(declines([](GemmProblem& p) { p.batch_count = 2; }));
    CHECK(declines([](GemmProblem& p) { p.k = 0; }));
    CHECK(declines([](GemmProblem& p) { p.k = std::int64_t{1} << 26; }));
    CHECK(declines([](GemmProblem& p) { p.m = std::int64_t{1} << 31; }));
    CHECK(declines([](GemmProblem& p) { p.n = std::int64_t{1} << 31; }));
    CHECK(declines([](GemmProblem& p) { p.type_cd = DataType::kFloat16; }));
    CHECK_FALSE(declines([](GemmProblem& p) { p.d.ld = 513; }));
  }
}
