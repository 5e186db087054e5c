// The sliced HGEMM family, from its own sources: every tile and layout, slices and parts of k, sums through clusters and
// workspace, and every epilogue.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "kernels/families.h"
#include "kernels/hgemm_sliced/config.h"
#include "kernels/hgemm_sliced/params.h"
#include "tests/emulation/engine/grid.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/gemm_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

constexpr Op kOps[] = {Op::kN, Op::kT};

// A problem whose operands the bulk copies take; D of FP16.
GemmCase aligned_case(Op op_a, Op op_b, int m, int n, int k) {
  GemmCase gemm = padded_case(op_a, op_b, m, n, k, 8);
  gemm.type_cd = DataType::kFloat16;
  return gemm;
}

// What of an extent the row takes: the narrowest tiles serve no more than two beside each other.
int extent_m(const KernelEntry& row, int m) { return row.tile.m < 32 ? std::min(m, 2 * row.tile.m) : m; }
int extent_n(const KernelEntry& row, int n) { return row.tile.n < 32 ? std::min(n, 2 * row.tile.n) : n; }

// Runs one case, each under another seed: another order of blocks, warps, lanes and copies.
void check(const KernelEntry& row, GemmCase gemm) {
  static std::uint64_t seed = 0;
  gemm.seed = ++seed;
  Options options = Options::from_seed(seed);
  options.resident_blocks = 1 + static_cast<int>(seed % (gemm.splits > 1 ? 2 : 3));
  const ScopedOptions scope(options);
  CHECK(run_case(row, gemm) == "");
}

template <class Body>
void for_each_layout(const Body& body) {
  for (const KernelEntry& row : hgemm_sliced_f16_sm90()) {
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) body(row, op_a, op_b);
    }
  }
}

}  // namespace

TEST_CASE("sliced HGEMM kernels multiply at and around the edges of their tile", "[kernels][hgemm_sliced]") {
  int turn = 0;
  for_each_layout([&turn](const KernelEntry& row, Op op_a, Op op_b) {
    for (const int wanted_m : {1, row.tile.m, row.tile.m + 7}) {
      for (const int wanted_n : {1, row.tile.n - 1, row.tile.n + 3}) {
        const int m = extent_m(row, wanted_m);
        const int n = extent_n(row, wanted_n);
        GemmCase gemm = aligned_case(op_a, op_b, m, n, turn % 2 == 0 ? 65 : 62);
        gemm.beta = turn % 3 == 0 ? -2.0f : 0.0f;
        gemm.pad_d = gemm.pad_c = turn % 2 == 0 ? (8 - m % 8) % 8 : 1;
        gemm.offset_d = gemm.offset_c = turn / 2 % 2;
        if (turn % 5 == 4) gemm.type_cd = DataType::kFloat32;
        check(row, gemm);
        ++turn;
      }
    }
  });
}

TEST_CASE("sliced HGEMM kernels multiply for every length of k", "[kernels][hgemm_sliced]") {
  for_each_layout([](const KernelEntry& row, Op op_a, Op op_b) {
    for (const int k : {1, 8, 63, 64, 130, 192, row.tile.k * row.stages + 70}) {
      check(row, aligned_case(op_a, op_b, extent_m(row, 40), extent_n(row, 20), k));
    }
  });
}

TEST_CASE("sliced HGEMM kernels finish sums with every epilogue", "[kernels][hgemm_sliced]") {
  int turn = 0;
  for_each_layout([&turn](const KernelEntry& row, Op op_a, Op op_b) {
    for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kGelu}) {
      GemmCase gemm = aligned_case(op_a, op_b, turn % 2 == 0 ? row.tile.m : row.tile.m - 3, row.tile.n, 72);
      gemm.alpha = -0.5f;
      gemm.beta = turn % 3 == 0 ? 0.0f : 2.0f;
      gemm.activation = activation;
      gemm.bias = turn % 4 != 0;
      gemm.device_scalars = turn % 2 == 0;
      gemm.half_scalars = turn % 4 == 0;
      gemm.in_place = turn % 5 != 0;
      gemm.splits = turn % 3 == 1 ? 2 : 1;
      check(row, gemm);
      ++turn;
    }
    GemmCase nothing = aligned_case(op_a, op_b, extent_m(row, 20), extent_n(row, 9), 64 * 4);
    nothing.alpha = 0.0f;
    nothing.device_scalars = nothing.poisoned_operands = true;
    nothing.beta = 3.0f;
    nothing.splits = 1 + turn % 3;
    check(row, nothing);
  });
}

TEST_CASE("blocks of a cluster add parts of k through each other's shared memory", "[kernels][hgemm_sliced][split]") {
  int turn = 0;
  for_each_layout([&turn](const KernelEntry& row, Op op_a, Op op_b) {
    for (const int splits : {2, 3, 4}) {
      GemmCase gemm = aligned_case(op_a, op_b, extent_m(row, row.tile.m + 3), row.tile.n - 1, row.tile.k * splits + 9);
      gemm.splits = splits;
      gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
      gemm.bias = turn % 5 == 0;
      gemm.split_flags = turn % 3 == 0 ? 1 : 64;  // a cluster needs none
      check(row, gemm);
      ++turn;
    }
  });
}

