// cuBLAS 13.1 on one H200, as rows of the cost model.
#include "src/dispatch/cublas_model.h"

#include <algorithm>
#include <limits>

#include "src/dispatch/fallback_rules.h"

namespace fastgemm {

namespace {

constexpr int kMeasuredOn = 90;          // compute capability
constexpr double kSecondLaunchUs = 2.0;  // of a pass behind the product: its sum where k is split, our epilogue's

KernelEntry f32_row(TileShape tile, int blocks_per_sm, double flops, int max_splits) {
  return {.type_ab = DataType::kFloat32,
          .tile = tile,
          .blocks_per_sm = blocks_per_sm,
          .fast_alignment = 4,
          .max_splits = max_splits,
          .flops_per_clock_sm = flops,
          .ops_factor = {1.0, 1.04, 0.98, 0.99}};
}

KernelEntry f16_row(TileShape tile, int blocks_per_sm, double flops, int max_splits, double unaligned) {
  return {.type_ab = DataType::kFloat16,
          .tile = tile,
          .blocks_per_sm = blocks_per_sm,
          .fast_alignment = 16,
          .max_splits = max_splits,
          .flops_per_clock_sm = flops,
          .unaligned_factor = unaligned};
}

// Ampere's FP32 kernels, and Hopper's for FP16 where operands allow bulk copies.
const KernelEntry kRows[] = {
    f32_row({256, 128, 8}, 1, 203.0, 1),
    f32_row({128, 128, 8}, 2, 196.0, 1),
    f32_row({128, 64, 8}, 3, 175.0, 16),
    f32_row({64, 64, 8}, 4, 150.0, 16),
    f32_row({32, 32, 16}, 8, 90.0, 32),
    f16_row({128, 256, 64}, 1, 3100.0, 1, 0.2),
    f16_row({128, 128, 64}, 1, 2500.0, 8, 0.2),
    f16_row({64, 128, 64}, 2, 2300.0, 8, 0.15),
    f16_row({64, 64, 64}, 3, 1800.0, 16, 0.15),
};

// The pass of our epilogue that the fallback needs where cuBLAS has no such thing: reads and writes of D.
double epilogue_us(const GemmProblem& problem, const DeviceInfo& device) {
  if (!has_epilogue(problem)) return 0.0;
  const double elements = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                          static_cast<double>(problem.batch_count);
  const double bytes = 2.0 * elements * static_cast<double>(element_size(DataType::kFloat32));
  return kSecondLaunchUs + (device.memory_gbps > 0.0 ? bytes / (device.memory_gbps * 1e3) : 0.0);
}

}  // namespace

double predict_cublas_us(const GemmProblem& problem, const DeviceInfo& device, const LaunchResources& resources) {
  double best = std::numeric_limits<double>::infinity();
  if (device.compute_capability != kMeasuredOn) return best;
  for (const KernelEntry& row : kRows) {
    if (row.type_ab != problem.type_ab) continue;
    const CostEstimate cost = best_estimate(problem, row, device, resources);
    const double second_launch_us = cost.splits > 1 ? kSecondLaunchUs : 0.0;
    best = std::min(best, cost.total_us + second_launch_us);
  }
  return best + epilogue_us(problem, device);
}

}  // namespace fastgemm
