#include "src/cli/bench/shapes.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <map>

namespace fastgemm::cli {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

Op parse_op(char c) {
  switch (std::toupper(static_cast<unsigned char>(c))) {
    case 'N':
    case '0':
      return Op::kN;
    case 'T':
    case 'C':
    case '1':
    case '2':
      return Op::kT;
    default:
      throw ParseError("operation " + quoted(std::string(1, c)) + " is not one of N, T, C");
  }
}

void complete_ld(std::int64_t& ld, std::int64_t rows, std::int64_t pad, const char* name) {
  const std::int64_t tight = std::max<std::int64_t>(1, rows);
  if (ld == 0) ld = tight + pad;
  if (ld < tight) {
    throw ParseError(std::string(name) + " = " + std::to_string(ld) + " is less than the " + std::to_string(tight) +
                     " rows stored");
  }
}

}  // namespace

double Shape::bytes() const {
  const auto product = [](std::int64_t x, std::int64_t y) { return static_cast<double>(x) * static_cast<double>(y); };
  const double elements = product(m, k) + product(k, n) + product(m, n) * (beta == 0.0f ? 1.0 : 2.0);
  return elements * static_cast<double>(element_size(type));
}

std::string type_name(DataType type) { return type == DataType::kFloat32 ? "f32" : "f16"; }

std::string ops_name(Op op_a, Op op_b) { return {op_a == Op::kN ? 'N' : 'T', op_b == Op::kN ? 'N' : 'T'}; }

std::string describe(const Shape& shape) {
  std::string text = type_name(shape.type) + " " + ops_name(shape.op_a, shape.op_b) + " " + std::to_string(shape.m) +
                     "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
  const auto note_ld = [&](const char* name, std::int64_t ld, std::int64_t rows) {
    if (ld != 0 && ld != std::max<std::int64_t>(1, rows)) text += std::string(" ") + name + " " + std::to_string(ld);
  };
  note_ld("lda", shape.lda, shape.rows_a());
  note_ld("ldb", shape.ldb, shape.rows_b());
  note_ld("ldc", shape.ldc, shape.m);
  char number[48];
  if (shape.alpha != 1.0f) {
    std::snprintf(number, sizeof number, " alpha %g", static_cast<double>(shape.alpha));
    text += number;
  }
  if (shape.beta != 0.0f) {
    std::snprintf(number, sizeof number, " beta %g", static_cast<double>(shape.beta));
    text += number;
  }
  return text;
}

std::int64_t parse_integer(std::string_view text, std::string_view what) {
  const std::string_view trimmed = trim(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
  if (trimmed.empty() || error != std::errc{} || end != trimmed.data() + trimmed.size() || value < 0) {
    throw ParseError(std::string(what) + ": " + quoted(text) + " is not a whole number of 0 or more");
  }
  return value;
}

double parse_real(std::string_view text, std::string_view what) {
  const std::string_view trimmed = trim(text);
  double value = 0.0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
  if (trimmed.empty() || error != std::errc{} || end != trimmed.data() + trimmed.size()) {
    throw ParseError(std::string(what) + ": " + quoted(text) + " is not a number");
  }
  return value;
}

DataType parse_type(std::string_view text) {
  static const std::map<std::string, DataType> kNames = {{"f32", DataType::kFloat32},   {"fp32", DataType::kFloat32},
                                                         {"float", DataType::kFloat32}, {"s", DataType::kFloat32},
                                                         {"sgemm", DataType::kFloat32}, {"f16", DataType::kFloat16},
                                                         {"fp16", DataType::kFloat16},  {"half", DataType::kFloat16},
                                                         {"h", DataType::kFloat16},     {"hgemm", DataType::kFloat16}};
  const auto found = kNames.find(lower(trim(text)));
  if (found == kNames.end()) throw ParseError("type " + quoted(text) + " is neither f32 nor f16");
  return found->second;
}

std::pair<Op, Op> parse_ops(std::string_view text) {
  const std::string_view trimmed = trim(text);
  if (trimmed.size() != 2) throw ParseError("operations " + quoted(text) + " are not two letters of N, T, C");
  return {parse_op(trimmed[0]), parse_op(trimmed[1])};
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(trim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

void complete(Shape& shape, std::int64_t pad) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) throw ParseError("m, n and k must be at least 1");
  complete_ld(shape.lda, shape.rows_a(), pad, "lda");
  complete_ld(shape.ldb, shape.rows_b(), pad, "ldb");
  complete_ld(shape.ldc, shape.m, pad, "ldc");
}

std::vector<Shape> shapes_from_sizes(const std::vector<std::string>& sizes, const ShapeDefaults& defaults) {
  std::vector<Shape> shapes;
  for (const DataType type : defaults.types) {
    for (const auto& [op_a, op_b] : defaults.ops) {
      for (const std::string& size : sizes) {
        const std::vector<std::string> parts = split_list(size, 'x');
        if (parts.size() != 1 && parts.size() != 3) {
          throw ParseError("size " + quoted(size) + " is neither N nor MxNxK");
        }
        Shape shape;
        shape.type = type;
        shape.op_a = op_a;
        shape.op_b = op_b;
        shape.m = parse_integer(parts.front(), "m");
        shape.n = parse_integer(parts[parts.size() / 2], "n");
        shape.k = parse_integer(parts.back(), "k");
        shape.alpha = defaults.alpha;
        shape.beta = defaults.beta;
        complete(shape, defaults.pad);
        shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

}  // namespace fastgemm::cli
