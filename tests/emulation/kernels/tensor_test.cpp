// The FP32_TENSOR family, from its own sources: the split pass, the three methods and the choice between them.
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/families.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/gemm_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

constexpr Op kOps[] = {Op::kN, Op::kT};

GemmCase make_case(Op op_a, Op op_b, int m, int n, int k) {
  GemmCase gemm;
  gemm.op_a = op_a;
  gemm.op_b = op_b;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  gemm.row_workspace = RowWorkspace::kFastest;
  return gemm;
}

// Runs one case, each under another seed: another order of blocks, warps, lanes and copies.
void check(const KernelEntry& row, GemmCase gemm) {
  static std::uint64_t seed = 0;
  gemm.seed = ++seed;
  const ScopedOptions scope(Options::from_seed(seed));
  CHECK(run_case(row, gemm) == "");
}

}  // namespace

TEST_CASE("tensor kernels multiply at and around the edges of their tile", "[kernels][tensor]") {
  for (const KernelEntry& row : sgemm_tensor_f32_sm90()) {
    int turn = 0;
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        const int m = turn % 2 == 0 ? row.tile.m + 1 : 1;
        const int n = turn < 2 ? row.tile.n - 1 : row.tile.n + 1;
        GemmCase gemm = make_case(op_a, op_b, m, n, 128 + 33 * turn);
        gemm.pad_a = gemm.pad_c = gemm.pad_d = turn % 2;
        gemm.offset_b = gemm.offset_d = gemm.offset_c = turn / 2;
        gemm.alpha = turn % 2 == 0 ? 1.0f : -2.0f;
        gemm.beta = turn == 1 ? 0.5f : 0.0f;
        check(row, gemm);
        ++turn;
      }
    }
  }
}
