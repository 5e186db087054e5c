// A device that is this machine's memory and two kernels that are host loops: behind them the entry points run whole,
// on any machine.
#pragma once

#include <cstddef>
#include <memory>

#include "src/api/handle.h"

namespace fastgemm::test {

// What the loops and the allocator were asked for since the last reset.
struct HostDeviceCounts {
  int launches = 0;
  int allocated = 0;
  int released = 0;
  bool out_of_memory = false;  // set by a test: allocations fail
  LaunchContext last_context;
  GemmProblem last_problem;
};

HostDeviceCounts& host_device_counts();

const KernelEntry& host_f32_kernel();  // sums in ascending k
const KernelEntry& host_f16_kernel();  // FP32 sums; the mode makes no difference

inline constexpr std::size_t kHostWorkspaceBytes = std::size_t{2} << 20;
inline constexpr int kHostSmCount = 132;

const RuntimeCalls& host_runtime();  // memory is the host's

// A fresh handle with both kernels, no cuBLAS, and counts at zero.
std::unique_ptr<fg_handle> make_host_handle();

}  // namespace fastgemm::test
