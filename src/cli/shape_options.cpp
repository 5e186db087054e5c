#include "src/cli/shape_options.h"

#include <cuda_fp16.h>

namespace fastgemm::cli {

void add_list_option(CLI::App& command, const std::string& names, std::vector<std::string>& list,
                     const std::string& help) {
  // One argument each time, so that what follows is not taken for more of the list.
  command.add_option(names, list, help)->delimiter(',')->allow_extra_args(false);
}

void add_shape_options(CLI::App& command, ShapeOptions& options) {
  add_list_option(command, "--sizes", options.sizes, "Square sizes, or MxNxK, separated by commas");
  add_list_option(command, "--mnk", options.mnk, "Products MxNxK, separated by commas");
  add_list_option(command, "--types", options.types, "f32, f16, or both");
  add_list_option(command, "--ops", options.ops, "Operations on A and B: NN, NT, TN, TT, or several (default NN)");
  command.add_option("--alpha", options.alpha, "alpha (default 1)");
  command.add_option("--beta", options.beta, "beta (default 0)");
  command.add_option("--pad", options.pad, "Elements added to every tight leading dimension (default 0)")
      ->check(CLI::NonNegativeNumber);
}

ShapeDefaults shape_defaults(const ShapeOptions& options, const std::vector<DataType>& types) {
  ShapeDefaults defaults;
  defaults.types = types;
  if (!options.types.empty()) {
    defaults.types.clear();
    for (const std::string& type : options.types) defaults.types.push_back(parse_type(type));
  }
  if (!options.ops.empty()) {
    defaults.ops.clear();
    for (const std::string& ops : options.ops) defaults.ops.push_back(parse_ops(ops));
  }
  defaults.alpha = static_cast<float>(options.alpha);
  defaults.beta = static_cast<float>(options.beta);
  defaults.pad = options.pad;
  return defaults;
}

void round_scalars(std::vector<Shape>& shapes) {
  for (Shape& shape : shapes) {
    if (shape.type != DataType::kFloat16) continue;
    shape.alpha = __half2float(__float2half(shape.alpha));
    shape.beta = __half2float(__float2half(shape.beta));
  }
}

}  // namespace fastgemm::cli
