// FP32_TENSOR kernels for Hopper.
#include "kernels/families.h"
#include "kernels/sgemm_tensor/launch.cuh"

namespace fastgemm {
namespace {

using namespace sgemm_tensor;

// What all rows have in common.
template <class Shape>
constexpr KernelEntry row(const char* name, double flops_per_clock_sm) {
  return {.name = name,
          .type_ab = DataType::kFloat32,
          .min_compute_capability = 90,
          .max_compute_capability = 90,
          .tile = {Shape::kTileM, Shape::kTileN, kBlockK},
          .stages = Shape::kFp16Stages,
          .threads = kThreads,
          .blocks_per_sm = 1,
          .shared_bytes = Launcher<Shape>::kSharedBytes,
          .fast_alignment = 4,
          .fp32_tensor = true,
          .flops_per_clock_sm = flops_per_clock_sm,
          .supports = Shape::kFp16SumOrder == SumOrder::kOneByOne ? supports_large : supports,
          .workspace = workspace,
          .prepare = Launcher<Shape>::prepare,
          .launch = Launcher<Shape>::launch};
}

constexpr KernelEntry kRows[] = {
    row<Tile256x128>("tensor_f32_256x128x32_s4", 1000),
    row<Tile128x128>("tensor_f32_128x128x32_s6", 800),
    row<Tile64x128>("tensor_f32_64x128x32_s8", 600),
};

}  // namespace

std::span<const KernelEntry> sgemm_tensor_f32_sm90() { return kRows; }

}  // namespace fastgemm
