// From checked arguments to work on the stream: what every product entry point ends in.
#pragma once

#include "src/api/handle.h"
#include "src/problem/make_problem.h"

namespace fastgemm {

// `arguments` holds what the entry point was given; modes come from the handle.
fg_status_t run_product(const char* entry, fg_handle_t handle, GemmArguments arguments);

// Checks `arguments` as they are, and runs them.
Outcome run_arguments(fg_handle& handle, const GemmArguments& arguments);

}  // namespace fastgemm
