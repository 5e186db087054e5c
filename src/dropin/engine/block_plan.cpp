// Panels, strips and chunks.
#include "src/dropin/engine/block_plan.h"

#include <algorithm>

namespace fastgemm::dropin {

namespace {

constexpr std::int64_t kPanelMultiple = 128;  // whole tiles of most kernels

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Adds steps to a plan, arrival by arrival.
class Arrivals {
 public:
  Arrivals(const BlockShape& shape, const CutSizes& sizes, BlockPlan* plan)
      : shape_(shape), chunk_(chunk_elements(shape, sizes)), plan_(*plan) {}

  void panel_of_a(const Range& rows) {
    if (shape_.a != Route::kStay) {
      add(Matrix::kA, shape_.transa ? Rect{0, rows.begin, shape_.k, rows.count}
                                    : Rect{rows.begin, 0, rows.count, shape_.k}, shape_.a);
    }
    rows_ = rows.begin + rows.count;
    strip({rows.begin, 0, rows.count, columns_});
  }

  void panel_of_b(const Range& columns) {
    if (shape_.b != Route::kStay) {
      add(Matrix::kB, shape_.transb ? Rect{columns.begin, 0, columns.count, shape_.k}
                                    : Rect{0, columns.begin, shape_.k, columns.count}, shape_.b);
    }
    columns_ = columns.begin + columns.count;
    strip({0, columns.begin, rows_, columns.count});
  }

 private:
  int step() const { return static_cast<int>(plan_.products.size()); }

  void add(Matrix matrix, const Rect& rect, Route route) {
    add_chunks(matrix, rect, step(), most_elements(rect, route), &plan_.in);
  }

  // Pinned memory needs no buffer, so a panel may move at once.
  std::int64_t most_elements(const Rect& rect, Route route) const {
    return route == Route::kRing ? chunk_ : std::max(chunk_, device_ld(rect.rows) * rect.columns);
  }

  void strip(const Rect& product) {
    if (!product.empty()) {
      if (shape_.read_c && shape_.c_in != Route::kStay) add(Matrix::kC, product, shape_.c_in);
      add_chunks(Matrix::kC, product, step(), most_elements(product, shape_.c_out), &plan_.out);
    }
    plan_.products.push_back(product);
  }

  const BlockShape& shape_;
  const std::int64_t chunk_;
  BlockPlan& plan_;
  std::int64_t rows_ = 0;     // of op(A) that have arrived
  std::int64_t columns_ = 0;  // of op(B)
};

}  // namespace

void add_chunks(Matrix matrix, const Rect& rect, int step, std::int64_t elements, std::vector<Chunk>* chunks) {
  const std::int64_t rows = std::min(rect.rows, elements);
  const std::int64_t columns = std::max<std::int64_t>(1, elements / std::max<std::int64_t>(1, device_ld(rows)));
  for (std::int64_t column = 0; column < rect.columns; column += columns) {
    for (std::int64_t row = 0; row < rect.rows; row += rows) {
      chunks->push_back({matrix,
                         {rect.row + row, rect.column + column, std::min(rows, rect.rows - row),
                          std::min(columns, rect.columns - column)},
                         step});
    }
  }
}

std::int64_t chunk_elements(const BlockShape& shape, const CutSizes& sizes) {
  constexpr std::int64_t kLeast = 1 << 16;  // 256 KiB: less is mostly the overhead of a copy
  return std::min(sizes.chunk_elements, std::max(kLeast, device_elements(shape) / sizes.pieces));
}

std::vector<Range> cut_panels(std::int64_t extent, std::int64_t panel, int most) {
  // Half a panel more than a whole number of them makes no panel of its own.
  const std::int64_t wanted = std::clamp<std::int64_t>((extent + panel / 2) / panel, 1, most);
  const std::int64_t each = round_up((extent + wanted - 1) / wanted, kPanelMultiple);
  std::vector<Range> panels;
  for (std::int64_t begin = 0; begin < extent; begin += each) {
    panels.push_back({begin, std::min(each, extent - begin)});
  }
  return panels;
}

BlockPlan plan_block(const BlockShape& shape, const CutSizes& sizes) {
  BlockPlan plan;
  Arrivals arrivals(shape, sizes, &plan);
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n);
  const bool copy_bound = m * n <= static_cast<double>(sizes.copy_bound) * (m + n);
  const std::int64_t panel = copy_bound ? std::min(sizes.small_panel, sizes.panel) : sizes.panel;
  std::vector<Range> a = cut_panels(shape.m, panel, sizes.max_panels);
  if (shape.a == Route::kStay) a = {{0, shape.m}};
  std::vector<Range> b = cut_panels(shape.n, panel, sizes.max_panels);
  if (shape.b == Route::kStay && shape.a != Route::kStay) b = {{0, shape.n}};
  // The operand of which the smaller share has arrived is next, so that the strips stay square.
  for (std::size_t next_a = 0, next_b = 0; next_a < a.size() || next_b < b.size();) {
    const bool a_is_behind = next_a * b.size() <= next_b * a.size();
    if (next_a < a.size() && (a_is_behind || next_b == b.size())) {
      arrivals.panel_of_a(a[next_a++]);
    } else {
      arrivals.panel_of_b(b[next_b++]);
    }
  }
  return plan;
}

std::int64_t device_elements(const BlockShape& shape) {
  std::int64_t elements = 0;
  if (shape.a != Route::kStay) {
    elements += shape.transa ? device_ld(shape.k) * shape.m : device_ld(shape.m) * shape.k;
  }
  if (shape.b != Route::kStay) {
    elements += shape.transb ? device_ld(shape.n) * shape.k : device_ld(shape.k) * shape.n;
  }
  if (shape.c_out != Route::kStay) elements += device_ld(shape.m) * shape.n;
  return elements;
}

std::vector<Rect> cut_blocks(const BlockShape& whole, std::int64_t elements) {
  BlockShape block = whole;
  // Halving the longer side keeps blocks square: the least is moved for what is computed.
  while (device_elements(block) > elements) {
    if (block.m <= kPanelMultiple && block.n <= kPanelMultiple) return {};
    std::int64_t& side = block.m >= block.n ? block.m : block.n;
    side = round_up((side + 1) / 2, kPanelMultiple);
  }
  std::vector<Rect> blocks;
  for (std::int64_t row = 0; row < whole.m; row += block.m) {
    for (std::int64_t column = 0; column < whole.n; column += block.n) {
      blocks.push_back({row, column, std::min(block.m, whole.m - row), std::min(block.n, whole.n - column)});
    }
  }
  return blocks;
}

}  // namespace fastgemm::dropin
