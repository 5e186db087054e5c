// Chooses a kernel for a problem: filter the table, rank by the cost model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract.h"

namespace fastgemm {

// What will run. A null entry is no error: the cuBLAS fallback takes the problem, unless the plan is refused.
struct Plan {
  const KernelEntry* entry = nullptr;
  int splits = 1;                   // parts of k, see LaunchContext
  bool refused = false;             // neither a kernel nor the fallback may run this; `reason` says why
  double predicted_us = 0.0;
  std::size_t workspace_bytes = 0;  // what this plan wants at its fastest
  std::string reason;               // one line for fg_explain and the log
};

struct SelectOptions {
  int sm_count = 0;                     // SMs to plan for
  std::size_t workspace_bytes = 0;      // what is there
  int flag_count = 0;                   // likewise
  bool fallback_available = false;      // cuBLAS was found
  bool fallback_for_speed = true;       // leave it what it is predicted to do faster, not only what no kernel takes
  const KernelEntry* forced = nullptr;  // FASTGEMM_KERNEL or fg_set_kernel
  int forced_splits = 0;                // parts of k for that kernel; 0: the best number
  bool force_fallback = false;          // "cublas" was forced
};

// `available` holds the rows whose code runs on `device`.
Plan select(const GemmProblem& problem, const DeviceInfo& device, std::span<const KernelEntry* const> available,
            const SelectOptions& options);

// The kernel's name, followed by "/parts" where k is cut into several; "cublas", or "none" where the plan is refused.
std::string plan_name(const Plan& plan);

// A name as plan_name() writes it: the row of the table, and the number of parts, 0 where the name gives none. A null
// entry: no row has that name, or the number is none.
struct NamedKernel {
  const KernelEntry* entry = nullptr;
  int splits = 0;
};
NamedKernel find_kernel(std::string_view name, std::span<const KernelEntry* const> table);

// Predicted time of the fallback; infinite where it may not be chosen for speed.
double cublas_us(const GemmProblem& problem, const DeviceInfo& device, const SelectOptions& options);

// Predicted time of one kernel on one problem, microseconds.
double predict_us(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device, int sm_count);

}  // namespace fastgemm
