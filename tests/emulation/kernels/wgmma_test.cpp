// The WGMMA family, from its own sources: every row in every layout, at edges, through batches and both ways to D.
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/families.h"
#include "tests/emulation/engine/grid.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/gemm_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

constexpr Op kOps[] = {Op::kN, Op::kT};

int pad_to_8(int length) { return (8 - length % 8) % 8; }

// A problem whose operands the bulk copies take, and, unless changed, D too.
GemmCase aligned_case(Op op_a, Op op_b, int m, int n, int k) {
  GemmCase gemm = padded_case(op_a, op_b, m, n, k, 8);
  gemm.pad_c = gemm.pad_d = pad_to_8(m);
  gemm.type_cd = DataType::kFloat16;
  return gemm;
}

// Rows for plain products alone.
bool is_plain_row(const KernelEntry& row) { return row.tile.m == 160 || row.tile.m == 176; }

// The plain product most like a case: nothing but alpha, whole chunks of D's columns, the same leading dimensions.
GemmCase plain_case(GemmCase gemm) {
  const int rows = gemm.m < 8 ? 8 : gemm.m / 8 * 8;
  const int dropped = gemm.m - rows;
  gemm.m = rows;
  if (gemm.op_a == Op::kN) gemm.pad_a = dropped < 0 ? pad_to_8(rows) : gemm.pad_a + dropped;
  gemm.pad_c = gemm.pad_d = 8;
  gemm.offset_c = gemm.offset_d = 0;
  gemm.batch_gap = (gemm.batch_gap + 7) / 8 * 8;
  gemm.type_cd = DataType::kFloat16;
  gemm.beta = 0.0f;
  gemm.bias = false;
  gemm.activation = Activation::kNone;
  gemm.device_scalars = false;
  return gemm;
}

// Runs one case, each under another seed: another order of blocks, warps, lanes and copies.
void check(const KernelEntry& row, GemmCase gemm) {
  if (is_plain_row(row)) {
    if (gemm.alpha == 0.0f || gemm.batch == Batch::kPointers) return;  // there is no plain product like it
    gemm = plain_case(gemm);
  }
  static std::uint64_t seed = 0;
  gemm.seed = ++seed;
  const ScopedOptions scope(Options::from_seed(seed));
  CHECK(run_case(row, gemm) == "");
}

}  // namespace

TEST_CASE("WGMMA kernels multiply at and around the edges of their tile", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    int turn = 0;
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        const int ms[] = {row.tile.m - 1, row.tile.m + 1, 1};
        const int ns[] = {row.tile.n + 3, row.tile.n, 1};
        for (int i = 0; i < 3; ++i) {
          GemmCase gemm = aligned_case(op_a, op_b, ms[i], ns[(i + turn) % 3], turn % 2 == 0 ? 65 : 33);
          if (turn % 3 == 1) gemm.beta = 0.5f;
          gemm.alpha = turn % 2 == 0 ? 1.0f : -2.0f;
          check(row, gemm);
          ++turn;
        }
      }
    }
  }
}

TEST_CASE("WGMMA kernels multiply for every length of k", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    int turn = 0;
    for (const int k : {1, 7, 64, 128, row.stages * 64, (row.stages + 1) * 64 + 8, (2 * row.stages + 1) * 64 - 3}) {
      check(row, aligned_case(kOps[turn % 2], kOps[turn / 2 % 2], 40, 24, k));
      ++turn;
    }
  }
}

TEST_CASE("WGMMA kernels work through lists of tiles", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    int turn = 0;
    for (const auto& [tiles_m, tiles_n] : {std::pair(1, 5), std::pair(3, 2), std::pair(7, 1)}) {
      GemmCase gemm = aligned_case(kOps[turn % 2], kOps[(turn + 1) % 2], tiles_m * row.tile.m - 9,
                                   tiles_n * row.tile.n - 1, 64 * turn + 8);
      gemm.sm_count = 1 + turn % 2;
      check(row, gemm);
      ++turn;
    }
  }
}

TEST_CASE("WGMMA kernels store to any D", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    for (int turn = 0; turn < 6; ++turn) {
      GemmCase gemm = aligned_case(kOps[turn % 2], kOps[turn / 2 % 2], row.tile.m / 2 + 5, row.tile.n - 7, 24);
      gemm.type_cd = turn % 3 == 0 ? DataType::kFloat32 : DataType::kFloat16;
      gemm.in_place = turn % 2 == 0;
      gemm.beta = turn % 4 == 1 ? 0.0f : -1.5f;
      gemm.pad_d += turn % 2;
      gemm.offset_d = turn % 3;
      gemm.offset_c = gemm.in_place ? gemm.offset_d : turn;
      gemm.pad_c = gemm.in_place ? gemm.pad_d : gemm.pad_c;
      check(row, gemm);
    }
  }
}

