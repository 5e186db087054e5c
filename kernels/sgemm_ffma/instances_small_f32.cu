// FFMA SGEMM tiles for small, middle and thin products, sm_80 and up, whose warps share a tile in groups along k. Their
// sums are no single chains: FG_MATH_FP32_SEQUENTIAL leaves them out. Times: one H200, CUDA 13.0, L2 flushed.
#include "kernels/families.h"
#include "kernels/sgemm_ffma/launch.cuh"

namespace fastgemm {

using namespace ffma;

std::span<const KernelEntry> sgemm_ffma_small_f32_sm80() {
  static constexpr KernelEntry kEntries[] = {
      {.name = "ffma_f32_64x64x32_s3",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {64, 64, 32},
       .stages = 3,
       .threads = Launcher<Tile64x64x32>::kThreads,
       .blocks_per_sm = Tile64x64x32::kBlocksPerSm,
       .shared_bytes = Launcher<Tile64x64x32>::kSharedBytes,
       .max_splits = Launcher<Tile64x64x32>::kMaxSplits,
       .flops_per_clock_sm = 168.0,  // NN 1024: 56.1 us (cuBLAS 58.4); 4096 x 64 x 4096: 58.3 us in 6 parts (59.3)
       .unaligned_factor = 0.89,
       .supports = Launcher<Tile64x64x32>::supports,
       .prepare = Launcher<Tile64x64x32>::prepare,
       .launch = Launcher<Tile64x64x32>::launch},
      {.name = "ffma_f32_32x32x32_s3",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {32, 32, 32},
       .stages = 3,
       .threads = Launcher<Tile32x32x32>::kThreads,
       .blocks_per_sm = Tile32x32x32::kBlocksPerSm,
       .shared_bytes = Launcher<Tile32x32x32>::kSharedBytes,
       .max_splits = Launcher<Tile32x32x32>::kMaxSplits,
       .flops_per_clock_sm = 118.0,  // NN 128, 256, 512: 7.1, 9.2, 15.3 us (cuBLAS 8.9, 10.4, 16.1)
       .unaligned_factor = 0.89,
       .supports = Launcher<Tile32x32x32>::supports,
       .prepare = Launcher<Tile32x32x32>::prepare,
       .launch = Launcher<Tile32x32x32>::launch},
      {.name = "ffma_f32_128x16x32_s3",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {128, 16, 32},
       .stages = 3,
       .threads = Launcher<Tile128x16x32>::kThreads,
       .blocks_per_sm = Tile128x16x32::kBlocksPerSm,
       .shared_bytes = Launcher<Tile128x16x32>::kSharedBytes,
       .max_splits = Launcher<Tile128x16x32>::kMaxSplits,
       .flops_per_clock_sm = 90.0,  // NN 4096 x 16 x 4096: 33.5 us in 4 parts (cuBLAS 46.0)
       .unaligned_factor = 0.89,
       .supports = Launcher<Tile128x16x32>::supports,
       .prepare = Launcher<Tile128x16x32>::prepare,
       .launch = Launcher<Tile128x16x32>::launch},
      {.name = "ffma_f32_16x128x32_s3",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {16, 128, 32},
       .stages = 3,
       .threads = Launcher<Tile16x128x32>::kThreads,
       .blocks_per_sm = Tile16x128x32::kBlocksPerSm,
       .shared_bytes = Launcher<Tile16x128x32>::kSharedBytes,
       .max_splits = Launcher<Tile16x128x32>::kMaxSplits,
       .flops_per_clock_sm = 90.0,  // NN 16 x 4096 x 4096: 34.3 us in 4 parts (cuBLAS 47.6)
       .unaligned_factor = 0.89,
       .supports = Launcher<Tile16x128x32>::supports,
       .prepare = Launcher<Tile16x128x32>::prepare,
       .launch = Launcher<Tile16x128x32>::launch},
  };
  return kEntries;
}

}  // namespace fastgemm
