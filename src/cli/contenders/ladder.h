// The rungs of the mma.sync ladder as contenders: launched directly, since they are no part of the library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/cli/contenders/contender.h"
#include "src/cli/contenders/cublas.h"
#include "src/cli/gpu.h"

namespace fastgemm::cli {

// One a rung, from the first; empty where this build has no ladder.
std::vector<std::unique_ptr<Contender>> make_ladder(const Gpu& gpu, Workspace workspace);

// What the rungs are, as a Markdown table, without running them.
std::string ladder_table();

}  // namespace fastgemm::cli
