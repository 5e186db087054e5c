// Forced choices first, then TF32, then what is predicted to be fastest: a row that may run, or cuBLAS.
#include "src/dispatch/select.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>

#include "src/dispatch/cost_model.h"
#include "src/dispatch/cublas_model.h"
#include "src/dispatch/fallback_rules.h"
#include "src/dispatch/filter.h"

namespace fastgemm {

namespace {

// Predictions are not that exact: cuBLAS, whose times scatter less, is taken up to so much over ours. On the shapes
// that calibration.cpp names, 1.03 chose best by the fit before its rates at large sizes were set (FP16: 6 % over the
// best of cuBLAS in the mean, where 0.97 gave 3 %).
constexpr double kCublasMargin = 1.03;

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

LaunchResources resources_of(const SelectOptions& options) {
  return {.sm_count = options.sm_count,
          .workspace_bytes = options.workspace_bytes,
          .flag_count = options.flag_count};
}

Plan use_kernel(const GemmProblem& problem, const KernelEntry& entry, const CostEstimate& cost, int sm_count,
                const char* why) {
  char parts[48] = "";
  if (cost.splits > 1) std::snprintf(parts, sizeof(parts), ", k in %d parts", cost.splits);
  char text[240];
  std::snprintf(text, sizeof(text), "%s: %.0f tiles of %dx%dx%d%s, %.2f waves, bound by %s%s%s", why, cost.tiles,
                entry.tile.m, entry.tile.n, entry.tile.k, parts, cost.waves,
                cost.compute_us >= cost.memory_us ? "compute" : "memory", cost.aligned ? "" : ", unaligned operands",
                cost.prepass_us > 0.0 ? ", after a pass over the operands" : "");
  Plan plan;
  plan.entry = &entry;
  plan.splits = cost.splits;
  plan.workspace_bytes = kernel_workspace_bytes(problem, entry, sm_count, cost.splits);
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
  if (const std::string why = refusal(problem, entry, device, options.workspace_bytes); !why.empty()) {
    return refuse("forced kernel " + std::string(entry.name) + " " + why);
  }
  const LaunchResources resources = resources_of(options);
  if (options.forced_splits == 0) {
    return use_kernel(problem, entry, best_estimate(problem, entry, device, resources), options.sm_count, "forced");
  }
  if (const char* why = split_refusal(problem, entry, resources, options.forced_splits); why != nullptr) {
    return refuse("forced kernel " + std::string(entry.name) + " " + why);
  }
  return use_kernel(problem, entry, estimate(problem, entry, device, resources, options.forced_splits),
                    options.sm_count, "forced");
}

}  // namespace

double cublas_us(const GemmProblem& problem, const DeviceInfo& device, const SelectOptions& options) {
  const bool allowed = options.fallback_available && options.fallback_for_speed && fallback_refusal(problem) == nullptr;
  // No order of summation is cuBLAS's promise, and a product without A and B is only a pass over C.
  const bool suited = problem.k > 0 && !needs_sequential(problem);
  // One call of cuBLAS, with no pass of ours before or after it, whose kernel might not be there.
  const bool alone = !has_epilogue(problem) && (problem.beta.value == 0.0f || is_in_place(problem));
  const bool may = allowed && suited && alone && !fallback_trusts_addresses(problem);
  return may ? predict_cublas_us(problem, device, resources_of(options)) : std::numeric_limits<double>::infinity();
}

std::string plan_name(const Plan& plan) {
  if (plan.refused) return "none";
  if (plan.entry == nullptr) return "cublas";
  std::string name = plan.entry->name;
  if (plan.splits > 1) name.append("/").append(std::to_string(plan.splits));
  return name;
}

NamedKernel find_kernel(std::string_view name, std::span<const KernelEntry* const> table) {
  int splits = 0;
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    const std::string_view digits = name.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), splits);
    if (error != std::errc() || end != digits.data() + digits.size() || splits < 1) return {};
    name = name.substr(0, slash);
  }
  for (const KernelEntry* entry : table) {
    if (name == entry->name) return {entry, splits};
  }
  return {};
}

Plan select(const GemmProblem& problem, const DeviceInfo& device, std::span<const KernelEntry* const> available,
            const SelectOptions& options) {
  if (options.force_fallback) return fall_back(problem, options, "cublas is forced");
  if (options.forced != nullptr) return select_forced(problem, device, available, options);
  // TF32 is a permission: strict FP32 serves where cuBLAS does not, or might fault.
  if (wants_tf32(problem) && options.fallback_available && fallback_refusal(problem) == nullptr &&
      !fallback_trusts_addresses(problem)) {
    return use_fallback(problem, "math mode TF32: cuBLAS");
  }
  const KernelEntry* best = nullptr;
  CostEstimate best_cost;
  for (const KernelEntry* entry : available) {
    if (!refusal(problem, *entry, device, options.workspace_bytes).empty()) continue;
    const CostEstimate cost = best_estimate(problem, *entry, device, resources_of(options));
    // Strictly less: of equals the first in the table wins, so that the choice is the same every time.
    if (best != nullptr && !(cost.total_us < best_cost.total_us)) continue;
    best = entry;
    best_cost = cost;
  }
  if (best == nullptr) return fall_back(problem, options, "no kernel takes this product");
  if (const double us = cublas_us(problem, device, options); us < kCublasMargin * best_cost.total_us) {
    char text[120];
    std::snprintf(text, sizeof(text), "least predicted time: cuBLAS; %.1f us would take %s", best_cost.total_us,
                  best->name);
    Plan plan = use_fallback(problem, text);
    plan.predicted_us = us;
    return plan;
  }
  return use_kernel(problem, *best, best_cost, options.sm_count, "least predicted time");
}

}  // namespace fastgemm
