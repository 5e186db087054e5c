// The text that fg_last_error returns: one per thread.
#pragma once

#include <string_view>

namespace fastgemm {

// Keeps a copy, cut to what fits. Neither allocates nor throws, so that it also works when memory has run out.
void set_last_error(std::string_view text);
const char* last_error();

}  // namespace fastgemm
