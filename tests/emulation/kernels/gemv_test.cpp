// The GEMV family, from its own sources: every short side, way of storing the long operand and width of its loads.
#include <span>
#include <string>
#include <vector>

#include "kernels/families.h"
#include "kernels/gemv/config.h"
#include "tests/emulation/engine/grid.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/gemm_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

struct GemvF32 {
  static std::span<const KernelEntry> rows() { return gemv_f32(); }
};
struct GemvF16 {
  static std::span<const KernelEntry> rows() { return gemv_f16(); }
};

constexpr Op kOps[] = {Op::kN, Op::kT};

bool long_is_n(const KernelEntry& row) { return row.tile.n > row.tile.m; }
int tile_long(const KernelEntry& row) { return long_is_n(row) ? row.tile.n : row.tile.m; }
int most_short(const KernelEntry& row) { return long_is_n(row) ? row.tile.m : row.tile.n; }
int least_short(const KernelEntry& row) { return most_short(row) == 8 ? 5 : 1; }

// Runs one case, each under another seed: another order of blocks, warps and lanes.
void check(const KernelEntry& row, GemmCase gemm) {
  static std::uint64_t seed = 0;
  gemm.seed = ++seed;
  if (row.type_ab == DataType::kFloat32) gemm.type_cd = DataType::kFloat32;
  const ScopedOptions scope(Options::from_seed(seed));
  CHECK(run_case(row, gemm) == "");
}

GemmCase gemv_case(const KernelEntry& row, Op op_a, Op op_b, int extent_long, int extent_short, int k) {
  const int m = long_is_n(row) ? extent_short : extent_long;
  const int n = long_is_n(row) ? extent_long : extent_short;
  return product_case(op_a, op_b, m, n, k);
}

// An ld of the long operand that allows wide loads, or does not.
void set_alignment(GemmCase& gemm, bool aligned) {
  const auto pad = [=](int length) { return aligned ? (4 - length % 4) % 4 : length % 4 == 0 ? 1 : 0; };
  gemm.pad_a = pad(gemm.op_a == Op::kN ? gemm.m : gemm.k);
  gemm.pad_b = pad(gemm.op_b == Op::kN ? gemm.k : gemm.n);
}

}  // namespace

TEMPLATE_TEST_CASE("GEMV kernels multiply for every short side and around the edges of their tile", "[kernels][gemv]",
                   GemvF32, GemvF16) {
  for (const KernelEntry& row : TestType::rows()) {
    const int step = row.tile.k;
    const int depths[] = {1, 31, 32, 33, 100, step - 1, step, step + 1, 2 * step + 7};
    std::size_t turn = 0;
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        for (int extent_short = least_short(row); extent_short <= most_short(row); ++extent_short) {
          for (const int extent_long : {1, tile_long(row) - 1, tile_long(row), tile_long(row) + 1}) {
            GemmCase gemm = gemv_case(row, op_a, op_b, extent_long, extent_short, depths[turn % std::size(depths)]);
            set_alignment(gemm, turn % 2 == 0);
            gemm.beta = turn % 3 == 0 ? 0.5f : 0.0f;
            gemm.type_cd = turn % 4 < 2 ? DataType::kFloat16 : DataType::kFloat32;
            check(row, gemm);
            ++turn;
          }
        }
        ++turn;
      }
    }
  }
}

