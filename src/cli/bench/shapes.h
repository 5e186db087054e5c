// The products a bench run measures, and the four ways of naming them: sizes, MxNxK, a CSV file, log trace lines.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/contract.h"

namespace fastgemm::cli {

// One product C := alpha op(A) op(B) + beta C. A leading dimension of 0 stands for the tightest one.
struct Shape {
  std::string tag = "size";
  DataType type = DataType::kFloat32;
  Op op_a = Op::kN;
  Op op_b = Op::kN;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t lda = 0;
  std::int64_t ldb = 0;
  std::int64_t ldc = 0;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::int64_t align = 16;  // bytes the addresses of A, B and C are multiples of; 16 stands for more, too
  std::int64_t calls = 1;   // how often a trace held it

  bool operator==(const Shape&) const = default;

  std::int64_t rows_a() const { return op_a == Op::kN ? m : k; }  // as stored
  std::int64_t columns_a() const { return op_a == Op::kN ? k : m; }
  std::int64_t rows_b() const { return op_b == Op::kN ? k : n; }
  std::int64_t columns_b() const { return op_b == Op::kN ? n : k; }
  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  // A, B and C each moved once, and C twice where beta is not 0.
  double bytes() const;
  double intensity() const { return flops() / bytes(); }
};

// Text that cannot be understood; what() names the offending part and, for files, the line.
class ParseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the command line says for every shape that does not say it itself.
struct ShapeDefaults {
  std::vector<DataType> types{DataType::kFloat32};
  std::vector<std::pair<Op, Op>> ops{{Op::kN, Op::kN}};
  float alpha = 1.0f;
  float beta = 0.0f;
  std::int64_t pad = 0;  // elements added to every tight leading dimension
};

std::string type_name(DataType type);      // "f32", "f16"
std::string ops_name(Op op_a, Op op_b);    // "NN", "NT", ...
std::string describe(const Shape& shape);  // "f32 NT 1024x512x64 lda 1028 beta 0.5"

std::int64_t parse_integer(std::string_view text, std::string_view what);  // non-negative
double parse_real(std::string_view text, std::string_view what);
DataType parse_type(std::string_view text);          // f32, fp32, s, sgemm; f16, fp16, h, hgemm
std::pair<Op, Op> parse_ops(std::string_view text);  // two of N, T, C; C is T for real types
std::vector<std::string> split_list(std::string_view text, char separator = ',');

// "1024" or "1024x512x64": every size is taken once for each type and pair of operations in `defaults`.
std::vector<Shape> shapes_from_sizes(const std::vector<std::string>& sizes, const ShapeDefaults& defaults);

// A CSV file with a header line: m, n, k and optionally tag, ops, type, lda, ldb, ldc, alpha, beta in any order.
// Empty cells take the default; lines that start with # are left out.
std::vector<Shape> shapes_from_csv(std::istream& in, const ShapeDefaults& defaults);

// Lines that FASTGEMM_LOG=trace wrote. Key=value tokens are read, everything else is passed over, lines without m, n
// and k, or with one of them 0, are left out. Equal products are merged and counted.
struct TraceShapes {
  std::vector<Shape> shapes;
  std::int64_t lines = 0;    // that held a product
  std::int64_t batched = 0;  // of those, batched ones: taken as one product of the batch
  std::int64_t mixed = 0;    // of those, FP16 products with an FP32 result: left out
};
TraceShapes shapes_from_trace(std::istream& in, const ShapeDefaults& defaults);

// Fills in leading dimensions left at 0; refuses ones that are too small, and empty products.
void complete(Shape& shape, std::int64_t pad);

}  // namespace fastgemm::cli