// A full cluster has 1024 threads, and takes the emulation seconds: by turns one layout a tile.
TEST_CASE("full clusters add parts of k through workspace", "[kernels][hgemm_sliced][split]") {
  constexpr int kMost = hgemm_sliced::kMostCluster;
  int turn = 0;
  for (const KernelEntry& row : hgemm_sliced_f16_sm90()) {
    for (const int groups : {1, 2, 3}) {
      const int k = row.tile.k * kMost * groups + (turn % 2 == 0 ? 50 : 0);
      GemmCase gemm = aligned_case(kOps[turn % 2], kOps[turn / 2 % 2], extent_m(row, row.tile.m + 3), row.tile.n - 1, k);
      gemm.splits = kMost * groups;
      gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
      gemm.split_flags = turn % 5 == 4 ? 2 * kMost - 1 : 64;  // too few: one cluster a tile has to do
      check(row, gemm);
      CHECK(launch_record().last.cluster == kMost);
      ++turn;
    }
  }
}

TEST_CASE("parts of k fill clusters, and then several", "[hgemm_sliced]") {
  const auto shares = [](int splits) {
    const hgemm_sliced::KShares found = hgemm_sliced::share_out(splits);
    return std::pair(found.cluster, found.groups);
  };
  CHECK(shares(1) == std::pair(1, 1));
  CHECK(shares(3) == std::pair(2, 1));
  CHECK(shares(7) == std::pair(4, 1));
  CHECK(shares(8) == std::pair(8, 1));
  CHECK(shares(15) == std::pair(8, 1));
  CHECK(shares(33) == std::pair(8, 4));
}

namespace {

// Every element of a tile of sums has a place of its own; the eight columns that a warp stores in fragment layout, and
// 16 bytes a lane of runs one after another, lie in different banks as far as their size allows.
template <int kTileM, int kTileN>
void check_sum_tile() {
  using Sums = hgemm_sliced::SumTile<kTileM, kTileN>;
  std::set<int> places;
  for (int column = 0; column < kTileN; ++column) {
    for (int row = 0; row < kTileM; ++row) places.insert(Sums::offset(row, column));
  }
  CHECK(places.size() == static_cast<std::size_t>(kTileM) * kTileN);
  CHECK(*places.begin() == 0);
  CHECK(*places.rbegin() == Sums::kBytes - 4);
  for (int half = 0; half < 2; ++half) {  // of a warp, whose 16 lanes store 8 bytes each: all banks once
    std::set<int> banks;
    for (int lane = half * 16; lane < half * 16 + 16; ++lane) {
      banks.insert(Sums::offset(accumulator_m(lane, 0), accumulator_n(lane, 0)) / 8 % 16);
    }
    CHECK(banks.size() == 16);
  }
  for (int first = 0; first < 32; first += 8) {  // eight lanes load 16 bytes each
    std::set<int> banks;
    for (int slot = first; slot < first + 8; ++slot) {
      banks.insert((slot * hgemm_sliced::kRunBytes + Sums::half_offset(slot, 0)) / 16 % 8);
    }
    CHECK(banks.size() == 8);
  }
}

}  // namespace

TEST_CASE("tiles of sums use every place once, and all banks", "[hgemm_sliced]") {
  check_sum_tile<64, 64>();
  check_sum_tile<64, 32>();
  check_sum_tile<32, 64>();
  check_sum_tile<64, 16>();
  check_sum_tile<16, 64>();
  check_sum_tile<32, 32>();
}

TEST_CASE("sliced HGEMM kernels take what bulk copies reach", "[kernels][hgemm_sliced]") {
  alignas(16) static std::uint16_t data[64];
  GemmProblem problem;
  problem.type_ab = problem.type_cd = DataType::kFloat16;
  problem.m = problem.n = problem.k = 8;
  problem.a.data = problem.b.data = problem.d.data = data;
  problem.a.ld = problem.b.ld = problem.d.ld = 8;
  for (const KernelEntry& row : hgemm_sliced_f16_sm90()) {
    CHECK(row.supports(problem));
    GemmProblem other = problem;
    other.a.ld = 12;
    CHECK_FALSE(row.supports(other));
    other = problem;
    other.b.data = data + 4;
    CHECK_FALSE(row.supports(other));
    other = problem;
    (row.tile.n <= row.tile.m ? other.n : other.m) = 33;
    CHECK(row.supports(other) == (std::min(row.tile.m, row.tile.n) >= 32));
    other = problem;
    other.batch_count = 2;
    CHECK_FALSE(row.supports(other));
    other = problem;
    other.k = 0;
    CHECK_FALSE(row.supports(other));
  }
}
