// The text of fg_explain: what would run, why, and what else was looked at.
#pragma once

#include <span>
#include <string>

#include "kernels/contract.h"
#include "src/dispatch/select.h"

namespace fastgemm {

// Several lines: the problem as a trace line (see log.h), the device, the choice with its reason and predicted time,
// the candidates from fastest to slowest, and after them the rows that were refused, each with why.
std::string explain(const GemmProblem& problem, const DeviceInfo& device,
                    std::span<const KernelEntry* const> available, const SelectOptions& options);

}  // namespace fastgemm
