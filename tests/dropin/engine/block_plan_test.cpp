// The cuts: everything is moved once, everything is multiplied once and after its operands, chunks fit the ring.
#include "src/dropin/engine/block_plan.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace fastgemm::dropin;

namespace {

class Grid {
 public:
  Grid(std::int64_t rows, std::int64_t columns) : rows_(rows), counts_(static_cast<std::size_t>(rows * columns), 0) {}
  void add(const Rect& rect) {
    for (std::int64_t j = 0; j < rect.columns; ++j) {
      for (std::int64_t i = 0; i < rect.rows; ++i) ++at(rect.row + i, rect.column + j);
    }
  }
  int& at(std::int64_t row, std::int64_t column) { return counts_.at(static_cast<std::size_t>(row + column * rows_)); }
  bool all(int value) const {
    return std::all_of(counts_.begin(), counts_.end(), [=](int count) { return count == value; });
  }

 private:
  std::int64_t rows_;
  std::vector<int> counts_;
};

Grid stored_a(const BlockShape& s) { return s.transa ? Grid(s.k, s.m) : Grid(s.m, s.k); }
Grid stored_b(const BlockShape& s) { return s.transb ? Grid(s.n, s.k) : Grid(s.k, s.n); }

// Is every row of op(A) and column of op(B) that a product reads complete?
bool operands_arrived(const BlockShape& s, const Rect& product, Grid a, Grid b) {
  for (std::int64_t p = 0; p < s.k; ++p) {
    for (std::int64_t i = product.row; i < product.row + product.rows && s.a != Route::kStay; ++i) {
      if ((s.transa ? a.at(p, i) : a.at(i, p)) != 1) return false;
    }
    for (std::int64_t j = product.column; j < product.column + product.columns && s.b != Route::kStay; ++j) {
      if ((s.transb ? b.at(j, p) : b.at(p, j)) != 1) return false;
    }
  }
  return true;
}

void check_plan(const BlockShape& shape, const CutSizes& sizes) {
  const BlockPlan plan = plan_block(shape, sizes);
  Grid a = stored_a(shape), b = stored_b(shape), c_in(shape.m, shape.n), c_out(shape.m, shape.n);
  Grid products(shape.m, shape.n);
  std::size_t in = 0, out = 0;
  for (std::size_t step = 0; step < plan.products.size(); ++step) {
    for (; in < plan.in.size() && plan.in[in].step == static_cast<int>(step); ++in) {
      const Chunk& chunk = plan.in[in];
      (chunk.matrix == Matrix::kA ? a : chunk.matrix == Matrix::kB ? b : c_in).add(chunk.rect);
    }
    const Rect& product = plan.products[step];
    REQUIRE(operands_arrived(shape, product, a, b));
    products.add(product);
    for (; out < plan.out.size() && plan.out[out].step == static_cast<int>(step); ++out) c_out.add(plan.out[out].rect);
    CHECK(products.all(1) == (step + 1 == plan.products.size()));
  }
  CHECK(in == plan.in.size());
  CHECK(out == plan.out.size());
  CHECK(a.all(shape.a == Route::kStay ? 0 : 1));
  CHECK(b.all(shape.b == Route::kStay ? 0 : 1));
  CHECK(c_in.all(shape.read_c && shape.c_in != Route::kStay ? 1 : 0));
  CHECK(c_out.all(1));
  for (const Chunk& chunk : plan.in) CHECK(chunk.rect.rows * chunk.rect.columns <= sizes.chunk_elements);
}

}  // namespace

TEST_CASE("Block plan: every operand, layout and edge", "[block_plan]") {
  const CutSizes sizes = {.panel = 128, .max_panels = 4, .chunk_elements = 500};
  for (const std::int64_t m : {1, 127, 128, 129, 300, 1000}) {
    for (const std::int64_t n : {1, 128, 257}) {
      for (int bits = 0; bits < 8; ++bits) {
        CAPTURE(m, n, bits);
        check_plan({.m = m, .n = n, .k = 9, .transa = (bits & 1) != 0, .transb = (bits & 2) != 0,
                    .read_c = (bits & 4) != 0},
                   sizes);
      }
    }
  }
}

