// The dispatcher's choice for a product on a GPU that need not be here.
#pragma once

#include <string>

#include "fastgemm/fastgemm.h"
#include "src/cli/bench/shapes.h"
#include "src/cli/gpu.h"
#include "src/dispatch/select.h"

namespace fastgemm::cli {

MathMode parse_math(const std::string& text);  // default, fp32_sequential, fp32_tensor, tf32; else ParseError
const char* math_name(MathMode mode);
fg_math_mode_t public_math(MathMode mode);

// Address number `which` (0, 1, 2) that passes every alignment test and is never read.
void* planning_address(int which);

// The product as the library would see it, at those addresses.
GemmProblem planning_problem(const Shape& shape, MathMode math);

inline constexpr std::size_t kPlannedWorkspaceBytes = std::size_t{32} << 20;  // the default

// The plan with cuBLAS there; `kernel` forces one, "" leaves the choice. Throws ParseError where no kernel has that
// name.
Plan plan_for(const Shape& shape, MathMode math, const Gpu& gpu, const std::string& kernel,
              std::size_t workspace_bytes = kPlannedWorkspaceBytes);

// The text of fg_explain for the same.
std::string explain_for(const Shape& shape, MathMode math, const Gpu& gpu, const std::string& kernel);

}  // namespace fastgemm::cli
