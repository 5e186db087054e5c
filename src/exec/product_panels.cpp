// Sizes and walks panels: rows first, then columns, then batch entries.
#include "src/exec/product_panels.h"

#include <algorithm>

namespace fastgemm {

namespace {

// Multiples of this keep the tiles of the kernels that work on a panel whole.
constexpr std::int64_t kPanelStep = 256;

std::int64_t round_down(std::int64_t extent) { return extent > kPanelStep ? extent / kPanelStep * kPanelStep : extent; }

const void* shifted(const void* data, DataType type, std::int64_t elements) {
  return data == nullptr ? nullptr : static_cast<const char*>(data) + elements * element_size(type);
}

}  // namespace

ProductPanel largest_panel(const GemmProblem& problem, std::size_t bytes) {
  const std::int64_t capacity = std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / sizeof(float)));
  ProductPanel panel;
  panel.columns = 1;
  panel.batches = 1;
  if (problem.m > capacity) {
    panel.rows = round_down(capacity);
    return panel;
  }
  panel.rows = problem.m;
  const std::int64_t columns = capacity / problem.m;
  if (problem.n > columns) {
    panel.columns = round_down(columns);
    return panel;
  }
  panel.columns = problem.n;
  panel.batches = std::min(problem.batch_count, columns / problem.n);
  return panel;
}

bool next_panel(const GemmProblem& problem, const ProductPanel& size, ProductPanel* panel) {
  panel->row += panel->rows;
  if (panel->row >= problem.m) {
    panel->row = 0;
    panel->column += panel->columns;
  }
  if (panel->column >= problem.n) {
    panel->column = 0;
    panel->batch += panel->batches;
  }
  if (panel->batch >= problem.batch_count) return false;
  panel->rows = std::min(size.rows, problem.m - panel->row);
  panel->columns = std::min(size.columns, problem.n - panel->column);
  panel->batches = std::min(size.batches, problem.batch_count - panel->batch);
  return true;
}

GemmProblem panel_problem(const GemmProblem& problem, const ProductPanel& panel) {
  GemmProblem part = problem;
  part.m = panel.rows;
  part.n = panel.columns;
  part.batch_count = panel.batches;
  const std::int64_t a_shift = problem.op_a == Op::kN ? panel.row : panel.row * problem.a.ld;
  const std::int64_t b_shift = problem.op_b == Op::kN ? panel.column * problem.b.ld : panel.column;
  const std::int64_t c_shift = panel.row + panel.column * problem.c.ld;
  const std::int64_t d_shift = panel.row + panel.column * problem.d.ld;
  part.a.data = shifted(problem.a.data, problem.type_ab, a_shift + panel.batch * problem.a.batch_stride);
  part.b.data = shifted(problem.b.data, problem.type_ab, b_shift + panel.batch * problem.b.batch_stride);
  part.c.data = shifted(problem.c.data, problem.type_cd, c_shift + panel.batch * problem.c.batch_stride);
  part.d.data = const_cast<void*>(
      shifted(problem.d.data, problem.type_cd, d_shift + panel.batch * problem.d.batch_stride));
  part.bias = shifted(problem.bias, problem.type_cd, panel.row + panel.batch * problem.bias_stride);
  return part;
}

}  // namespace fastgemm
