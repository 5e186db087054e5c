// Which rows of the kernel table may run a problem on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/contract.h"

namespace fastgemm {

// True when the mode promises one FMA chain an element. FP16 accumulates in FP32 whatever the mode.
bool needs_sequential(const GemmProblem& problem);

// True when the caller asked for TF32, which no kernel of ours computes.
bool wants_tf32(const GemmProblem& problem);

// Why `entry` cannot run `problem` on `device` with so much workspace; empty when it can.
std::string refusal(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device,
                    std::size_t workspace_bytes = SIZE_MAX);

}  // namespace fastgemm