TEST_CASE("WGMMA kernels add C that comes through the ring", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    for (int turn = 0; turn < 12; ++turn) {
      // Blocks with one tile, an odd and an even number of them; k from a step to past the ring; D's edges in tiles.
      const int tiles_m = 1 + turn % 3;
      const int tiles_n = 1 + turn % 2;
      const int n = tiles_n * row.tile.n - (turn > 5 ? 8 : turn);
      const int k = turn % 8 < 4 ? 64 * row.stages + 24 * turn : 40;
      GemmCase gemm =
          aligned_case(kOps[turn % 2], kOps[turn / 2 % 2], tiles_m * row.tile.m - turn % 4 * 8, n, k);
      gemm.sm_count = 1 + turn % 2;
      gemm.alpha = turn % 3 == 0 ? 1.0f : -2.0f;
      gemm.beta = turn % 3 == 1 ? 1.0f : -1.5f;
      gemm.in_place = turn % 2 == 0;
      gemm.pad_c += turn == 3 ? 16 : 0;
      gemm.batch_count = turn > 5 ? 2 : 1;
      gemm.batch_gap = turn > 5 ? 8 : 0;
      if (turn == 4) gemm.pad_a += 1, gemm.row_workspace = RowWorkspace::kFastest;
      check(row, gemm);
    }
  }
}

TEST_CASE("WGMMA kernels store the last rows of tiles that are no whole boxes", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    if (row.tile.m % 64 == 0) continue;
    for (int turn = 0; turn < 8; ++turn) {
      // D ends in the last rows of a tile, in each of their boxes and between them, before them, or with the tile.
      const int m = (1 + turn % 3) * row.tile.m - 8 * turn;
      GemmCase gemm = aligned_case(kOps[turn % 2], kOps[turn / 2 % 2], m, (1 + turn % 2) * row.tile.n - 8, 72 + 8 * turn);
      gemm.sm_count = 1 + turn % 2;
      gemm.alpha = turn % 2 == 0 ? 1.0f : -2.0f;
      gemm.pad_d += turn == 3 ? 8 : 0;
      gemm.batch_count = turn > 5 ? 2 : 1;
      gemm.batch_gap = turn > 5 ? 8 : 0;
      check(row, gemm);
    }
  }
}

TEST_CASE("WGMMA kernels apply bias and activation, and scalars on the device", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    int turn = 0;
    for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kGelu}) {
      for (const float alpha : {-2.0f, 0.0f}) {
        GemmCase gemm = aligned_case(Op::kN, Op::kT, row.tile.m + 5, 50, 20);
        gemm.alpha = alpha;
        gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
        gemm.device_scalars = true;
        gemm.half_scalars = turn % 4 == 1;
        gemm.poisoned_operands = alpha == 0.0f;
        gemm.activation = activation;
        gemm.bias = turn % 3 != 0;
        check(row, gemm);
        ++turn;
      }
    }
  }
}

TEST_CASE("WGMMA kernels work through batches", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    for (int turn = 0; turn < 4; ++turn) {
      GemmCase gemm = aligned_case(kOps[turn % 2], kOps[turn / 2], 72, row.tile.n + 8, 40);
      gemm.batch_count = 3;
      gemm.batch_gap = turn % 2 == 0 ? 8 : 0;
      // Whole columns between entries keep every entry aligned.
      gemm.batch_gap += 8;
      gemm.broadcast_a = turn % 2 == 1;
      gemm.bias = turn == 3;
      check(row, gemm);
    }
  }
}

TEST_CASE("WGMMA kernels work in pairs of blocks where lines are cut", "[kernels][wgmma]") {
  int in_pairs = 0;
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    int turn = 0;
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        // Rows of several tiles, and columns of two or four, whose last one D cuts; strides are no whole lines.
        const int n = (2 + turn / 2 * 2) * row.tile.n - (turn == 3 ? 8 : 3);  // batches stay aligned
        GemmCase gemm = aligned_case(op_a, op_b, (1 + turn % 3) * row.tile.m - 8, n, 512 + 8 * turn);
        gemm.sm_count = 2 + turn;
        gemm.alpha = 1.0f - 2.0f * (turn % 2);
        gemm.batch_count = turn == 3 ? 2 : 1;
        gemm.batch_gap = turn == 3 ? 8 : 0;
        check(row, gemm);
        in_pairs += launch_record().last.cluster == 2 ? 1 : 0;
        ++turn;
      }
    }
  }
  CHECK(in_pairs == 5 * 4);  // tiles of 256 x 128, 192 x 128, 128 x 128 and those between
}

TEST_CASE("WGMMA kernels split k over blocks", "[kernels][wgmma]") {
  int rows = 0;
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    if (row.max_splits == 1) continue;
    ++rows;
    int turn = 0;
    for (const int splits : {2, 3, 5, 26}) {
      GemmCase gemm = aligned_case(kOps[turn % 2], kOps[turn / 2], row.tile.m + 1, row.tile.n - 3, 64 * splits + 9);
      gemm.splits = splits;
      gemm.sm_count = 1 + turn;
      gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
      if (turn == 2) gemm.alpha = 0.0f, gemm.device_scalars = gemm.poisoned_operands = true;
      if (turn == 1) gemm.pad_a += 3, gemm.row_workspace = RowWorkspace::kFastest;
      check(row, gemm);
      ++turn;
    }
  }
  CHECK(rows > 0);
}

