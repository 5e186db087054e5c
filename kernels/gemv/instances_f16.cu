// GEMV kernels for FP16 operands, any architecture: plain loads.
#include "kernels/families.h"
#include "kernels/gemv/launch.cuh"

namespace fastgemm {
namespace {

using namespace gemv;

using Rows4 = Launcher<DataType::kFloat16, false, 1, 4>;  // n is 1 to 4
using Rows8 = Launcher<DataType::kFloat16, false, 5, 8>;  // n is 5 to 8
using Columns4 = Launcher<DataType::kFloat16, true, 1, 4>;  // m is 1 to 4
using Columns8 = Launcher<DataType::kFloat16, true, 5, 8>;  // m is 5 to 8

constexpr KernelEntry kRows[] = {
    {.name = "gemv_f16_64x4x32_s1",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = Rows4::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Rows4::kBlocksPerSm,
     .shared_bytes = Rows4::kSharedBytes,
     .fast_alignment = 8,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 128,
     .unaligned_factor = 0.8,
     .supports = Rows4::supports,
     .prepare = Rows4::prepare,
     .launch = Rows4::launch},
    {.name = "gemv_f16_64x8x32_s1",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = Rows8::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Rows8::kBlocksPerSm,
     .shared_bytes = Rows8::kSharedBytes,
     .fast_alignment = 8,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 128,
     .unaligned_factor = 0.8,
     .supports = Rows8::supports,
     .prepare = Rows8::prepare,
     .launch = Rows8::launch},
    {.name = "gemv_f16_4x64x32_s1",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = Columns4::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Columns4::kBlocksPerSm,
     .shared_bytes = Columns4::kSharedBytes,
     .fast_alignment = 8,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 128,
     .unaligned_factor = 0.8,
     .supports = Columns4::supports,
     .prepare = Columns4::prepare,
     .launch = Columns4::launch},
    {.name = "gemv_f16_8x64x32_s1",
     .type_ab = DataType::kFloat16,
     .min_compute_capability = 75,
     .tile = Columns8::kTile,
     .stages = 1,
     .threads = kThreads,
     .blocks_per_sm = Columns8::kBlocksPerSm,
     .shared_bytes = Columns8::kSharedBytes,
     .fast_alignment = 8,
     .max_splits = kMaxSplitsOfK,
     .flops_per_clock_sm = 128,
     .unaligned_factor = 0.8,
     .supports = Columns8::supports,
     .prepare = Columns8::prepare,
     .launch = Columns8::launch},
};

}  // namespace

std::span<const KernelEntry> gemv_f16() { return kRows; }

}  // namespace fastgemm
