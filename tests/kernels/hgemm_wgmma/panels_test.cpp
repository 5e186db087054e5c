// Panels: what is repacked, how much workspace that takes, and that panels cover D within what there is.
#include "kernels/hgemm_wgmma/panels.h"

#include "tests/support/catch.h"

namespace fastgemm::hgemm_wgmma {
namespace {

constexpr TileShape kTile{192, 128, 64};
constexpr int kSms = 132;

GemmProblem square(std::int64_t size, std::int64_t ld) {
  GemmProblem problem;
  problem.type_ab = problem.type_cd = DataType::kFloat16;
  problem.m = problem.n = problem.k = size;
  problem.a = {.data = reinterpret_cast<const void*>(0x100000), .ld = ld, .batch_stride = ld * size};
  problem.b = {.data = reinterpret_cast<const void*>(0x200000), .ld = ld, .batch_stride = ld * size};
  problem.c = {.data = reinterpret_cast<const void*>(0x300000), .ld = ld, .batch_stride = ld * size};
  problem.d = {.data = reinterpret_cast<void*>(0x300000), .ld = ld, .batch_stride = ld * size};
  problem.alpha.value = 1.0f;
  return problem;
}

TEST_CASE("only operands whose columns start off 16 bytes are repacked", "[kernels]") {
  GemmProblem problem = square(1000, 1000);
  CHECK_FALSE(needs_repack(problem));
  problem.a.ld = 1004;
  CHECK(needs_repack_a(problem));
  CHECK_FALSE(needs_repack_b(problem));
  CHECK(repack_workspace(problem, kTile).fastest == 1024 * 1000 * 2);  // columns begin at lines
  CHECK(repack_workspace(problem, kTile).least == 192 * 1000 * 2);
  problem.b.data = reinterpret_cast<const void*>(0x200002);
  CHECK(needs_repack_b(problem));
  problem = square(1000, 1000);
  problem.batch_count = 2;
  problem.b.batch_stride = 4;
  CHECK(needs_repack_b(problem));
  problem.b.batch_stride = 0;
  CHECK_FALSE(needs_repack(problem));
}

TEST_CASE("panels are whole tiles, cover D and fit in workspace", "[kernels]") {
  for (const std::int64_t size : {300, 4095, 8191}) {
    const GemmProblem problem = square(size, size | 1);
    const WorkspaceNeed need = repack_workspace(problem, kTile);
    for (const std::size_t bytes : {need.least, need.least + 100000, std::size_t{32} << 20, need.fastest}) {
      const auto available = static_cast<std::int64_t>(bytes);
      const Panels panels = choose_panels(problem, kTile, available, kSms);
      if (bytes < need.least) {
        CHECK(panels.m == 0);
        continue;
      }
      CHECK(panels.m > 0);
      CHECK(panel_bytes(problem, panels) <= available);
      CHECK((panels.m == size || panels.m % kTile.m == 0));
      CHECK((panels.n == size || panels.n % kTile.n == 0));
      if (bytes >= need.fastest) CHECK((panels.m == size && panels.n == size));
    }
    CHECK(choose_panels(problem, kTile, static_cast<std::int64_t>(need.least) - 1, kSms).m == 0);
  }
}

TEST_CASE("batches are repacked by entries", "[kernels]") {
  GemmProblem problem = square(100, 101);
  problem.batch_count = 10;
  const WorkspaceNeed need = repack_workspace(problem, kTile);
  CHECK(need.fastest == 10 * need.least);
  CHECK(choose_panels(problem, kTile, static_cast<std::int64_t>(need.least) * 3, kSms).entries == 3);
  CHECK(choose_panels(problem, kTile, static_cast<std::int64_t>(need.least) - 1, kSms).m == 0);
  problem.b.batch_stride = 0;  // shared by all entries
  CHECK(repack_workspace(problem, kTile).fastest == need.least / 2 * 11);
}

TEST_CASE("a panel is the problem further on", "[kernels]") {
  GemmProblem problem = square(1000, 1001);
  problem.op_b = Op::kT;
  problem.bias = reinterpret_cast<const void*>(0x400000);
  const GemmProblem panel = panel_problem(problem, {192, 128, 1}, {960, 128, 0});
  CHECK(panel.m == 40);
  CHECK(panel.n == 128);
  CHECK(panel.a.data == reinterpret_cast<const void*>(0x100000 + 960 * 2));
  CHECK(panel.b.data == reinterpret_cast<const void*>(0x200000 + 128 * 2));
  CHECK(panel.d.data == reinterpret_cast<void*>(0x300000 + (960 + 128 * 1001) * 2));
  CHECK(panel.c.data == panel.d.data);
  CHECK(panel.bias == reinterpret_cast<const void*>(0x400000 + 960 * 2));
}

}  // namespace
}  // namespace fastgemm::hgemm_wgmma
