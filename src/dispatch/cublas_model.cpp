// cuBLAS 13.1 on one H200, as rows of the cost model.
#include "src/dispatch/cublas_model.h"

#include <algorithm>
#include <limits>

#include "kernels/alignment.h"

namespace fastgemm {

namespace {

constexpr int kMeasuredOn = 90;  // compute capability

// cuBLAS's kernels by the tiles that its times suggest; their figures stand in calibration.cpp. `alignment`: bytes that
// operands must be multiples of.
KernelEntry row(const char* name, DataType type, TileShape tile, int blocks_per_sm, int alignment, int max_splits) {
  return {.name = name,
          .type_ab = type,
          .tile = tile,
          .blocks_per_sm = blocks_per_sm,
          .fast_alignment = alignment,
          .max_splits = max_splits};
}

// Ampere's FP32 kernels. FP16: Hopper's where operands allow bulk copies, else Ampere's.
const KernelEntry kRows[] = {
    row("cublas_f32_256x128", DataType::kFloat32, {256, 128, 8}, 1, 4, 1),
    row("cublas_f32_128x128", DataType::kFloat32, {128, 128, 8}, 2, 4, 1),
    row("cublas_f32_128x64", DataType::kFloat32, {128, 64, 8}, 3, 4, 64),
    row("cublas_f32_64x64", DataType::kFloat32, {64, 64, 8}, 4, 4, 64),
    row("cublas_f32_32x32", DataType::kFloat32, {32, 32, 16}, 6, 4, 64),
    row("cublas_f16_128x256", DataType::kFloat16, {128, 256, 64}, 1, 16, 1),
    row("cublas_f16_256x128", DataType::kFloat16, {256, 128, 64}, 1, 16, 1),
    row("cublas_f16_128x128", DataType::kFloat16, {128, 128, 64}, 1, 16, 16),
    row("cublas_f16_64x64", DataType::kFloat16, {64, 64, 64}, 2, 16, 64),
    row("cublas_f16_odd_128x128", DataType::kFloat16, {128, 128, 32}, 2, 2, 8),
    row("cublas_f16_odd_64x64", DataType::kFloat16, {64, 64, 32}, 4, 2, 32),
};

// Its Hopper kernels want columns of D and C at multiples of 16 bytes, too: 511 x 513 x 512 with ldd 511 takes 14.3 us,
// 512 x 512 x 512 6.7.
bool stores_by_bulk_copies(const GemmProblem& problem, const KernelEntry& row) {
  const Operand d{.data = problem.d.data, .ld = problem.d.ld, .batch_stride = problem.d.batch_stride};
  return row.fast_alignment < 16 || operand_alignment(d, problem.type_cd, problem.batch_count) >= 16;
}

}  // namespace

double predict_cublas_us(const GemmProblem& problem, const DeviceInfo& device, const LaunchResources& resources) {
  double best = std::numeric_limits<double>::infinity();
  if (device.compute_capability != kMeasuredOn) return best;
  for (const KernelEntry& row : kRows) {
    if (row.type_ab != problem.type_ab || !stores_by_bulk_copies(problem, row)) continue;
    const CostEstimate cost = best_estimate(problem, row, device, resources);
    if (cost.aligned) best = std::min(best, cost.total_us);
  }
  return best;
}

}  // namespace fastgemm
