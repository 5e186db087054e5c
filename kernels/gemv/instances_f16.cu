// GEMV kernels for FP16 operands, any architecture: plain loads. What binds is memory, so that the rates hold whatever
// part of the short side is used; from 5 on tensor cores are ahead. Times: one H200, CUDA 13.0, L2 flushed.
#include "kernels/families.h"
#include "kernels/gemv/launch.cuh"

namespace fastgemm {
namespace {

using namespace gemv;

using Rows4 = Launcher<DataType::kFloat16, false, 1, 4>;  // n is 1 to 4
using Columns4 = Launcher<DataType::kFloat16, true, 1, 4>;  // m is 1 to 4

constexpr KernelEntry kRows[] = {
    {.name = "gemv_f16_64x4x64_s1",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = Rows4::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Rows4::kBlocksPerSm,
     .shared_bytes = Rows4::kSharedBytes,
     .fast_alignment = 8,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 58,  // 4096 x 1 x 4096: 16.0 us in 4 parts (cuBLAS 17.6); x 4: 17.6 (17.4)
     .unaligned_factor = 0.8,
     .supports = Rows4::supports,
     .prepare = Rows4::prepare,
     .launch = Rows4::launch},
    {.name = "gemv_f16_4x64x64_s1",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = Columns4::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Columns4::kBlocksPerSm,
     .shared_bytes = Columns4::kSharedBytes,
     .fast_alignment = 8,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 58,
     .unaligned_factor = 0.8,
     .supports = Columns4::supports,
     .prepare = Columns4::prepare,
     .launch = Columns4::launch},
};

}  // namespace

std::span<const KernelEntry> gemv_f16() { return kRows; }

}  // namespace fastgemm
