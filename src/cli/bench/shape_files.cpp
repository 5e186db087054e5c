// Shapes read from files: CSV, and the lines of a log.
#include <algorithm>
#include <cctype>
#include <istream>
#include <map>
#include <optional>
#include <tuple>

#include "src/cli/bench/shapes.h"

namespace fastgemm::cli {
namespace {

using Fields = std::map<std::string, std::string>;

std::optional<std::string> field(const Fields& fields, const char* name) {
  const auto found = fields.find(name);
  if (found == fields.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

// m, n, k, leading dimensions and scalars: what a CSV row and a trace line have in common.
void read_numbers(const Fields& fields, Shape& shape) {
  const auto integer = [&](const char* name, std::int64_t& value) {
    if (const auto text = field(fields, name)) value = parse_integer(*text, name);
  };
  integer("m", shape.m);
  integer("n", shape.n);
  integer("k", shape.k);
  integer("lda", shape.lda);
  integer("ldb", shape.ldb);
  integer("ldc", shape.ldc);
  if (const auto text = field(fields, "alpha")) shape.alpha = static_cast<float>(parse_real(*text, "alpha"));
  if (const auto text = field(fields, "beta")) shape.beta = static_cast<float>(parse_real(*text, "beta"));
}

// The shape once for each type and pair of operations that its line leaves open.
void expand(const Shape& shape, const std::vector<DataType>& types, const std::vector<std::pair<Op, Op>>& ops,
            std::int64_t pad, std::vector<Shape>& shapes) {
  for (const DataType type : types) {
    for (const auto& [op_a, op_b] : ops) {
      Shape one = shape;
      one.type = type;
      one.op_a = op_a;
      one.op_b = op_b;
      complete(one, pad);
      shapes.push_back(one);
    }
  }
}

std::vector<std::string> read_header(const std::string& line) {
  static const std::vector<std::string> kKnown = {"tag", "ops", "type", "m",     "n",   "k",
                                                  "lda", "ldb", "ldc",  "alpha", "beta"};
  std::vector<std::string> names = split_list(line);
  for (const std::string& name : names) {
    if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) {
      throw ParseError("header: column \"" + name +
                       "\" is not one of tag, ops, type, m, n, k, lda, ldb, ldc, alpha, beta");
    }
  }
  for (const char* needed : {"m", "n", "k"}) {
    if (std::find(names.begin(), names.end(), needed) == names.end()) {
      throw ParseError(std::string("header: column ") + needed + " is missing");
    }
  }
  return names;
}

void read_csv_row(const std::string& line, const std::vector<std::string>& names, const ShapeDefaults& defaults,
                  std::vector<Shape>& shapes) {
  const std::vector<std::string> cells = split_list(line);
  if (cells.size() != names.size()) {
    throw ParseError(std::to_string(cells.size()) + " cells where the header has " + std::to_string(names.size()));
  }
  Fields fields;
  for (std::size_t i = 0; i < cells.size(); ++i) fields[names[i]] = cells[i];
  for (const char* needed : {"m", "n", "k"}) {
    if (fields[needed].empty()) throw ParseError(std::string(needed) + " is empty");
  }
  Shape shape;
  shape.alpha = defaults.alpha;
  shape.beta = defaults.beta;
  if (const auto tag = field(fields, "tag")) shape.tag = *tag;
  read_numbers(fields, shape);
  std::vector<DataType> types = defaults.types;
  if (const auto type = field(fields, "type")) types = {parse_type(*type)};
  std::vector<std::pair<Op, Op>> ops = defaults.ops;
  if (const auto text = field(fields, "ops")) ops = {parse_ops(*text)};
  expand(shape, types, ops, defaults.pad, shapes);
}

// Every key=value token of a line, keys in lower case; commas, semicolons and brackets may surround a token.
Fields trace_fields(const std::string& line) {
  Fields fields;
  std::string token;
  const auto take = [&] {
    const std::size_t equals = token.find('=');
    if (equals != std::string::npos && equals > 0) {
      std::string key = token.substr(0, equals);
      for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      fields.emplace(key, token.substr(equals + 1));
    }
    token.clear();
  };
  for (const char c : line) {
    if (std::isspace(static_cast<unsigned char>(c)) || c == ',' || c == ';' || c == '(' || c == ')') {
      take();
    } else {
      token += c;
    }
  }
  take();
  return fields;
}

// The element type: type=..., else the entry point's name (fg_hgemm...) anywhere in the line, else FP32.
DataType trace_type(const Fields& fields, const std::string& line, const ShapeDefaults& defaults) {
  if (const auto type = field(fields, "type")) return parse_type(*type);
  if (line.find("hgemm") != std::string::npos) return DataType::kFloat16;
  if (line.find("sgemm") != std::string::npos) return DataType::kFloat32;
  return defaults.types.front();
}

std::pair<Op, Op> trace_ops(const Fields& fields, const ShapeDefaults& defaults) {
  if (const auto ops = field(fields, "ops")) return parse_ops(*ops);
  const auto a = field(fields, "transa");
  const auto b = field(fields, "transb");
  if (a && b) return parse_ops(*a + *b);
  return defaults.ops.front();
}

// The same product again is counted, not repeated.
void add_counted(const Shape& shape, std::vector<Shape>& shapes) {
  const auto same = std::find_if(shapes.begin(), shapes.end(), [&](Shape other) {
    other.calls = 1;
    return other == shape;
  });
  if (same != shapes.end()) {
    ++same->calls;
  } else {
    shapes.push_back(shape);
  }
}

void read_trace_line(const std::string& line, const Fields& fields, const ShapeDefaults& defaults, TraceShapes& trace) {
  if (field(fields, "type") == "f16f32") {
    ++trace.lines;
    ++trace.mixed;
    return;
  }
  Shape shape;
  shape.tag = "trace";
  shape.type = trace_type(fields, line, defaults);
  std::tie(shape.op_a, shape.op_b) = trace_ops(fields, defaults);
  // Scalars in device memory are logged without a value: the defaults stand in.
  Fields numbers = fields;
  for (const char* scalar : {"alpha", "beta"}) {
    if (field(fields, scalar) == "device") numbers.erase(scalar);
  }
  shape.alpha = defaults.alpha;
  shape.beta = defaults.beta;
  read_numbers(numbers, shape);
  if (const auto align = field(fields, "align")) shape.align = parse_integer(*align, "align");
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return;  // nothing to time
  complete(shape, 0);
  if (shape.align % element_size(shape.type) != 0) throw ParseError("align is less than an element");
  const auto batch = field(fields, "batch");
  trace.batched += batch && parse_integer(*batch, "batch") != 1;
  ++trace.lines;
  add_counted(shape, trace.shapes);
}

}  // namespace

std::vector<Shape> shapes_from_csv(std::istream& in, const ShapeDefaults& defaults) {
  std::vector<Shape> shapes;
  std::vector<std::string> names;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos || line.front() == '#') continue;
    try {
      if (names.empty()) {
        names = read_header(line);
      } else {
        read_csv_row(line, names, defaults, shapes);
      }
    } catch (const ParseError& error) {
      throw ParseError("line " + std::to_string(number) + ": " + error.what());
    }
  }
  if (names.empty()) throw ParseError("no header line (tag,ops,m,n,k)");
  return shapes;
}

TraceShapes shapes_from_trace(std::istream& in, const ShapeDefaults& defaults) {
  TraceShapes trace;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const Fields fields = trace_fields(line);
    if (!field(fields, "m") || !field(fields, "n") || !field(fields, "k")) continue;
    try {
      read_trace_line(line, fields, defaults, trace);
    } catch (const ParseError& error) {
      throw ParseError("line " + std::to_string(number) + ": " + error.what());
    }
  }
  return trace;
}

}  // namespace fastgemm::cli
