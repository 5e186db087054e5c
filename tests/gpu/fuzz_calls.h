// The calls of the GPU fuzz: call number i of a seed is always the same, so that one can be made again alone.
#pragma once

#include <cstdint>
#include <vector>

#include "src/cli/verify_case.h"
#include "src/cli/verify_plan.h"

namespace fastgemm::gpu_tests {

constexpr int kFuzzLanes = 8;

struct FuzzCall {
  cli::Case the_case;  // its seed is index + 1
  int lane = 0;        // of kFuzzLanes: which stream makes it
};

// `kernels`: half of the calls are forced to one of those that are available; none: the dispatcher always chooses.
FuzzCall draw_fuzz_call(std::uint64_t seed, std::int64_t index, const std::vector<cli::KernelInfo>& kernels);

}  // namespace fastgemm::gpu_tests
