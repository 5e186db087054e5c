// GEMV kernels for FP32 operands, any architecture: plain loads. What binds is memory, so that the rates hold whatever
// part of the short side is used: that of all SMs at once, with all the blocks they hold, from device memory (for FP32
// x 4, 4.55 TB/s are 35 FLOP a clock and SM). So the dispatcher sees that it takes so many blocks. Times: one H200,
// CUDA 13.0, L2 flushed.
#include "kernels/families.h"
#include "kernels/gemv/launch.cuh"

namespace fastgemm {
namespace {

using namespace gemv;

using Rows4 = Launcher<DataType::kFloat32, false, 1, 4>;  // n is 1 to 4
using Rows8 = Launcher<DataType::kFloat32, false, 5, 8>;  // n is 5 to 8
using Columns4 = Launcher<DataType::kFloat32, true, 1, 4>;  // m is 1 to 4
using Columns8 = Launcher<DataType::kFloat32, true, 5, 8>;  // m is 5 to 8

constexpr KernelEntry kRows[] = {
    {.name = "gemv_f32_64x4x64_s1",
     .type_ab = DataType::kFloat32,
     .min_compute_capability = 75,
     .tile = Rows4::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Rows4::kBlocksPerSm,
     .shared_bytes = Rows4::kSharedBytes,
     .fast_alignment = 16,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 35,  // 4096 x 1 x 4096: 23.4 us in 4 parts (cuBLAS 22.9); x 4: 23.8 (43.3)
     .unaligned_factor = 0.8,
     .supports = Rows4::supports,
     .prepare = Rows4::prepare,
     .launch = Rows4::launch},
    {.name = "gemv_f32_64x8x64_s1",
     .type_ab = DataType::kFloat32,
     .min_compute_capability = 75,
     .tile = Rows8::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Rows8::kBlocksPerSm,
     .shared_bytes = Rows8::kSharedBytes,
     .fast_alignment = 16,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 48,  // 4096 x 8 x 4096: 28.4 us in 4 parts (cuBLAS 43.9)
     .unaligned_factor = 0.8,
     .supports = Rows8::supports,
     .prepare = Rows8::prepare,
     .launch = Rows8::launch},
    {.name = "gemv_f32_4x64x64_s1",
     .type_ab = DataType::kFloat32,
     .min_compute_capability = 75,
     .tile = Columns4::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Columns4::kBlocksPerSm,
     .shared_bytes = Columns4::kSharedBytes,
     .fast_alignment = 16,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 35,
     .unaligned_factor = 0.8,
     .supports = Columns4::supports,
     .prepare = Columns4::prepare,
     .launch = Columns4::launch},
    {.name = "gemv_f32_8x64x64_s1",
     .type_ab = DataType::kFloat32,
     .min_compute_capability = 75,
     .tile = Columns8::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Columns8::kBlocksPerSm,
     .shared_bytes = Columns8::kSharedBytes,
     .fast_alignment = 16,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 48,
     .unaligned_factor = 0.8,
     .supports = Columns8::supports,
     .prepare = Columns8::prepare,
     .launch = Columns8::launch},
};

}  // namespace

std::span<const KernelEntry> gemv_f32() { return kRows; }

}  // namespace fastgemm
