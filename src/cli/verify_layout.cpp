#include "src/cli/verify_layout.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fastgemm::cli {
namespace {

constexpr std::int64_t kAlignment = 256;  // bytes; also the guard on either side of a stretch

// Hands out the arena piece by piece.
class Arena {
 public:
  explicit Arena(char* begin) : begin_(begin) {}
  char* take(std::int64_t bytes) {
    char* piece = begin_ == nullptr ? nullptr : begin_ + used_;
    used_ += static_cast<std::size_t>((bytes + kAlignment - 1) / kAlignment * kAlignment);
    return piece;
  }
  std::size_t used() const { return used_; }

 private:
  char* begin_;
  std::size_t used_ = 0;
};

struct MatrixSpec {
  std::int64_t rows, columns, pad, offset, entries, gap;
  DataType type;
  Content content;
  int range;
  std::uint64_t seed;
};

// One guarded stretch: a guard, `offset` elements, the matrices, a guard.
MatrixImage place_matrix(const MatrixSpec& spec, Arena* arena) {
  const std::int64_t bytes = element_size(spec.type);
  MatrixImage image;
  image.type = spec.type;
  image.content = spec.content;
  image.range = spec.range;
  image.seed = spec.seed;
  image.rows = spec.rows;
  image.columns = spec.columns;
  image.ld = std::max<std::int64_t>(spec.rows, 1) + spec.pad;
  image.batch_count = spec.entries;
  image.batch_stride = std::max<std::int64_t>(image.ld * spec.columns, 1) + spec.gap;
  image.start = kAlignment / bytes + spec.offset;
  image.total = image.start + image.batch_stride * spec.entries + kAlignment / bytes;
  image.base = arena->take(image.total * bytes);
  return image;
}

char* first_element(const MatrixImage& image) {
  return static_cast<char*>(image.base) + image.start * element_size(image.type);
}

// Only a stride can be 0; an array of pointers has one entry for each.
bool broadcasts(const Case& c, bool asked) { return asked && is_strided(c); }

void place_matrices(const Case& c, Arena* arena, CaseImage* image) {
  const Content factors = reads_product(c) ? Content::kIntegers : c.unread;
  const Content c_content = c.beta != 0.0f ? Content::kIntegers : c.unread;
  const int range = integer_range(c);
  MatrixImage* matrices = image->matrices;
  MatrixSpec a{c.m, c.k, c.pad_a, c.offset_a, c.batch, c.gap, c.type_ab, factors, range, c.seed * 8};
  MatrixSpec b{c.k, c.n, c.pad_b, c.offset_b, c.batch, c.gap, c.type_ab, factors, range, c.seed * 8 + 1};
  if (c.trans_a != 'N') std::swap(a.rows, a.columns);
  if (c.trans_b != 'N') std::swap(b.rows, b.columns);
  if (broadcasts(c, c.broadcast_a)) a.entries = 1;
  if (broadcasts(c, c.broadcast_b)) b.entries = 1;
  matrices[kMatrixA] = place_matrix(a, arena);
  matrices[kMatrixB] = place_matrix(b, arena);
  const MatrixSpec c_spec{c.m, c.n, c.pad_c, c.offset_c, c.batch, c.gap, c.type_cd, c_content, 8, c.seed * 8 + 2};
  if (c.separate_d) {
    matrices[kMatrixC] = place_matrix(c_spec, arena);
    matrices[kMatrixD] = place_matrix(
        {c.m, c.n, c.pad_d, c.offset_d, c.batch, c.gap, c.type_cd, Content::kNan, 8, c.seed * 8 + 3}, arena);
  } else {
    matrices[kMatrixD] = place_matrix(c_spec, arena);
  }
  if (c.bias) {
    matrices[kMatrixBias] =
        place_matrix({c.m, 1, 0, c.offset_d, c.batch, 0, c.type_cd, Content::kIntegers, 8, c.seed * 8 + 4}, arena);
  }
}

// FP16 entries take FP16 scalars; fg_gemm_ex always FP32 ones.
DataType scalar_type(const Case& c) { return c.entry == CallEntry::kEx ? DataType::kFloat32 : c.type_cd; }

Operand operand(const MatrixImage& image, const Case& c, bool broadcast, bool may_be_negative, void** pointers) {
  Operand result;
  result.data = first_element(image);
  result.pointers = pointers;
  result.ld = image.ld;
  if (broadcast || c.batch == 1) return result;
  result.batch_stride = image.batch_stride;
  if (may_be_negative && c.negative_strides && is_strided(c)) {
    result.data = first_element(image) + (c.batch - 1) * image.batch_stride * element_size(image.type);
    result.batch_stride = -image.batch_stride;
  }
  return result;
}

Scalar scalar(const Case& c, const CaseImage& image, int which) {
  Scalar result;
  result.value = which == 0 ? c.alpha : c.beta;
  if (c.device_scalars) {
    result.device = static_cast<const char*>(image.scalar_memory) + 4 * which;
    result.device_type = image.scalar_type;
  }
  return result;
}

GemmProblem reference_problem(const Case& c, const CaseImage& image) {
  GemmProblem p;
  p.type_ab = c.type_ab;
  p.type_cd = c.type_cd;
  p.op_a = c.trans_a == 'N' ? Op::kN : Op::kT;
  p.op_b = c.trans_b == 'N' ? Op::kN : Op::kT;
  p.activation = static_cast<Activation>(c.activation);
  p.m = c.m;
  p.n = c.n;
  p.k = c.k;
  p.batch_count = c.batch;
  p.alpha = scalar(c, image, 0);
  p.beta = scalar(c, image, 1);
  p.a = operand(image.matrices[kMatrixA], c, broadcasts(c, c.broadcast_a), true, image.pointers[0]);
  p.b = operand(image.matrices[kMatrixB], c, broadcasts(c, c.broadcast_b), true, image.pointers[1]);
  p.c = operand(image.matrices[c.separate_d ? kMatrixC : kMatrixD], c, false, false, image.pointers[2]);
  const Operand d = operand(image.matrices[kMatrixD], c, false, false, image.pointers[2]);
  p.d = {const_cast<void*>(d.data), image.pointers[2], d.ld, d.batch_stride};
  if (c.bias) {
    p.bias = first_element(image.matrices[kMatrixBias]);
    p.bias_stride = c.batch > 1 ? image.matrices[kMatrixBias].batch_stride : 0;
  }
  return p;
}

}  // namespace

