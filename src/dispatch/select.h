// Chooses a kernel for a problem: filter the table, rank by the cost model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/contract.h"

namespace fastgemm {

// What will run. A null entry is no error: the cuBLAS fallback takes the problem, unless the plan is refused.
struct Plan {
  const KernelEntry* entry = nullptr;
  bool refused = false;             // neither a kernel nor the fallback may run this; `reason` says why
  double predicted_us = 0.0;
  std::size_t workspace_bytes = 0;  // what this plan wants at its fastest
  std::string reason;               // one line for fg_explain and the log
};

struct SelectOptions {
  int sm_count = 0;                     // SMs to plan for
  std::size_t workspace_bytes = 0;      // what is there
  bool fallback_available = false;      // cuBLAS was found
  const KernelEntry* forced = nullptr;  // FASTGEMM_KERNEL or fg_set_kernel
  bool force_fallback = false;          // "cublas" was forced
};

// `available` holds the rows whose code runs on `device`.
Plan select(const GemmProblem& problem, const DeviceInfo& device, std::span<const KernelEntry* const> available,
            const SelectOptions& options);

// Predicted time of one kernel on one problem, microseconds.
double predict_us(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device, int sm_count);

}  // namespace fastgemm
