// Not a product: the launch of a kernel that does nothing, by which the host's time of a call is measured.
#pragma once

#include <memory>

#include "src/cli/contenders/contender.h"

namespace fastgemm::cli {

inline constexpr const char* kEmptyKernelName = "empty kernel";

std::unique_ptr<Contender> make_empty_kernel();

}  // namespace fastgemm::cli
