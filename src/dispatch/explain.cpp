// Puts the plan and the ranked candidates in words.
#include "src/dispatch/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "src/base/log.h"
#include "src/dispatch/cost_model.h"
#include "src/dispatch/filter.h"

namespace fastgemm {

namespace {

struct Candidate {
  const KernelEntry* entry = nullptr;
  CostEstimate cost;
  std::string refused;  // why; empty: it could run
};

std::string microseconds(double us) {
  char text[48];
  std::snprintf(text, sizeof(text), us < 1e5 ? "%.2f us" : "%.4g us", us);
  return text;
}

// All rows, those that can run first and among them the fastest first; equals keep the table's order.
std::vector<Candidate> rank(const GemmProblem& problem, const DeviceInfo& device,
                            std::span<const KernelEntry* const> available, const SelectOptions& options) {
  std::vector<Candidate> candidates;
  for (const KernelEntry* entry : available) {
    candidates.push_back({entry,
                          best_estimate(problem, *entry, device,
                                        {.sm_count = options.sm_count,
                                         .workspace_bytes = options.workspace_bytes,
                                         .flag_count = options.flag_count}),
                          refusal(problem, *entry, device, options.workspace_bytes)});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
    if (x.refused.empty() != y.refused.empty()) return x.refused.empty();
    return x.refused.empty() && x.cost.total_us < y.cost.total_us;
  });
  return candidates;
}

std::string choice_text(const Plan& plan) {
  std::string text = "kernel: " + plan_name(plan) + (plan.refused ? ", the call answers NOT_SUPPORTED\n" : "\n");
  if (plan.predicted_us > 0.0) text += "predicted: " + microseconds(plan.predicted_us) + "\n";
  return text;
}

std::string candidate_text(const Candidate& candidate) {
  std::string line = std::string("  ") + candidate.entry->name + ": ";
  if (!candidate.refused.empty()) return line + "refused, " + candidate.refused + "\n";
  line += microseconds(candidate.cost.total_us) + " (compute " + microseconds(candidate.cost.compute_us) +
          ", memory " + microseconds(candidate.cost.memory_us);
  if (candidate.cost.prepass_us > 0.0) line += ", pass before " + microseconds(candidate.cost.prepass_us);
  char waves[64];
  std::snprintf(waves, sizeof(waves), ", %.2f waves", candidate.cost.waves);
  line += waves;
  if (candidate.cost.splits > 1) line += ", k in " + std::to_string(candidate.cost.splits) + " parts";
  return line + (candidate.cost.aligned ? ")\n" : ", unaligned operands)\n");
}

}  // namespace

std::string explain(const GemmProblem& problem, const DeviceInfo& device,
                    std::span<const KernelEntry* const> available, const SelectOptions& options) {
  const Plan plan = select(problem, device, available, options);
  std::string text = format_gemm_line(problem, plan_name(plan), plan.predicted_us) + "\n";
  text += "device: sm_" + std::to_string(device.compute_capability) + ", ";
  text += std::to_string(options.sm_count) + " SMs\n";
  text += choice_text(plan) + "reason: " + plan.reason + "\n";
  if (plan.workspace_bytes != 0) text += "workspace: " + std::to_string(plan.workspace_bytes) + " bytes\n";
  const std::vector<Candidate> candidates = rank(problem, device, available, options);
  text += candidates.empty() ? "candidates: none\n" : "candidates:\n";
  for (const Candidate& candidate : candidates) text += candidate_text(candidate);
  if (const double us = cublas_us(problem, device, options); std::isfinite(us)) {
    text += "cublas: " + microseconds(us) + "\n";
  }
  return text;
}

}  // namespace fastgemm