TEMPLATE_TEST_CASE("GEMV kernels multiply for every length of k", "[kernels][gemv]", GemvF32, GemvF16) {
  for (const KernelEntry& row : TestType::rows()) {
    int turn = 0;
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        for (const int steps : {1, 2, 3, 4, 5, 8, 9, 33}) {  // of one or two in a group, of 4 to 32 in a chunk
          GemmCase gemm = gemv_case(row, op_a, op_b, tile_long(row) / 2 + 1, most_short(row) - turn % 3,
                                    steps * row.tile.k - turn % 4 * 5);
          set_alignment(gemm, turn % 3 != 0);
          check(row, gemm);
          ++turn;
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("GEMV kernels take operands at any address", "[kernels][gemv]", GemvF32, GemvF16) {
  for (const KernelEntry& row : TestType::rows()) {
    int turn = 0;
    for (int offset = 0; offset < 5; ++offset) {
      for (const Op op : kOps) {
        GemmCase gemm = gemv_case(row, op, kOps[turn / 2 % 2], tile_long(row) + 8, most_short(row), 40);
        set_alignment(gemm, true);
        gemm.offset_a = offset;
        gemm.offset_b = turn % 3 == 0 ? 0 : 4 - offset;
        gemm.offset_c = gemm.offset_d = turn % 4;
        gemm.pad_d = gemm.pad_c = turn % 5;
        check(row, gemm);
        ++turn;
      }
    }
  }
}

TEMPLATE_TEST_CASE("GEMV kernels sum parts of k", "[kernels][gemv][split]", GemvF32, GemvF16) {
  for (const KernelEntry& row : TestType::rows()) {
    int turn = 0;
    for (const int splits : {2, 3, 7, 27}) {
      for (int extent_short = least_short(row); extent_short <= most_short(row); extent_short += turn % 2 + 1) {
        GemmCase gemm = gemv_case(row, kOps[turn % 2], kOps[turn / 2 % 2], tile_long(row) / 2 + turn % 9, extent_short,
                                  row.tile.k * splits - turn % 3 * 11);
        set_alignment(gemm, turn % 2 == 0);
        gemm.splits = splits;
        gemm.beta = turn % 3 == 0 ? -1.0f : 0.0f;
        gemm.bias = turn % 4 == 0;
        check(row, gemm);
        ++turn;
      }
    }
  }
}

TEMPLATE_TEST_CASE("GEMV kernels apply alpha, beta, bias and activation", "[kernels][gemv]", GemvF32, GemvF16) {
  constexpr float kScalars[][2] = {{1, 1}, {-2, 0.5f}, {0, 0}, {0, 1}, {0, -0.5f}, {1, -0.0f}};
  for (const KernelEntry& row : TestType::rows()) {
    int turn = 0;
    for (const auto& scalars : kScalars) {
      for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kGelu}) {
        GemmCase gemm = gemv_case(row, kOps[turn % 2], kOps[turn / 2 % 2], 66, least_short(row) + turn % 3, 270);
        gemm.alpha = scalars[0];
        gemm.beta = scalars[1];
        gemm.device_scalars = turn % 2 == 0 || gemm.alpha == 0.0f;
        gemm.half_scalars = turn % 3 == 0;
        gemm.activation = activation;
        gemm.bias = turn % 3 != 0;
        gemm.in_place = turn % 4 < 2;
        gemm.splits = turn % 5 == 0 ? 2 : 1;
        gemm.poisoned_operands = gemm.alpha == 0.0f;
        check(row, gemm);
        ++turn;
      }
    }
  }
}

TEMPLATE_TEST_CASE("GEMV kernels work through batches", "[kernels][gemv]", GemvF32, GemvF16) {
  for (const KernelEntry& row : TestType::rows()) {
    int turn = 0;
    for (const Batch batch : {Batch::kStrided, Batch::kPointers}) {
      for (const int gap : {0, 3}) {
        GemmCase gemm = gemv_case(row, kOps[turn % 2], kOps[turn / 2 % 2], 65, most_short(row), 40);
        set_alignment(gemm, turn % 2 == 0);
        gemm.batch = batch;
        gemm.batch_count = 3;
        gemm.batch_gap = gap;
        gemm.broadcast_a = turn % 2 == 1 && batch == Batch::kStrided;
        gemm.bias = true;
        gemm.splits = turn % 2 + 1;
        check(row, gemm);
        ++turn;
      }
    }
  }
}

TEST_CASE("GEMV rows take their short sides, each one alone", "[kernels][gemv]") {
  for (const std::span<const KernelEntry> rows : {gemv_f32(), gemv_f16()}) {
    const int most = rows[0].type_ab == DataType::kFloat32 ? 8 : 4;
    for (int extent = 1; extent <= 17; ++extent) {
      GemmProblem problem;
      problem.type_ab = problem.type_cd = rows[0].type_ab;
      problem.m = 1000;
      problem.n = extent;
      problem.k = 100;
      int takers = 0;
      for (const KernelEntry& row : rows) takers += row.supports(problem) ? 1 : 0;
      CHECK(takers == (extent <= most ? 1 : 0));
      std::swap(problem.m, problem.n);
      takers = 0;
      for (const KernelEntry& row : rows) takers += row.supports(problem) ? 1 : 0;
      CHECK(takers == (extent <= most ? 1 : 0));
    }
  }
}

TEST_CASE("threads of a GEMV block divide a step among them", "[kernels][gemv]") {
  const auto covers = []<class Config>(Config) {
    std::vector<int> seen(gemv::kTileLong * gemv::kStepDepth);
    for (int thread = 0; thread < gemv::kThreads; ++thread) {
      const gemv::ThreadPlace place = gemv::thread_place<Config>(thread);
      for (int i = 0; i < gemv::kBlock; ++i) {
        for (int j = 0; j < gemv::kBlock; ++j) {
          const int along_depth = gemv::depth_offset<Config>(place.slice, j);
          const gemv::SlicePlace back = gemv::slice_place<Config>(along_depth);
          if (back.slice != place.slice || back.index != j) FAIL("slice_place is not the inverse of depth_offset");
          seen[gemv::long_offset<Config>(place.group, i) * gemv::kStepDepth + along_depth] += 1;
        }
      }
    }
    CHECK(seen == std::vector<int>(seen.size(), 1));
  };
  covers(gemv::Config<DataType::kFloat32, 1, gemv::Stored::kAlongLong, false>{});
  covers(gemv::Config<DataType::kFloat32, 1, gemv::Stored::kAlongLong, true>{});
  covers(gemv::Config<DataType::kFloat32, 1, gemv::Stored::kAlongDepth, false>{});
  covers(gemv::Config<DataType::kFloat32, 1, gemv::Stored::kAlongDepth, true>{});
}
