// From fg_gemm_desc to GemmArguments: the rules that only the descriptor form has.
#pragma once

#include <string>

#include "fastgemm/fastgemm.h"
#include "src/problem/make_problem.h"

namespace fastgemm {

struct DescriptorResult {
  fg_status_t status = FG_STATUS_SUCCESS;
  std::string error;        // when status is not SUCCESS
  GemmArguments arguments;  // otherwise; still to be checked by make_problem
};

// Checks size, types and math mode; everything else is make_problem's.
DescriptorResult read_descriptor(const fg_gemm_desc* desc, fg_pointer_mode_t pointer_mode, MathMode handle_math_mode);

// For questions about a product (fg_explain, fg_get_workspace_size), which need no data: where alpha, beta, A, B or C
// is null, stands in alpha = 1, beta = 0 and an aligned address. Nothing may run what comes of it.
void fill_missing_pointers(GemmArguments* arguments);

}  // namespace fastgemm
