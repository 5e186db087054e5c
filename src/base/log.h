// The log that FASTGEMM_LOG asks for; silent by default. Lines go whole, from any thread.
#pragma once

#include <string_view>

#include "src/base/environment.h"

namespace fastgemm {

bool log_enabled(LogLevel level);
void log_line(LogLevel level, std::string_view text);

}  // namespace fastgemm
