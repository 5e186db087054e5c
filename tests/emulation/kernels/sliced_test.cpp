// The sliced FFMA family, from its own sources: every tile and layout, slices and parts of k, and every epilogue.
#include <algorithm>
#include <cstdint>
#include <string>

#include "kernels/families.h"
#include "kernels/sgemm_sliced/config.h"
#include "tests/emulation/engine/grid.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/gemm_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

constexpr Op kOps[] = {Op::kN, Op::kT};

// A problem whose operands the bulk copies take.
GemmCase aligned_case(Op op_a, Op op_b, int m, int n, int k) { return padded_case(op_a, op_b, m, n, k, 4); }

// The operand of the tile's shorter side with columns anywhere: bulk copies do not reach it.
void misalign_shorter(const KernelEntry& row, GemmCase& gemm) {
  if (row.tile.n <= row.tile.m) {
    gemm.pad_b += 1;
    gemm.offset_b = 3;
  } else {
    gemm.pad_a += 3;
    gemm.offset_a = 1;
  }
}

// What of an extent the row takes: the narrowest tiles serve no more than their shorter side.
int extent_m(const KernelEntry& row, int m) { return row.tile.m < 16 ? std::min(m, row.tile.m) : m; }
int extent_n(const KernelEntry& row, int n) { return row.tile.n < 16 ? std::min(n, row.tile.n) : n; }

// Runs one case, each under another seed: another order of blocks, warps, lanes and copies.
void check(const KernelEntry& row, GemmCase gemm) {
  static std::uint64_t seed = 0;
  gemm.seed = ++seed;
  Options options = Options::from_seed(seed);
  options.resident_blocks = 1 + static_cast<int>(seed % 3);
  const ScopedOptions scope(options);
  CHECK(run_case(row, gemm) == "");
}

template <class Body>
void for_each_layout(const Body& body) {
  for (const KernelEntry& row : sgemm_sliced_f32_sm90()) {
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) body(row, op_a, op_b);
    }
  }
}

}  // namespace

TEST_CASE("sliced kernels multiply at and around the edges of their tile", "[kernels][sliced]") {
  int turn = 0;
  for_each_layout([&turn](const KernelEntry& row, Op op_a, Op op_b) {
    for (const int wanted_m : {1, row.tile.m, row.tile.m + 7}) {
      for (const int wanted_n : {1, row.tile.n - 1, 2 * row.tile.n + 3}) {
        const int m = extent_m(row, wanted_m);
        const int n = extent_n(row, wanted_n);
        GemmCase gemm = aligned_case(op_a, op_b, m, n, turn % 2 == 0 ? 33 : 30);
        gemm.beta = turn % 3 == 0 ? -2.0f : 0.0f;
        gemm.pad_d = gemm.pad_c = turn % 2 == 0 ? (4 - m % 4) % 4 : 1;
        gemm.offset_d = gemm.offset_c = turn / 2 % 2;
        if (turn % 4 >= 2) misalign_shorter(row, gemm);
        check(row, gemm);
        ++turn;
      }
    }
  });
}

TEST_CASE("sliced kernels multiply for every length of k", "[kernels][sliced]") {
  for_each_layout([](const KernelEntry& row, Op op_a, Op op_b) {
    for (const int k : {1, 4, 7, 31, 32, 65, 96, 130, 200, 319}) {
      GemmCase gemm = aligned_case(op_a, op_b, extent_m(row, 40), extent_n(row, 20), k);
      check(row, gemm);
      misalign_shorter(row, gemm);
      check(row, gemm);
    }
  });
}

TEST_CASE("sliced kernels finish sums with every epilogue", "[kernels][sliced]") {
  int turn = 0;
  for_each_layout([&turn](const KernelEntry& row, Op op_a, Op op_b) {
    for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kGelu}) {
      GemmCase gemm = aligned_case(op_a, op_b, turn % 2 == 0 ? row.tile.m : row.tile.m - 3, row.tile.n, 40);
      gemm.alpha = -0.5f;
      gemm.beta = turn % 3 == 0 ? 0.0f : 2.0f;
      gemm.activation = activation;
      gemm.bias = turn % 4 != 0;
      gemm.device_scalars = turn % 2 == 0;
      gemm.in_place = turn % 5 != 0;
      check(row, gemm);
      ++turn;
    }
    GemmCase nothing = aligned_case(op_a, op_b, extent_m(row, 20), extent_n(row, 9), 64);
    nothing.alpha = 0.0f;
    nothing.device_scalars = nothing.poisoned_operands = true;
    nothing.beta = 3.0f;
    nothing.splits = 1 + turn % 2;
    check(row, nothing);
  });
}

TEST_CASE("sliced kernels add parts of k", "[kernels][sliced][split]") {
  int turn = 0;
  for_each_layout([&turn](const KernelEntry& row, Op op_a, Op op_b) {
    for (const int splits : {2, 3, 7, 30}) {
      GemmCase gemm = aligned_case(op_a, op_b, extent_m(row, row.tile.m + 3), row.tile.n - 1, splits == 30 ? 999 : 32 * splits + 9);
      gemm.splits = splits;
      gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
      gemm.bias = turn % 5 == 0;
      gemm.split_flags = turn % 3 == 0 ? 2 : 64;  // of two tiles, or room for groups, too
      check(row, gemm);
      ++turn;
    }
  });
}

TEST_CASE("sliced kernels take what bulk copies reach on the longer side alone", "[kernels][sliced]") {
  alignas(16) static float data[64];
  GemmProblem problem;
  problem.m = problem.n = problem.k = 4;
  problem.a.data = problem.b.data = problem.d.data = data;
  problem.a.ld = problem.b.ld = problem.d.ld = 4;
  for (const KernelEntry& row : sgemm_sliced_f32_sm90()) {
    const bool shorter_is_b = row.tile.n <= row.tile.m;
    CHECK(row.supports(problem));
    GemmProblem other = problem;
    other.a.ld = 5;
    CHECK(row.supports(other) == !shorter_is_b);
    other = problem;
    other.b.data = data + 1;
    CHECK(row.supports(other) == shorter_is_b);
    other = problem;
    (shorter_is_b ? other.n : other.m) = 9;
    CHECK(row.supports(other) == (std::min(row.tile.m, row.tile.n) >= 16));
    other = problem;
    other.batch_count = 2;
    CHECK_FALSE(row.supports(other));
    other = problem;
    other.k = 0;
    CHECK_FALSE(row.supports(other));
  }
}
