// Random calls of every row: sizes, layouts, alignments, batches and epilogues that nobody thought of together.
// FASTGEMM_EMULATION_CASES asks for more of them than the few that every run has, FASTGEMM_EMULATION_ROWS for those
// rows alone whose names contain it.
#include <cstdlib>
#include <random>
#include <span>
#include <string>

#include "kernels/families.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/gemm_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool one_in(int n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 random_;
};

int pad_to(int length, int multiple) { return (multiple - length % multiple) % multiple; }

// A leading dimension that is aligned, by chance or not at all.
int draw_pad(Draw& draw, int length) {
  switch (draw.between(0, 3)) {
    case 0: return pad_to(length, 8);
    case 1: return pad_to(length, 4) + 4;
    case 2: return pad_to(length, 2);
    default: return draw.between(0, 9);
  }
}

int draw_offset(Draw& draw) { return draw.one_in(2) ? 0 : draw.between(0, 8); }

GemmCase draw_case(const KernelEntry& row, std::uint64_t seed) {
  Draw draw(seed);
  GemmCase gemm;
  gemm.seed = seed;
  gemm.op_a = draw.one_in(2) ? Op::kN : Op::kT;
  gemm.op_b = draw.one_in(2) ? Op::kN : Op::kT;
  const int past = row.tile.m < 16 || row.tile.n < 16 ? 0 : 9;  // rows for a short side take no more of it
  gemm.m = draw.between(1, row.tile.m + past);
  gemm.n = draw.between(1, row.tile.n + past);
  gemm.k = draw.between(1, 3 * row.tile.k);
  gemm.pad_a = draw_pad(draw, gemm.op_a == Op::kN ? gemm.m : gemm.k);
  gemm.pad_b = draw_pad(draw, gemm.op_b == Op::kN ? gemm.k : gemm.n);
  gemm.pad_c = draw_pad(draw, gemm.m);
  gemm.pad_d = draw_pad(draw, gemm.m);
  gemm.offset_a = draw_offset(draw);
  gemm.offset_b = draw_offset(draw);
  gemm.offset_c = draw_offset(draw);
  gemm.offset_d = draw_offset(draw);
  gemm.beta = draw.one_in(2) ? 0.0f : 0.5f;
  gemm.device_scalars = draw.one_in(4);
  gemm.in_place = draw.one_in(2);
  gemm.bias = draw.one_in(3);
  gemm.activation = draw.one_in(4) ? Activation::kRelu : Activation::kNone;
  gemm.type_cd = row.type_ab == DataType::kFloat32 || draw.one_in(3) ? DataType::kFloat32 : DataType::kFloat16;
  gemm.batch_count = draw.one_in(2) ? 1 : draw.between(2, 3);
  gemm.batch = draw.one_in(3) ? Batch::kPointers : Batch::kStrided;
  gemm.batch_gap = draw.between(0, 9);
  gemm.broadcast_a = draw.one_in(4);
  gemm.chained = draw.one_in(2);
  if (row.workspace != nullptr) gemm.row_workspace = draw.one_in(2) ? RowWorkspace::kLeast : RowWorkspace::kFastest;
  if (row.max_splits > 1 && draw.one_in(2)) gemm.splits = draw.between(1, 3);
  if (row.fp32_tensor) {  // takes neither short sums nor small batch entries
    gemm.k += 256;
    gemm.batch_count = 1;
    gemm.batch = Batch::kStrided;
  }
  // What FP32_SEQUENTIAL may run on: the bits of one chain, whatever else was drawn.
  if (row.sequential && gemm.splits == 1 && draw.one_in(2)) gemm.data = Data::kReals;
  return gemm;
}

int cases_per_row() {
  const char* asked = std::getenv("FASTGEMM_EMULATION_CASES");
  return asked != nullptr ? std::atoi(asked) : 3;
}

}  // namespace

TEST_CASE("rows are right on random calls", "[kernels][random]") {
  constexpr Family kAll[] = {sgemm_ffma_f32_sm80,   sgemm_ffma_small_f32_sm80, sgemm_ffma_f32_sm75,
                             sgemm_hopper_f32_sm90, sgemm_tensor_f32_sm90,     sgemm_tensor_mma_f32_sm80,
                             hgemm_mma_f16_sm80,    hgemm_mma_f16_sm75,        hgemm_wgmma_f16_sm90,
                             gemv_f32,              gemv_f16};
  const char* rows = std::getenv("FASTGEMM_EMULATION_ROWS");
  for (const Family family : kAll) {
    for (const KernelEntry& row : family()) {
      if (rows != nullptr && std::string(row.name).find(rows) == std::string::npos) continue;
      for (int i = 0; i < cases_per_row(); ++i) {
        const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(i);
        const GemmCase gemm = draw_case(row, seed);
        const ScopedOptions scope(Options::from_seed(seed));
        const std::string wrong = run_case(row, gemm);
        if (!wrong.ends_with("not supported")) CHECK(wrong == "");
      }
    }
  }
}
