// Forced choices first, then TF32, then the fastest row that may run, then the fallback.
#include "src/dispatch/select.h"

#include <algorithm>
#include <cstdio>

#include "src/dispatch/cost_model.h"
#include "src/dispatch/fallback_rules.h"
#include "src/dispatch/filter.h"

namespace fastgemm {

namespace {

Plan refuse(std::string reason) {
  Plan plan;
  plan.refused = true;
  plan.reason = std::move(reason);
  return plan;
}

Plan use_fallback(const GemmProblem& problem, std::string reason) {
  Plan plan;
  plan.workspace_bytes = fallback_workspace_bytes(problem);
  plan.reason = std::move(reason);
  return plan;
}

Plan use_kernel(const GemmProblem& problem, const KernelEntry& entry, const CostEstimate& cost, int sm_count,
                const char* why) {
  char text[200];
  std::snprintf(text, sizeof(text), "%s: %.0f tiles of %dx%dx%d, %.2f waves, bound by %s%s", why, cost.tiles,
                entry.tile.m, entry.tile.n, entry.tile.k, cost.waves, cost.compute_us >= cost.memory_us ? "compute" : "memory",
                cost.aligned ? "" : ", unaligned operands");
  Plan plan;
  plan.entry = &entry;
  plan.workspace_bytes = kernel_workspace_bytes(problem, entry, sm_count);
  plan.predicted_us = cost.total_us;
  plan.reason = text;
  return plan;
}

// The plan that leaves the problem to cuBLAS, or says why it cannot be.
Plan fall_back(const GemmProblem& problem, const SelectOptions& options, const std::string& why) {
  if (const char* reason = fallback_refusal(problem); reason != nullptr) {
    return refuse(why + "; cuBLAS is not used for " + reason);
  }
  if (!options.fallback_available) {
    return refuse(why + "; cuBLAS is not available (FASTGEMM_CUBLAS may name its file)");
  }
  // No order of summation is cuBLAS's promise.
  if (needs_sequential(problem)) return refuse(why + "; cuBLAS does not promise to sum in ascending k");
  return use_fallback(problem, why + ": cuBLAS");
}

Plan select_forced(const GemmProblem& problem, const DeviceInfo& device, std::span<const KernelEntry* const> available,
                   const SelectOptions& options) {
  const KernelEntry& entry = *options.forced;
  if (std::find(available.begin(), available.end(), &entry) == available.end()) {
    return refuse("forced kernel " + std::string(entry.name) + " has no code for this device");
  }
  if (const std::string why = refusal(problem, entry, device); !why.empty()) {
    return refuse("forced kernel " + std::string(entry.name) + " " + why);
  }
  const CostEstimate cost = estimate(problem, entry, device, options.sm_count, options.workspace_bytes);
  return use_kernel(problem, entry, cost, options.sm_count, "forced");
}

}  // namespace

Plan select(const GemmProblem& problem, const DeviceInfo& device, std::span<const KernelEntry* const> available,
            const SelectOptions& options) {
  if (options.force_fallback) return fall_back(problem, options, "cublas is forced");
  if (options.forced != nullptr) return select_forced(problem, device, available, options);
  if (wants_tf32(problem) && options.fallback_available && fallback_refusal(problem) == nullptr) {
    return use_fallback(problem, "math mode TF32: cuBLAS");
  }
  const KernelEntry* best = nullptr;
  CostEstimate best_cost;
  for (const KernelEntry* entry : available) {
    if (!refusal(problem, *entry, device).empty()) continue;
    const CostEstimate cost = estimate(problem, *entry, device, options.sm_count, options.workspace_bytes);
    // Strictly less: of equals the first in the table wins, so that the choice is the same every time.
    if (best != nullptr && !(cost.total_us < best_cost.total_us)) continue;
    best = entry;
    best_cost = cost;
  }
  if (best == nullptr) return fall_back(problem, options, "no kernel takes this product");
  return use_kernel(problem, *best, best_cost, options.sm_count, "least predicted time");
}

}  // namespace fastgemm
