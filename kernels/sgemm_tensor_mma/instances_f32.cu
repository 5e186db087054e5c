// FP32_TENSOR kernels for sm_80 and up.
#include "kernels/families.h"
#include "kernels/sgemm_tensor_mma/launch.cuh"

namespace fastgemm {
namespace {

using sgemm_tensor_mma::Launcher;
using sgemm_tensor_mma::Tile128x128;

// The rate is not measured but modelled: three quarters of a third of what tensor cores can do. It is that of GeForce
// cards of sm_86, 89 and 120, whose tensor cores add to FP32 at half rate, 512 FLOP a clock: less than FP32's own. Those of
// other chips stand in src/dispatch/calibration.cpp.
constexpr KernelEntry kRows[] = {
    {.name = "tensor_mma_f32_128x128x32_s3",
     .type_ab = DataType::kFloat32,
     .min_compute_capability = 80,
     .tile = {Tile128x128::kTileM, Tile128x128::kTileN, sgemm_tensor_mma::kBlockK},
     .stages = Tile128x128::kStages,
     .threads = Launcher<Tile128x128>::Config::kThreads,
     .blocks_per_sm = Tile128x128::kBlocksPerSm,
     .shared_bytes = Launcher<Tile128x128>::Config::kSharedBytes,
     .fast_alignment = 4,
     .fp32_tensor = true,
     .flops_per_clock_sm = 128,
     .supports = sgemm_tensor::supports,
     .workspace = sgemm_tensor_mma::workspace,
     .prepare = Launcher<Tile128x128>::prepare,
     .launch = Launcher<Tile128x128>::launch},
};

}  // namespace

std::span<const KernelEntry> sgemm_tensor_mma_f32_sm80() { return kRows; }

}  // namespace fastgemm