TEST_CASE("Block plan: columns longer than a chunk are cut", "[block_plan]") {
  check_plan({.m = 40, .n = 7, .k = 33}, {.panel = 128, .max_panels = 4, .chunk_elements = 7});
}

TEST_CASE("Block plan: what stays is not moved", "[block_plan]") {
  const CutSizes sizes = {.panel = 128, .max_panels = 4, .chunk_elements = 1 << 20};
  const auto stay = Route::kStay, ring = Route::kRing;
  check_plan({.m = 300, .n = 300, .k = 5, .a = stay}, sizes);
  check_plan({.m = 300, .n = 300, .k = 5, .b = stay}, sizes);
  check_plan({.m = 300, .n = 300, .k = 5, .read_c = true, .a = stay, .b = stay, .c_in = stay, .c_out = stay}, sizes);
  CHECK(plan_block({.m = 300, .n = 300, .k = 5, .a = stay, .b = stay, .c_in = ring}, sizes).in.empty());
}

TEST_CASE("Block plan: products start long before all has arrived", "[block_plan]") {
  const BlockPlan plan = plan_block({.m = 8192, .n = 8192, .k = 64}, {});
  REQUIRE(plan.products.size() == 16);
  CHECK(plan.products[0].empty());
  CHECK(plan.products[1].rows == 1024);
  CHECK(plan.products[1].columns == 1024);
  CHECK(plan.products[15].rows * plan.products[15].columns <= 8192 * 1024);
}

TEST_CASE("Block plan: where copies take longer, panels are small", "[block_plan]") {
  const auto first = [](std::int64_t m, std::int64_t n) { return plan_block({.m = m, .n = n, .k = 8}, {}).products[1]; };
  CHECK(first(1024, 1024).rows == 512);
  CHECK(first(4096, 4096).columns == 512);
  CHECK(first(8192, 2048).columns == 512);
  CHECK(first(8192, 6000).columns == 1024);
}

TEST_CASE("Panels are equal, whole tiles, and not too many", "[block_plan]") {
  CHECK(cut_panels(1, 1024, 16).size() == 1);
  CHECK(cut_panels(1400, 1024, 16).size() == 1);
  CHECK(cut_panels(1600, 1024, 16).size() == 2);
  CHECK(cut_panels(100000, 1024, 16).size() == 16);
  for (const std::int64_t extent : {1, 1025, 5000, 16385, 1000003}) {
    std::int64_t next = 0;
    const std::vector<Range> panels = cut_panels(extent, 1024, 16);
    for (const Range& panel : panels) {
      CHECK(panel.begin == next);
      CHECK(panel.count > 0);
      CHECK((panel.count % 128 == 0 || panel.begin + panel.count == extent));
      next += panel.count;
    }
    CHECK(next == extent);
  }
}

TEST_CASE("Blocks fit device memory and make up the whole", "[block_plan]") {
  const BlockShape whole = {.m = 1500, .n = 900, .k = 77};
  CHECK(cut_blocks(whole, device_elements(whole)).size() == 1);
  CHECK(cut_blocks(whole, 100).empty());
  for (const std::int64_t room : {60000, 200000, 800000, 1400000}) {
    Grid grid(whole.m, whole.n);
    const std::vector<Rect> blocks = cut_blocks(whole, room);
    REQUIRE(!blocks.empty());
    for (const Rect& block : blocks) {
      grid.add(block);
      CHECK(device_elements({.m = block.rows, .n = block.columns, .k = whole.k}) <= room);
    }
    CHECK(grid.all(1));
  }
}

TEST_CASE("Blocks of products too large for any integer of 32 bits", "[block_plan]") {
  const BlockShape whole = {.m = 200000, .n = 200000, .k = 200000};
  const std::vector<Rect> blocks = cut_blocks(whole, std::int64_t{35} << 30);
  REQUIRE(!blocks.empty());
  double area = 0;
  for (const Rect& block : blocks) area += static_cast<double>(block.rows) * static_cast<double>(block.columns);
  CHECK(area == 4e10);
}