TEST_CASE("WGMMA kernels repack operands that bulk copies do not reach", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    for (int turn = 0; turn < 8; ++turn) {
      GemmCase gemm = aligned_case(kOps[turn % 2], kOps[turn / 2 % 2], row.tile.m / 2 + turn, 51 + turn, 59 + 2 * turn);
      // A alone, B alone, or both; every shift of a column against 16 bytes.
      if (turn % 3 != 1) gemm.pad_a += 1 + turn, gemm.offset_a = (3 * turn + 1) % 8;
      if (turn % 3 != 0) gemm.pad_b += turn % 2, gemm.offset_b = 1 + turn % 7;
      gemm.pad_d = gemm.pad_c = turn % 2;
      gemm.row_workspace = RowWorkspace::kFastest;
      if (turn == 5) gemm.alpha = 0.0f, gemm.device_scalars = gemm.poisoned_operands = true;
      check(row, gemm);
    }
  }
}

TEST_CASE("WGMMA kernels work in panels where workspace is short", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    for (int turn = 0; turn < 3; ++turn) {
      GemmCase gemm = aligned_case(kOps[turn % 2], kOps[1 - turn % 2], 2 * row.tile.m + 1, 2 * row.tile.n + 3, 41);
      if (turn != 0) gemm.pad_a += 1;
      if (turn != 1) gemm.pad_b += 3;
      gemm.row_workspace = RowWorkspace::kLeast;
      gemm.beta = turn == 2 ? 0.5f : 0.0f;
      gemm.bias = turn == 1;
      gemm.in_place = turn != 2;
      check(row, gemm);
    }
  }
}

TEST_CASE("WGMMA kernels repack batches", "[kernels][wgmma]") {
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    for (int turn = 0; turn < 4; ++turn) {
      GemmCase gemm = aligned_case(kOps[turn % 2], kOps[turn / 2], 33, 20, 40);
      gemm.batch_count = 3;
      gemm.batch_gap = 1 + turn;
      gemm.batch = turn % 2 == 0 ? Batch::kPointers : Batch::kStrided;
      gemm.broadcast_a = turn == 3;
      gemm.row_workspace = turn > 1 ? RowWorkspace::kLeast : RowWorkspace::kFastest;
      gemm.bias = turn == 1;
      check(row, gemm);
    }
  }
}

TEST_CASE("WGMMA rows decline what is not theirs", "[kernels][wgmma]") {
  GemmProblem problem;
  problem.type_ab = problem.type_cd = DataType::kFloat16;
  problem.m = problem.n = problem.k = 512;
  problem.a = {.data = reinterpret_cast<const void*>(0x10000), .ld = 512, .batch_stride = 512 * 512};
  problem.b = {.data = reinterpret_cast<const void*>(0x20000), .ld = 512, .batch_stride = 512 * 512};
  problem.alpha.value = 1.0f;
  for (const KernelEntry& row : hgemm_wgmma_f16_sm90()) {
    CHECK(row.supports(problem));
    CHECK(row.workspace(problem).fastest == 0);
    const auto changed = [&](auto change) {
      GemmProblem other = problem;
      change(other);
      return other;
    };
    const auto declines = [&](auto change) { return !row.supports(changed(change)); };
    CHECK(declines([](GemmProblem& p) { p.type_ab = DataType::kFloat32; }));
    CHECK(declines([](GemmProblem& p) { p.k = 0; }));
    CHECK(declines([](GemmProblem& p) { p.m = std::int64_t{1} << 31; }));
    CHECK(declines([](GemmProblem& p) { p.batch_count = std::int64_t{1} << 27; }));
    CHECK(declines([](GemmProblem& p) { p.b.ld = std::int64_t{1} << 40; }));
    CHECK_FALSE(declines([](GemmProblem& p) { p.batch_count = 2, p.a.batch_stride = 0; }));
    CHECK(declines([](GemmProblem& p) { p.d.ld = 513; }) == is_plain_row(row));
    CHECK(declines([](GemmProblem& p) { p.type_cd = DataType::kFloat32; }) == is_plain_row(row));
    CHECK(declines([](GemmProblem& p) { p.beta.value = 1.0f; }) == is_plain_row(row));
    // A alone is repacked, its columns to multiples of 16 bytes; the least is one tile's rows.
    const WorkspaceNeed need = row.workspace(changed([](GemmProblem& p) { p.a.ld = 515, p.m = 509; }));
    CHECK(need.fastest == 512 * 512 * 2);
    const auto panel = static_cast<std::size_t>((row.tile.m + 63) / 64 * 64);
    CHECK(need.least == panel * 512 * 2);
    const auto descending = [](GemmProblem& p) { p.batch_count = 2, p.b.batch_stride = -512 * 512; };
    CHECK(row.workspace(changed(descending)).fastest == 2 * 512 * 512 * 2);
  }
}
