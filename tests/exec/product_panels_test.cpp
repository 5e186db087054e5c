// Panels cover a product exactly once, whatever room there is, and shift every operand to its own part.
#include "src/exec/product_panels.h"

#include <vector>

#include "tests/exec/fallback_fixture.h"

using namespace fastgemm;
using namespace fastgemm::test;

TEST_CASE("panels cover every element once and fit their room", "[exec][panels]") {
  struct Row {
    std::int64_t m, n, batch;
    std::size_t bytes;
  };
  const Row row = GENERATE(values<Row>({
      {7, 5, 3, 4},           // an element at a time
      {7, 5, 3, 4 * 6},       // part of a column
      {7, 5, 3, 4 * 7},       // a column
      {7, 5, 3, 4 * 34},      // four columns, then one
      {7, 5, 3, 4 * 35},      // an entry
      {7, 5, 3, 4 * 70 + 3},  // two entries, then one
      {7, 5, 3, 1 << 20},     // all
      {1000, 3, 2, 4 * 700},  // rows cut at a multiple of 256
      {1, 2000, 1, 4 * 999},  // columns cut at a multiple of 256
  }));
  GemmProblem problem = fake_problem(DataType::kFloat16, row.m, row.n, 4);
  problem.batch_count = row.batch;
  std::vector<int> covered(static_cast<std::size_t>(row.m * row.n * row.batch));
  const ProductPanel size = largest_panel(problem, row.bytes);
  ProductPanel panel = size;
  do {
    REQUIRE(panel.rows > 0);
    REQUIRE(panel.columns > 0);
    REQUIRE(panel.batches > 0);
    REQUIRE(static_cast<std::size_t>(panel.rows * panel.columns * panel.batches) * 4 <= row.bytes);
    for (std::int64_t b = panel.batch; b < panel.batch + panel.batches; ++b) {
      for (std::int64_t j = panel.column; j < panel.column + panel.columns; ++j) {
        for (std::int64_t i = panel.row; i < panel.row + panel.rows; ++i) {
          ++covered.at(static_cast<std::size_t>((b * row.n + j) * row.m + i));
        }
      }
    }
  } while (next_panel(problem, size, &panel));
  CHECK(std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; }));
}

TEST_CASE("panel sizes do not overflow", "[exec][panels]") {
  constexpr std::int64_t kHuge = (std::int64_t{1} << 31) - 1;
  GemmProblem problem = fake_problem(DataType::kFloat16, kHuge, kHuge, kHuge);
  problem.batch_count = kHuge;
  const ProductPanel panel = largest_panel(problem, std::size_t{32} << 20);
  CHECK(panel.rows == 8 << 20);
  CHECK(panel.columns == 1);
  CHECK(panel.batches == 1);
}

TEST_CASE("a panel's problem starts at its own elements", "[exec][panels]") {
  const Op op_a = GENERATE(Op::kN, Op::kT);
  const Op op_b = GENERATE(Op::kN, Op::kT);
  GemmProblem problem = fake_problem(DataType::kFloat16, 100, 90, 80);
  problem.op_a = op_a;
  problem.op_b = op_b;
  problem.a.ld = 101, problem.a.batch_stride = 20000;
  problem.b.ld = 103, problem.b.batch_stride = 0;
  problem.c.ld = 107, problem.c.batch_stride = 30000;
  problem.d.ld = 109, problem.d.batch_stride = 40000;
  problem.bias = reinterpret_cast<const void*>(0x70000);
  problem.bias_stride = 1000;
  const ProductPanel panel{.row = 3, .rows = 10, .column = 5, .columns = 20, .batch = 2, .batches = 4};
  const GemmProblem part = panel_problem(problem, panel);
  CHECK(part.m == 10);
  CHECK(part.n == 20);
  CHECK(part.k == 80);
  CHECK(part.batch_count == 4);
  const auto moved = [](const void* from, const void* to) {
    return (static_cast<const char*>(to) - static_cast<const char*>(from)) / 2;
  };
  CHECK(moved(problem.a.data, part.a.data) == (op_a == Op::kN ? 3 : 3 * 101) + 2 * 20000);
  CHECK(moved(problem.b.data, part.b.data) == (op_b == Op::kN ? 5 * 103 : 5));
  CHECK(moved(problem.c.data, part.c.data) == 3 + 5 * 107 + 2 * 30000);
  CHECK(moved(problem.d.data, part.d.data) == 3 + 5 * 109 + 2 * 40000);
  CHECK(moved(problem.bias, part.bias) == 3 + 2 * 1000);
}

TEST_CASE("a null C or bias stays null", "[exec][panels]") {
  GemmProblem problem = fake_problem(DataType::kFloat16);
  problem.c.data = nullptr;
  const GemmProblem part = panel_problem(problem, {.row = 1, .rows = 1, .column = 1, .columns = 1, .batches = 1});
  CHECK(part.c.data == nullptr);
  CHECK(part.bias == nullptr);
}
