// How one product is cut: which parts of A, B and C move in which order, and what can be multiplied after each.
//
// A goes to the device in panels of rows of op(A), B in panels of columns of op(B), in turn. Each panel that arrives
// completes one more strip of C, of all that has arrived of the other operand: so products start after the first two
// panels, and results leave, while later panels still arrive. k is never cut, so an element's bits depend on no cut.
//
//   arrival    A0 B0 A1 B1 ...        C:  B0  A1>  ... strip of A1: rows of A1, columns B0
//   strips        00 10 01+11 ...         B1v      ... strip of B1: rows A0 and A1, columns of B1
#pragma once

#include <cstdint>
#include <vector>

namespace fastgemm::dropin {

struct Range {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

struct Rect {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  bool empty() const { return rows == 0 || columns == 0; }
};

enum class Matrix { kA, kB, kC };

// A rectangle of a matrix as it is stored.
struct Chunk {
  Matrix matrix = Matrix::kA;
  Rect rect;
  int step = 0;
};

struct BlockPlan {
  std::vector<Chunk> in;       // in order of their steps
  std::vector<Rect> products;  // of C, one a step; may be empty
  std::vector<Chunk> out;      // of C, in order of their steps
};

// How an operand reaches the device, or C leaves it.
enum class Route {
  kRing,    // in chunks, through pinned buffers
  kDirect,  // in chunks, without: its memory is pinned
  kStay,    // is there
};

struct BlockShape {
  std::int64_t m = 0, n = 0, k = 0;
  bool transa = false, transb = false;
  bool read_c = false;  // beta != 0
  Route a = Route::kRing, b = Route::kRing;
  Route c_in = Route::kRing, c_out = Route::kRing;
};

struct CutSizes {
  // Rows of op(A), columns of op(B). Small panels let products start and results leave early, large ones multiply
  // faster: so small ones where copies take longer than products. Milliseconds on an H200, panels of 512 and of 1024:
  // 1024 cubed 0.61 and 0.69, 4096 cubed 4.46 and 4.91, 8192 cubed 25.8 and 24.1.
  std::int64_t panel = 1024;
  std::int64_t small_panel = 512;
  std::int64_t copy_bound = 3072;       // largest m n / (m + n) that has small ones: the products by an element moved
  int max_panels = 16;                  // of each operand
  std::int64_t chunk_elements = 1 << 18;  // of a ring's buffer, and at most so many a chunk
  std::int64_t pieces = 24;               // chunks a product is cut into at least, so that a small one overlaps, too
};

// Elements of a chunk in a product of this shape.
std::int64_t chunk_elements(const BlockShape& shape, const CutSizes& sizes);

// Cuts 0 .. extent into at most `most` equal panels of about `panel`, each but the last a multiple of 128.
std::vector<Range> cut_panels(std::int64_t extent, std::int64_t panel, int most);

// Adds rectangles of at most `elements` that make up `rect`, in columns as long as may be: copies run along memory.
void add_chunks(Matrix matrix, const Rect& rect, int step, std::int64_t elements, std::vector<Chunk>* chunks);

BlockPlan plan_block(const BlockShape& shape, const CutSizes& sizes);

// Cuts `whole` of C into blocks whose operands fit `device_elements` together, row of blocks by row of blocks. Empty
// where not even a block of 128 x 128 fits.
std::vector<Rect> cut_blocks(const BlockShape& whole, std::int64_t device_elements);

// Elements between the columns of a matrix on the device: 128-byte lines, which every kernel's fast path takes.
constexpr std::int64_t device_ld(std::int64_t rows) { return (rows + 31) / 32 * 32; }

// Elements of device memory that a block of this shape wants.
std::int64_t device_elements(const BlockShape& shape);

}  // namespace fastgemm::dropin
