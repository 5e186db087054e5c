// Pieces of a product that fit a workspace: the arithmetic of shifting a problem to a block of rows, columns and batch
// entries.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm {

// rows x columns elements of D in each of `batches` batch entries, from (row, column) of entry `batch`.
struct ProductPanel {
  std::int64_t row = 0, rows = 0;
  std::int64_t column = 0, columns = 0;
  std::int64_t batch = 0, batches = 0;
};

// The largest panel of `problem` whose FP32 product fits in `bytes` (4 or more): whole batch entries if one fits, else
// whole columns, else part of a column. Its offsets are 0.
ProductPanel largest_panel(const GemmProblem& problem, std::size_t bytes);

// The panel after `panel`, of the same size or cut off at an edge; false when `panel` was the last one.
bool next_panel(const GemmProblem& problem, const ProductPanel& size, ProductPanel* panel);

// `problem` reduced to `panel`. Operands must be addresses, not pointer arrays.
GemmProblem panel_problem(const GemmProblem& problem, const ProductPanel& panel);

}  // namespace fastgemm
