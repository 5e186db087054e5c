// The options that describe products, shared by bench and explain.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "src/cli/bench/shapes.h"

namespace fastgemm::cli {

struct ShapeOptions {
  std::vector<std::string> sizes;
  std::vector<std::string> mnk;
  std::vector<std::string> types;
  std::vector<std::string> ops;
  double alpha = 1.0;
  double beta = 0.0;
  std::int64_t pad = 0;
};

// An option whose one argument is a list separated by commas.
void add_list_option(CLI::App& command, const std::string& names, std::vector<std::string>& list,
                     const std::string& help);

// --sizes, --mnk, --types, --ops, --alpha, --beta, --pad.
void add_shape_options(CLI::App& command, ShapeOptions& options);

// `types` where the command line names none. Throws ParseError.
ShapeDefaults shape_defaults(const ShapeOptions& options, const std::vector<DataType>& types);

// alpha and beta of FP16 products are FP16 values: rounds them.
void round_scalars(std::vector<Shape>& shapes);

}  // namespace fastgemm::cli
