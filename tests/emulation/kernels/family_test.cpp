// Every row of every kernel family, from its own sources, through its own launch function.
#include <algorithm>
#include <span>
#include <vector>

#include "kernels/families.h"
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
constexpr Activation kActivations[] = {Activation::kNone, Activation::kRelu, Activation::kGelu};

// Runs one case, each under another seed: another order of blocks, warps and lanes.
void check(const KernelEntry& row, GemmCase gemm) {
  static std::uint64_t seed = 0;
  gemm.seed = ++seed;
  if (row.type_ab == DataType::kFloat32) gemm.type_cd = DataType::kFloat32;
  const ScopedOptions scope(Options::from_seed(seed));
  CHECK(run_case(row, gemm) == "");
}

// Lengths of k that end before, at and after a k tile, within and past the ring of stages.
std::vector<int> depths(const KernelEntry& row) {
  const int tile = row.tile.k;
  return {1, tile - 1, tile, tile + 1, 2 * tile, (row.stages - 1) * tile + 3, (row.stages + 1) * tile, 2 * tile + 7};
}

// An ld and a first element that allow the widest copies, or some, or none.
void set_alignment(GemmCase& gemm, int kind) {
  if (kind == 0) {
    const auto pad = [](int length) { return (8 - length % 8) % 8; };
    gemm.pad_a = pad(gemm.op_a == Op::kN ? gemm.m : gemm.k);
    gemm.pad_b = pad(gemm.op_b == Op::kN ? gemm.k : gemm.n);
    gemm.pad_c = gemm.pad_d = pad(gemm.m);
  } else if (kind == 1) {
    gemm.pad_a = gemm.pad_b = gemm.pad_c = gemm.pad_d = 1;
    gemm.offset_a = gemm.offset_b = gemm.offset_c = gemm.offset_d = 1;
  }  // kind 2: as the sizes have it
}

}  // namespace

TEMPLATE_TEST_CASE("kernels multiply at and around the edges of their tile", "[kernels]", FfmaSm80, FfmaSmall, FfmaSm75,
                   MmaSm80, MmaSm75) {
  for (const KernelEntry& row : TestType::rows()) {
    const std::vector<int> ks = depths(row);
    std::size_t turn = 0;
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        for (const int m : {1, row.tile.m - 1, row.tile.m, row.tile.m + 1}) {
          for (const int n : {1, row.tile.n - 1, row.tile.n, row.tile.n + 1}) {
            GemmCase gemm = product_case(op_a, op_b, m, n, ks[turn % ks.size()]);
            set_alignment(gemm, static_cast<int>(turn / ks.size() % 3));
            gemm.type_cd = turn % 2 == 0 ? DataType::kFloat16 : DataType::kFloat32;
            if (turn % 5 == 0) gemm.beta = 0.5f;
            check(row, gemm);
            turn += 1;
          }
        }
        turn += 1;
      }
    }
  }
}

