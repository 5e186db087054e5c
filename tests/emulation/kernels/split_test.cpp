// Rows that may cut k into parts: every number of parts, the order of their sum, and what passes between blocks.
#include <algorithm>
#include <span>
#include <vector>

#include "kernels/families.h"
#include "kernels/split_params.h"
#include "tests/emulation/engine/grid.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/gemm_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

struct FfmaSm80 {
  static std::span<const KernelEntry> rows() { return sgemm_ffma_f32_sm80(); }
};
struct FfmaSm75 {
  static std::span<const KernelEntry> rows() { return sgemm_ffma_f32_sm75(); }
};
struct FfmaSmall {
  static std::span<const KernelEntry> rows() { return sgemm_ffma_small_f32_sm80(); }
};
struct MmaSm80 {
  static std::span<const KernelEntry> rows() { return hgemm_mma_f16_sm80(); }
};
struct MmaSm75 {
  static std::span<const KernelEntry> rows() { return hgemm_mma_f16_sm75(); }
};

constexpr Op kOps[] = {Op::kN, Op::kT};

template <class Family>
std::vector<const KernelEntry*> split_rows() {
  std::vector<const KernelEntry*> rows;
  for (const KernelEntry& row : Family::rows()) {
    if (row.max_splits > 1) rows.push_back(&row);
  }
  return rows;
}

// Runs one case, each under another seed: another order of blocks, warps and lanes.
void check(const KernelEntry& row, GemmCase gemm) {
  static std::uint64_t seed = 0;
  gemm.seed = ++seed;
  if (row.type_ab == DataType::kFloat32) gemm.type_cd = DataType::kFloat32;
  const ScopedOptions scope(Options::from_seed(seed));
  CHECK(run_case(row, gemm) == "");
}

// One tile and a little, so that tiles are few and ragged; alignment by turns.
GemmCase split_case(const KernelEntry& row, int turn, int k, int splits) {
  GemmCase gemm;
  gemm.op_a = kOps[turn % 2];
  gemm.op_b = kOps[turn / 2 % 2];
  gemm.m = turn % 3 == 0 ? row.tile.m + 8 : row.tile.m / 2 + turn % 5;
  gemm.n = row.tile.n / 2 + turn % 7;
  gemm.k = k;
  gemm.splits = splits;
  if (turn % 2 == 0) {
    const auto pad = [](int length) { return (8 - length % 8) % 8; };
    gemm.pad_a = pad(gemm.op_a == Op::kN ? gemm.m : gemm.k);
    gemm.pad_b = pad(gemm.op_b == Op::kN ? gemm.k : gemm.n);
  } else {
    gemm.pad_a = gemm.pad_b = turn % 3;
    gemm.offset_a = gemm.offset_b = turn / 3 % 3;
  }
  return gemm;
}

}  // namespace

TEMPLATE_TEST_CASE("split kernels sum the parts of k", "[kernels][split]", FfmaSm80, FfmaSmall, FfmaSm75, MmaSm80,
                   MmaSm75) {
  REQUIRE_FALSE(split_rows<TestType>().empty());
  for (const KernelEntry* row : split_rows<TestType>()) {
    int turn = 0;
    for (const int splits : {2, 3, 5, 8}) {
      for (const int k : {row->tile.k, row->tile.k * splits - 1, row->tile.k * (splits + 1) + 3}) {
        GemmCase gemm = split_case(*row, turn, k, splits);
        gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
        gemm.bias = turn % 5 == 0;
        gemm.activation = turn % 7 == 0 ? Activation::kRelu : Activation::kNone;
        gemm.type_cd = turn % 2 == 0 ? DataType::kFloat16 : DataType::kFloat32;
        check(*row, gemm);
        ++turn;
      }
    }
  }
}

TEMPLATE_TEST_CASE("split kernels sum many parts by groups", "[kernels][split]", FfmaSm80, MmaSm80) {
  const auto rows = split_rows<TestType>();
  const KernelEntry& row = **std::min_element(rows.begin(), rows.end(), [](const auto* x, const auto* y) {
    return x->tile.m * x->tile.n < y->tile.m * y->tile.n;
  });
  for (const int splits : {kMaxFlatSplits, kMaxFlatSplits + 1, 30}) {
    GemmCase gemm = split_case(row, splits, row.tile.k * splits - 5, splits);
    gemm.m = row.tile.m + 3;
    check(row, gemm);
    gemm.split_flags = 2;  // a flag a tile, and none for groups
    check(row, gemm);
  }
}