CaseLayout lay_out(const Case& c, char* arena_begin) {
  CaseLayout layout;
  Arena arena(arena_begin);
  place_matrices(c, &arena, &layout.image);
  layout.image.scalars[0] = c.alpha;
  layout.image.scalars[1] = c.beta;
  layout.image.scalar_type = scalar_type(c);
  layout.image.scalar_memory = arena.take(8);
  if (is_pointer_batched(c)) {
    for (void**& pointers : layout.image.pointers) {
      pointers = reinterpret_cast<void**>(arena.take(c.batch * static_cast<std::int64_t>(sizeof(void*))));
    }
  }
  layout.bytes = arena.used();
  layout.expected_bytes = static_cast<std::size_t>(c.m * c.n * c.batch) * sizeof(double);
  if (arena_begin != nullptr) layout.problem = reference_problem(c, layout.image);
  return layout;
}

std::string describe_place(const MatrixImage& image, std::int64_t index) {
  const std::int64_t past_start = index - image.start;
  if (past_start < 0) return std::to_string(-past_start) + " elements before its first element";
  const std::int64_t batch = std::min(past_start / image.batch_stride, image.batch_count - 1);
  const std::int64_t rest = past_start - batch * image.batch_stride;
  const std::int64_t column = rest / image.ld;
  const std::int64_t row = rest % image.ld;
  const std::string at = "row " + std::to_string(row) + ", column " + std::to_string(column) + ", stored entry " +
                         std::to_string(batch);
  if (column >= image.columns) return at + " (past its last column)";
  return row >= image.rows ? at + " (between rows and ld)" : at;
}

}  // namespace fastgemm::cli
