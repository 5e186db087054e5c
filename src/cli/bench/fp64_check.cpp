#include "src/cli/bench/fp64_check.h"

#include <algorithm>
#include <set>

namespace fastgemm::cli {
namespace {

constexpr std::int64_t kBlock = 64;  // rows and columns of a sampled block

std::set<std::int64_t> sample_starts(std::int64_t extent) {
  const std::int64_t last = std::max<std::int64_t>(0, extent - kBlock);
  return {0, last / 2, last};
}

const void* element(const void* base, std::int64_t index, DataType type) {
  return static_cast<const char*>(base) + index * element_size(type);
}

}  // namespace

Fp64Check::Fp64Check(const OperandBuffers& buffers, double affordable) : buffers_(buffers) {
  const Shape& s = buffers.operands().shape;
  std::int64_t elements = 0;
  if (s.flops() / 2.0 <= affordable) {
    blocks_.push_back({0, 0, s.m, s.n, 0});
    elements = s.m * s.n;
    part_ = "all elements";
  } else {
    for (const std::int64_t row : sample_starts(s.m)) {
      for (const std::int64_t column : sample_starts(s.n)) {
        blocks_.push_back({row, column, std::min(kBlock, s.m), std::min(kBlock, s.n), elements});
        elements += blocks_.back().rows * blocks_.back().columns;
      }
    }
    part_ = std::to_string(elements) + " of " + std::to_string(s.m * s.n) + " elements, corners, edges and middle";
  }
  reference_ = DeviceBuffer(8 * elements);
  magnitude_ = DeviceBuffer(8 * elements);
  for (const Block& block : blocks_) {
    const GemmProblem part = problem(block);
    const cudaStream_t stream = buffers.operands().stream;
    require(reference_gemm(part, static_cast<double*>(reference_.data()) + block.offset, block.rows, stream),
            "FP64 reference");
    require(reference_magnitude(part, static_cast<double*>(magnitude_.data()) + block.offset, block.rows, stream),
            "FP64 magnitude");
  }
}

GemmProblem Fp64Check::problem(const Block& block) const {
  const Operands& operands = buffers_.operands();
  const Shape& s = operands.shape;
  GemmProblem part;
  part.type_ab = part.type_cd = s.type;
  part.op_a = s.op_a;
  part.op_b = s.op_b;
  part.m = block.rows;
  part.n = block.columns;
  part.k = s.k;
  part.alpha.value = s.alpha;
  part.beta.value = s.beta;
  part.a = {element(operands.a, block.row * (s.op_a == Op::kN ? 1 : s.lda), s.type), nullptr, s.lda, 0};
  part.b = {element(operands.b, block.column * (s.op_b == Op::kN ? s.ldb : 1), s.type), nullptr, s.ldb, 0};
  if (buffers_.initial_c() != nullptr) {
    part.c = {element(buffers_.initial_c(), block.row + block.column * s.ldc, s.type), nullptr, s.ldc, 0};
  }
  return part;
}

Difference Fp64Check::compare_c() const {
  const Operands& operands = buffers_.operands();
  const Shape& s = operands.shape;
  Difference total;
  for (const Block& block : blocks_) {
    Difference difference;
    require(compare_with_reference(element(operands.c, block.row + block.column * s.ldc, s.type), s.ldc, s.type,
                                   static_cast<const double*>(reference_.data()) + block.offset,
                                   static_cast<const double*>(magnitude_.data()) + block.offset, block.rows, block.rows,
                                   block.columns, &difference, operands.stream),
            "comparing with FP64");
    total.differing += difference.differing;
    total.non_finite += difference.non_finite;
    // Written so that NaN, which is less than nothing, takes over.
    if (!(difference.max_absolute <= total.max_absolute)) total.max_absolute = difference.max_absolute;
  }
  return total;
}

}  // namespace fastgemm::cli