TEMPLATE_TEST_CASE("split kernels sum parts in ascending k", "[kernels][split]", FfmaSm80, FfmaSm75) {
  for (const KernelEntry* row : split_rows<TestType>()) {
    for (const int splits : {2, 7, 27}) {
      GemmCase gemm = split_case(*row, splits, 27 * row->tile.k + 1, splits);
      gemm.split_group = splits == 27 ? 6 : 0;  // 27 parts in groups of 6
      gemm.data = Data::kReals;
      gemm.alpha = 1.1f;
      check(*row, gemm);
    }
  }
}

TEMPLATE_TEST_CASE("split kernels work through batches", "[kernels][split]", FfmaSm80, FfmaSmall, FfmaSm75, MmaSm80,
                   MmaSm75) {
  for (const KernelEntry* row : split_rows<TestType>()) {
    for (const Batch batch : {Batch::kStrided, Batch::kPointers}) {
      GemmCase gemm = split_case(*row, 3, 3 * row->tile.k + 1, 3);
      gemm.batch = batch;
      gemm.batch_count = 3;
      gemm.batch_gap = 1;
      check(*row, gemm);
    }
  }
}

TEMPLATE_TEST_CASE("split kernels without a product scale C once", "[kernels][split]", FfmaSm80, FfmaSmall, FfmaSm75,
                   MmaSm80, MmaSm75) {
  for (const KernelEntry* row : split_rows<TestType>()) {
    for (const float beta : {0.0f, -0.5f}) {
      GemmCase gemm = split_case(*row, 0, 4 * row->tile.k, 4);
      gemm.alpha = 0.0f;
      gemm.beta = beta;
      gemm.device_scalars = true;
      gemm.poisoned_operands = true;
      check(*row, gemm);
    }
  }
}

TEMPLATE_TEST_CASE("split kernels run unsplit where their memory is missing", "[kernels][split]", FfmaSm80, FfmaSmall,
                   FfmaSm75, MmaSm80, MmaSm75) {
  GemmProblem problem;
  problem.m = problem.n = 100;
  problem.k = 1000;
  const TileShape tile{64, 64, 16};
  std::uint32_t flags[4] = {};
  float workspace = 0.0f;
  LaunchContext context{.workspace = &workspace,
                        .workspace_bytes = split_workspace_bytes(problem, tile, 8),
                        .flags = flags,
                        .flag_count = 4,
                        .splits = 8};
  const auto splits_after = [&](auto change) {
    LaunchContext changed = context;
    GemmProblem changed_problem = problem;
    change(changed, changed_problem);
    return make_split_params(changed_problem, tile, changed).splits;
  };
  CHECK(splits_after([](LaunchContext&, GemmProblem&) {}) == 8);
  CHECK(splits_after([](LaunchContext& c, GemmProblem&) { c.flags = nullptr; }) == 1);
  CHECK(splits_after([](LaunchContext& c, GemmProblem&) { c.flag_count = 3; }) == 1);
  CHECK(splits_after([](LaunchContext& c, GemmProblem&) { c.workspace = nullptr; }) == 1);
  CHECK(splits_after([](LaunchContext& c, GemmProblem&) { c.workspace_bytes -= 1; }) == 1);
  CHECK(splits_after([](LaunchContext&, GemmProblem& p) { p.math_mode = MathMode::kFp32Sequential; }) == 1);
  CHECK(splits_after([](LaunchContext&, GemmProblem& p) { p.k = 33; }) == 3);  // a k step a part at least
  CHECK(splits_after([](LaunchContext&, GemmProblem& p) { p.k = std::int64_t{1} << 40; }) == 1);
  for (const KernelEntry* row : split_rows<TestType>()) {
    GemmCase gemm = split_case(*row, 3, 5 * row->tile.k, 5);
    gemm.split_flags = 0;
    check(*row, gemm);
  }
}

TEST_CASE("parts of k follow each other and differ by a step at most", "[kernels][split]") {
  for (const int steps : {1, 2, 7, 64, 1000, 16384}) {
    for (const int splits : {1, 2, 3, 24, 132, 1024}) {
      for (int part = 0; part < splits; ++part) {
        const SplitSteps own = split_steps(steps, splits, part);
        CHECK(own.begin == split_begin(steps, splits, part));
        CHECK(own.end == split_begin(steps, splits, part + 1));
        CHECK(own.end - own.begin <= (steps + splits - 1) / splits);
      }
    }
  }
}
