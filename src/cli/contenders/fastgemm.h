// This library, through its public interface.
#pragma once

#include <memory>
#include <string>

#include "kernels/contract.h"
#include "src/cli/contenders/contender.h"
#include "src/cli/contenders/cublas.h"

namespace fastgemm::cli {

// `kernel` "" leaves the choice to the dispatcher, else it is forced. Null, with the reason, where no handle can be had
// or there is no such kernel. A `workspace` without data leaves the handle its own.
std::unique_ptr<Contender> make_fastgemm(const std::string& kernel, MathMode math, Workspace workspace,
                                         std::string* reason);

}  // namespace fastgemm::cli
