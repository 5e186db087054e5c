// What a fg_handle_t points to, and its life: created on one device of one process, and bound to both.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastgemm/fastgemm.h"
#include "kernels/contract.h"
#include "src/base/environment.h"
#include "src/dispatch/plan_cache.h"
#include "src/dispatch/select.h"
#include "src/exec/cublas_fallback.h"
#include "src/exec/execute.h"
#include "src/exec/workspace.h"

// A handle of any device, also of one that is not there (ordinal -1: no CUDA call is made to switch to it), so that the
// entry points can be tested on any machine. fg_create makes real ones.
struct fg_handle {
  fg_handle(const fastgemm::DeviceInfo& device_info, std::vector<const fastgemm::KernelEntry*> available_kernels,
            std::size_t workspace_bytes, const fastgemm::RuntimeCalls& runtime = fastgemm::cuda_runtime())
      : device(device_info), available(std::move(available_kernels)), workspace(workspace_bytes, runtime) {}

  // Fixed at creation.
  const pid_t process = getpid();
  const fastgemm::DeviceInfo device;
  const std::vector<const fastgemm::KernelEntry*> available;  // rows whose code runs on `device`
  std::unique_ptr<fastgemm::CublasFallback> fallback;         // null: cuBLAS was not found
  std::string fallback_error;                                 // why

  // Settings: one thread at a time, and no product meanwhile.
  fg_stream_t stream = nullptr;
  fg_pointer_mode_t pointer_mode = FG_POINTER_MODE_HOST;
  fg_math_mode_t math_mode = FG_MATH_DEFAULT;
  int sm_count_target = 0;  // 0: all
  const fastgemm::KernelEntry* forced = nullptr;
  int forced_splits = 0;  // 0: the best number
  bool force_fallback = false;
  bool has_user_workspace = false;

  // Shared by all threads; each guards itself.
  fastgemm::Workspace workspace;
  fastgemm::PlanCache plans;
  std::mutex workspace_turn;  // held while the launches of one product that uses workspace are enqueued
};

namespace fastgemm {

// Status of a call and, when it is not SUCCESS, the text for fg_last_error.
using Outcome = ExecuteResult;

inline int planned_sm_count(const fg_handle& handle) {
  return handle.sm_count_target > 0 ? handle.sm_count_target : handle.device.sm_count;
}

SelectOptions select_options(const fg_handle& handle, std::size_t workspace_bytes, int flag_count);

// Name as plan_name() writes it (in select.h), "cublas", or "" to let the dispatcher choose.
Outcome force_kernel(fg_handle& handle, std::string_view name);

// Those rows of `table` with code for the current device, which is `device`. Loads that code, so that no product call
// has to; *outcome tells where that failed for another reason than that there is no such code.
std::vector<const KernelEntry*> load_kernels(const DeviceInfo& device, std::span<const KernelEntry* const> table,
                                             Outcome* outcome);

// What FASTGEMM_MATH and FASTGEMM_KERNEL ask of a new handle.
Outcome apply_environment(fg_handle& handle, const Environment& settings);

}  // namespace fastgemm
