// fg_explain's text for a shape, and what a program wants to know of it.
#pragma once

#include <string>

#include "fastgemm/fastgemm.h"
#include "src/cli/bench/shapes.h"

namespace fastgemm::cli {

struct ExplainResult {
  fg_status_t status = FG_STATUS_SUCCESS;
  std::string text;    // fg_explain's, or why there is none
  std::string kernel;  // from its line "kernel: NAME"
};

// The handle's math mode and forced kernel apply. The addresses count by their alignment only.
ExplainResult explain_on_gpu(fg_handle_t handle, const Shape& shape, const void* a, const void* b, void* c);

// The rest of the first line that starts with `key` and ": "; empty where there is none.
std::string explain_value(const std::string& text, const std::string& key);

}  // namespace fastgemm::cli
