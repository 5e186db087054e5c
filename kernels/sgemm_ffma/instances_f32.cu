// FFMA SGEMM for sm_80 and up: operands come by cp.async. Throughput: one H200, CUDA 13.0, 8192 x 8192 x 8192, beside
// cublasSgemm's 51.0 (NN), 53.3 (NT), 51.2 (TN), 50.6 (TT) TFLOP/s; the rows hold the mean of the four layouts.
#include "kernels/families.h"
#include "kernels/sgemm_ffma/launch.cuh"

namespace fastgemm {

using namespace ffma;

std::span<const KernelEntry> sgemm_ffma_f32_sm80() {
  static constexpr KernelEntry kEntries[] = {
      {.name = "ffma_f32_256x128x8_s6",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {256, 128, 8},
       .stages = 6,
       .threads = Launcher<Tile256x128x8Block>::kThreads,
       .blocks_per_sm = Tile256x128x8Block::kBlocksPerSm,
       .shared_bytes = Launcher<Tile256x128x8Block>::kSharedBytes,
       .sequential = true,
       .flops_per_clock_sm = 199.0,  // NN 54.4, NT 55.7, TN 50.0, TT 48.1 TFLOP/s
       .unaligned_factor = 0.9,
       .supports = Launcher<Tile256x128x8Block>::supports,
       .prepare = Launcher<Tile256x128x8Block>::prepare,
       .launch = Launcher<Tile256x128x8Block>::launch},
      {.name = "ffma_f32_256x128x8_s4",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {256, 128, 8},
       .stages = 4,
       .threads = Launcher<Tile256x128x8>::kThreads,
       .blocks_per_sm = Tile256x128x8::kBlocksPerSm,
       .shared_bytes = Launcher<Tile256x128x8>::kSharedBytes,
       .sequential = true,
       .flops_per_clock_sm = 193.0,  // NN 53.4, NT 55.1, TN 47.4, TT 45.8 TFLOP/s
       .unaligned_factor = 0.92,
       .supports = Launcher<Tile256x128x8>::supports,
       .prepare = Launcher<Tile256x128x8>::prepare,
       .launch = Launcher<Tile256x128x8>::launch},
      {.name = "ffma_f32_128x128x8_s4",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {128, 128, 8},
       .stages = 4,
       .threads = Launcher<Tile128x128x8>::kThreads,
       .blocks_per_sm = Tile128x128x8::kBlocksPerSm,
       .shared_bytes = Launcher<Tile128x128x8>::kSharedBytes,
       .sequential = true,
       .max_splits = Launcher<Tile128x128x8>::kMaxSplits,
       .flops_per_clock_sm = 190.0,  // NN 48.4, NT 54.8, TN 47.7, TT 47.7 TFLOP/s
       .unaligned_factor = 0.89,
       .supports = Launcher<Tile128x128x8>::supports,
       .prepare = Launcher<Tile128x128x8>::prepare,
       .launch = Launcher<Tile128x128x8>::launch},
      {.name = "ffma_f32_128x64x8_s4",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {128, 64, 8},
       .stages = 4,
       .threads = Launcher<Tile128x64x8>::kThreads,
       .blocks_per_sm = Tile128x64x8::kBlocksPerSm,
       .shared_bytes = Launcher<Tile128x64x8>::kSharedBytes,
       .sequential = true,
       .max_splits = Launcher<Tile128x64x8>::kMaxSplits,
       .flops_per_clock_sm = 173.0,  // NN 45.2, NT 50.6, TN 42.1, TT 43.0 TFLOP/s at 2048
       .unaligned_factor = 0.89,
       .supports = Launcher<Tile128x64x8>::supports,
       .prepare = Launcher<Tile128x64x8>::prepare,
       .launch = Launcher<Tile128x64x8>::launch},
      {.name = "ffma_f32_64x64x16_s4",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {64, 64, 16},
       .stages = 4,
       .threads = Launcher<Tile64x64x16>::kThreads,
       .blocks_per_sm = Tile64x64x16::kBlocksPerSm,
       .shared_bytes = Launcher<Tile64x64x16>::kSharedBytes,
       .sequential = true,
       .max_splits = Launcher<Tile64x64x16>::kMaxSplits,
       .flops_per_clock_sm = 182.0,  // NN 46.3, NT 52.8 TFLOP/s
       .unaligned_factor = 0.89,
       .supports = Launcher<Tile64x64x16>::supports,
       .prepare = Launcher<Tile64x64x16>::prepare,
       .launch = Launcher<Tile64x64x16>::launch},
      {.name = "ffma_f32_32x32x16_s3",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 80,
       .tile = {32, 32, 16},
       .stages = 3,
       .threads = Launcher<Tile32x32x16>::kThreads,
       .blocks_per_sm = Tile32x32x16::kBlocksPerSm,
       .shared_bytes = Launcher<Tile32x32x16>::kSharedBytes,
       .sequential = true,
       .max_splits = Launcher<Tile32x32x16>::kMaxSplits,
       .flops_per_clock_sm = 110.0,  // NN 28.7, NT 35.8 TFLOP/s
       .unaligned_factor = 0.89,
       .supports = Launcher<Tile32x32x16>::supports,
       .prepare = Launcher<Tile32x32x16>::prepare,
       .launch = Launcher<Tile32x32x16>::launch},
  };
  return kEntries;
}

}  // namespace fastgemm