TEMPLATE_TEST_CASE("kernels multiply for every length of k", "[kernels]", FfmaSm80, FfmaSmall, FfmaSm75, MmaSm80,
                   MmaSm75) {
  for (const KernelEntry& row : TestType::rows()) {
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        int kind = 0;
        for (const int k : depths(row)) {
          GemmCase gemm = product_case(op_a, op_b, row.tile.m - 3, row.tile.n - 5, k);
          set_alignment(gemm, kind++ % 3);
          check(row, gemm);
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("kernels take operands at any address", "[kernels]", FfmaSm80, FfmaSmall, FfmaSm75, MmaSm80,
                   MmaSm75) {
  for (const KernelEntry& row : TestType::rows()) {
    const int k = row.tile.k + 2;
    int turn = 0;
    for (int offset = 0; offset < 8; ++offset) {
      for (const Op op_a : kOps) {
        const Op op_b = kOps[turn % 2];
        GemmCase gemm = product_case(op_a, op_b, row.tile.m / 2 + 8, row.tile.n / 2 + 8, k);
        set_alignment(gemm, 0);
        gemm.in_place = false;
        gemm.type_cd = turn % 3 == 0 ? DataType::kFloat32 : DataType::kFloat16;
        gemm.beta = turn % 2 == 0 ? -1.5f : 0.0f;
        int* const offsets[] = {&gemm.offset_a, &gemm.offset_b, &gemm.offset_c, &gemm.offset_d};
        *offsets[turn % 4] = offset;
        check(row, gemm);
        gemm.offset_a = offset;
        gemm.offset_b = 7 - offset;
        gemm.offset_c = (offset * 3) % 8;
        gemm.offset_d = (offset * 5) % 8;
        gemm.pad_a += offset % 3;
        gemm.pad_b += offset % 5;
        gemm.pad_c += offset % 2;
        gemm.pad_d += offset % 4;
        check(row, gemm);
        ++turn;
      }
    }
  }
}

TEMPLATE_TEST_CASE("kernels apply alpha, beta, bias and activation", "[kernels]", FfmaSm80, FfmaSmall, FfmaSm75,
                   MmaSm80, MmaSm75) {
  constexpr float kScalars[][2] = {{1, 0}, {1, 1}, {-2, 0.5f}, {0.25f, -1}, {0, 0}, {0, 1}, {0, -0.5f}, {1, -0.0f}};
  for (const KernelEntry& row : TestType::rows()) {
    int turn = 0;
    for (const auto& scalars : kScalars) {
      for (const bool device_scalars : {false, true}) {
        for (const Activation activation : kActivations) {
          if (!device_scalars && scalars[0] == 0.0f) continue;  // such a product reaches kernels as k = 0
          GemmCase gemm = product_case(kOps[turn % 2], kOps[turn / 2 % 2], row.tile.m / 2 + 1, row.tile.n / 2 + 3, 9);
          set_alignment(gemm, turn % 3);
          gemm.alpha = scalars[0];
          gemm.beta = scalars[1];
          gemm.device_scalars = device_scalars;
          gemm.half_scalars = turn % 2 == 0;
          gemm.activation = activation;
          gemm.bias = turn % 3 != 0;
          gemm.in_place = turn % 4 < 2;
          gemm.type_cd = turn % 5 < 3 ? DataType::kFloat16 : DataType::kFloat32;
          gemm.poisoned_operands = gemm.alpha == 0.0f;
          check(row, gemm);
          ++turn;
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("kernels without a product scale C and read nothing else", "[kernels]", FfmaSm80, FfmaSmall,
                   FfmaSm75, MmaSm80, MmaSm75) {
  for (const KernelEntry& row : TestType::rows()) {
    for (const float beta : {0.0f, 1.0f, 2.0f}) {
      for (const bool device_scalars : {false, true}) {
        GemmCase gemm = product_case(Op::kN, Op::kN, row.tile.m + 2, 3, 0);
        gemm.beta = beta;
        gemm.device_scalars = device_scalars;
        gemm.batch_count = 2;
        check(row, gemm);
      }
    }
  }
}

TEMPLATE_TEST_CASE("kernels work through batches", "[kernels]", FfmaSm80, FfmaSmall, FfmaSm75, MmaSm80, MmaSm75) {
  for (const KernelEntry& row : TestType::rows()) {
    int turn = 0;
    for (const Batch batch : {Batch::kStrided, Batch::kPointers}) {
      for (const int gap : {0, 1, 8}) {
        for (const Op op_a : kOps) {
          GemmCase gemm = product_case(op_a, kOps[turn % 2], row.tile.m + 1, row.tile.n / 2, row.tile.k + 1);
          set_alignment(gemm, turn % 3);
          gemm.batch = batch;
          gemm.batch_count = 3;
          gemm.batch_gap = gap;
          gemm.broadcast_a = turn % 2 == 1;
          gemm.in_place = turn % 3 != 0;
          gemm.bias = turn % 2 == 0;
          gemm.beta = turn % 4 == 0 ? 2.0f : 0.0f;
          check(row, gemm);
          ++turn;
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("kernels cover grids of many tiles", "[kernels]", FfmaSm80, FfmaSmall, FfmaSm75, MmaSm80, MmaSm75) {
  const std::span<const KernelEntry> rows = TestType::rows();
  const KernelEntry& smallest = *std::min_element(rows.begin(), rows.end(), [](const auto& x, const auto& y) {
    return x.tile.m * x.tile.n < y.tile.m * y.tile.n;
  });
  for (const auto& [tiles_m, tiles_n] : {std::pair(1, 9), std::pair(9, 1), std::pair(3, 5), std::pair(7, 4)}) {
    check(smallest, product_case(Op::kN, Op::kT, tiles_m * smallest.tile.m - 1, tiles_n * smallest.tile.n - 1, 5));
  }
}

// Numbers that are no integers, so that the order of the sum shows in the bits.
TEMPLATE_TEST_CASE("sequential kernels give the bits of one chain of FMAs", "[kernels]", FfmaSm80, FfmaSm75) {
  for (const KernelEntry& row : TestType::rows()) {
    REQUIRE(row.sequential);
    int turn = 0;
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        GemmCase gemm = product_case(op_a, op_b, row.tile.m + 1, row.tile.n - 1, 6 * row.tile.k + 5);
        gemm.data = Data::kReals;
        gemm.alpha = 1.1f;
        gemm.beta = turn % 2 == 0 ? 0.0f : -0.3f;
        set_alignment(gemm, turn++ % 2);
        check(row, gemm);
      }
    }
  }
}

TEMPLATE_TEST_CASE("rows say what their launches use", "[kernels]", FfmaSm80, FfmaSmall, FfmaSm75, MmaSm80, MmaSm75) {
  for (const KernelEntry& row : TestType::rows()) {
    const std::int64_t launches = launch_record().count;
    GemmCase gemm = product_case(Op::kN, Op::kN, row.tile.m, row.tile.n, row.tile.k);
    check(row, gemm);
    CHECK(launch_record().count == launches + 1);
    CHECK(launch_record().last.blocks == 1);
    CHECK(launch_record().last.threads == row.threads);
    CHECK(launch_record().last.shared_bytes == row.shared_bytes);
  }
}

TEMPLATE_TEST_CASE("rows decline more tiles than they count", "[kernels]", FfmaSm80, FfmaSmall, FfmaSm75, MmaSm80,
                   MmaSm75) {
  constexpr std::int64_t kMany = std::int64_t{1} << 40;
  for (const KernelEntry& row : TestType::rows()) {
    GemmProblem problem;
    problem.type_ab = row.type_ab;
    problem.type_cd = row.type_ab;
    problem.m = problem.n = problem.k = 100;
    CHECK(row.supports(problem));
    for (std::int64_t GemmProblem::*extent : {&GemmProblem::m, &GemmProblem::n, &GemmProblem::k}) {
      GemmProblem long_problem = problem;
      long_problem.*extent = kMany;
      CHECK_FALSE(row.supports(long_problem));
      long_problem.*extent = std::int64_t{1} << 33;  // past int, but not in tiles
      CHECK(row.supports(long_problem));
    }
  }
}
