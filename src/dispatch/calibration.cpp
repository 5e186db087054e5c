// Fitted to times of every kernel, with k in 1 to 128 parts, and of cublasGemmEx on shapes of
// tests/bench/shapes_all.csv, on one H200 (CUDA 13.0, cuBLAS 13.1; L2 flushed, contenders in turns, medians). Fits of
// rows have mean errors of 3 to 18 %; near ties were then set by what the choices cost (tests/bench/regret.py): 3 %
// (FP32) and 3.5 % (FP16) over the best of each shape, in the geometric mean. Rates of FP16's large tiles are those at
// 3072 to 16384, where power binds. Set by hand: the loads of the Hopper FFMA rows, to times of tiles in parts on eight
// shapes, and their NT; the rate of the one that turns an operand, to five; odd stores of WGMMA and of sliced_f16, to
// four shapes and one.
#include "src/dispatch/calibration.h"

namespace fastgemm {

namespace {

constexpr int kMeasuredOn = 90;  // compute capability

// Name, start, flops, unaligned, stores, sum, its loads, memory, operations, exponent of few blocks, odd
// stores.
constexpr Calibration kH200[] = {
    {"ffma_f32_128x128x8_s4", 8.67, 193, 0.85, 8.6, 1.32, 119, 0.45, {1.0, 1.0, 1.0, 1.0}},
    {"ffma_f32_128x16x32_s3", 5.05, 117, 0.85, 3.2, 0.80, 197, 0.54, {1.0, 1.0, 1.0, 1.0}},
    {"ffma_f32_128x64x8_s4", 3.27, 184, 0.93, 7.0, 1.30, 236, 0.35, {1.0, 1.0, 1.0, 1.0}},
    {"ffma_f32_16x128x32_s3", 4.73, 123, 0.73, 3.4, 1.08, 250, 0.38, {1.0, 1.0, 1.0, 1.0}},
    {"ffma_f32_256x128x8_s4", 10.33, 199, 0.90, 16.4, 1.50, 48, 0.92, {1.0, 1.02, 0.92, 0.9}},
    {"ffma_f32_256x128x8_s6", 7.67, 196, 0.89, 16.3, 1.50, 48, 0.92, {1.0, 1.02, 0.92, 0.9}},
    {"ffma_f32_32x32x16_s3", 5.11, 121, 0.80, 11.8, 1.61, 41, 0.92, {1.0, 1.0, 1.0, 1.0}},
    {"ffma_f32_32x32x32_s3", 3.80, 116, 0.87, 3.0, 1.39, 108, 0.92, {1.0, 1.0, 1.0, 1.0}},
    {"ffma_f32_64x64x16_s4", 7.44, 164, 0.78, 10.8, 3.12, 164, 0.92, {1.0, 1.0, 1.0, 1.0}},
    {"ffma_f32_64x64x32_s3", 5.20, 201, 0.89, 5.2, 1.60, 161, 0.35, {1.0, 1.0, 1.0, 1.0}},
    {"gemv_f16_4x64x64_s1", 4.31, 63, 0.97, 3.2, 2.74, 5, 0.80, {1.0, 1.0, 1.00, 1.0}},
    {"gemv_f16_64x4x64_s1", 6.58, 74, 0.90, 1.4, 0.54, 2, 0.75, {1.0, 1.0, 1.00, 1.0}},
    {"gemv_f32_4x64x64_s1", 4.25, 38, 0.86, 8.3, 6.72, 2, 0.67, {1.0, 1.0, 1.00, 1.0}},
    {"gemv_f32_64x4x64_s1", 7.69, 38, 0.80, 32.0, 1.00, 48, 0.81, {1.0, 1.0, 1.0, 1.0}},
    {"gemv_f32_64x8x64_s1", 4.72, 54, 0.90, 9.0, 0.00, 5, 0.66, {1.0, 1.0, 1.00, 1.0}},
    {"gemv_f32_8x64x64_s1", 4.50, 51, 0.90, 30.0, 2.00, 50, 0.50, {1.0, 1.0, 1.0, 1.0}},
    {"hopper_f32_128x256x32_s4", 6.32, 210, 1.00, 7.1, 1.50, 90, 0.92, {1.0, 1.0, 1.0, 1.0}},
    {"hopper_f32_256x128x32_s4", 12.55, 216, 0.93, 20.9, 1.50, 90, 0.92, {1.0, 1.03, 1.0, 1.0}},
    {"hopper_turned_f32_256x128x32_s4", 12.55, 200, 1.00, 20.9, 1.50, 90, 0.92, {1.0, 1.0, 1.0, 1.0}},
    {"mma_f16_128x128x64_s3", 6.26, 1954, 0.56, 8.5, 1.50, 48, 0.71, {1.0, 1.0, 1.0, 1.0}, 0.48},
    {"mma_f16_128x64x64_s4", 4.38, 1616, 0.57, 5.9, 0.00, 362, 0.43, {1.0, 1.0, 1.0, 1.0}},
    {"mma_f16_256x128x32_s4", 4.58, 1744, 0.62, 7.8, 1.50, 48, 0.64, {1.0, 1.0, 1.0, 1.0}, 0.50},
    {"mma_f16_256x128x64_s3", 4.85, 2016, 0.53, 7.6, 1.50, 48, 0.70, {1.0, 1.0, 1.0, 1.0}, 0.50},
    {"mma_f16_64x64x64_s4", 4.70, 1185, 0.44, 5.7, 0.37, 175, 0.43, {1.0, 1.0, 1.0, 1.0}, 0.41},
    {"sliced_f16_16x64x128_s5", 5.78, 519, 1.00, 1.4, 0.00, 145, 0.50, {1.0, 1.0, 1.0, 1.0}, 0.00, 0.25},
    {"sliced_f16_32x32x128_s6", 4.04, 669, 1.00, 2.0, 0.32, 60, 0.50, {1.0, 1.0, 1.0, 1.0}, 0.47, 0.25},
    {"sliced_f16_32x64x128_s4", 4.25, 900, 1.00, 3.5, 0.00, 109, 0.41, {1.0, 1.0, 1.0, 1.0}, 0.36, 0.25},
    {"sliced_f16_64x16x128_s5", 6.60, 854, 1.00, 39.6, 0.93, 52, 0.65, {1.0, 1.0, 1.0, 1.0}, 0.34, 0.25},
    {"sliced_f16_64x32x128_s4", 5.13, 829, 1.00, 3.8, 0.00, 108, 0.50, {1.0, 1.0, 1.0, 1.0}, 0.18, 0.25},
    {"sliced_f16_64x64x256_s3", 5.01, 1262, 1.00, 5.2, 0.00, 163, 0.44, {1.0, 1.0, 1.0, 1.0}, 0.30, 0.25},
    {"sliced_f32_128x16x32_s4", 5.46, 180, 0.75, 6.0, 1.10, 49, 0.58, {1.0, 1.0, 0.83, 1.0}, 0.23},
    {"sliced_f32_128x32x32_s5", 4.16, 198, 0.75, 4.7, 1.24, 164, 0.69, {1.0, 1.0, 0.87, 1.0}, 0.22},
    {"sliced_f32_128x64x32_s4", 4.19, 203, 0.75, 4.9, 0.80, 235, 0.80, {1.0, 1.0, 0.87, 1.0}, 0.17},
    {"sliced_f32_16x128x32_s4", 5.29, 188, 0.75, 5.3, 0.86, 87, 0.44, {1.0, 1.0, 0.88, 1.0}, 0.25},
    {"sliced_f32_256x8x32_s3", 4.48, 162, 0.75, 5.1, 0.53, 15, 0.63, {1.0, 1.0, 0.81, 1.0}, 0.34},
    {"sliced_f32_32x128x32_s5", 4.13, 191, 0.75, 4.7, 1.32, 235, 0.41, {1.0, 1.0, 0.87, 1.0}, 0.20},
    {"sliced_f32_64x128x32_s4", 4.56, 204, 0.75, 5.4, 0.83, 228, 0.80, {1.0, 1.0, 0.86, 1.0}, 0.16},
    {"sliced_f32_64x64x32_s6", 4.81, 199, 0.75, 4.8, 0.80, 234, 0.37, {1.0, 1.0, 0.77, 1.0}, 0.17},
    {"sliced_f32_8x256x32_s3", 5.02, 146, 0.75, 5.9, 0.14, 17, 0.45, {1.0, 1.0, 0.91, 1.0}, 0.19},
    {"wgmma_f16_128x128x64_s6", 2.43, 2880, 0.80, 5.8, 0.94, 236, 0.35, {1.0, 1.0, 1.0, 1.0}, 0.50, 0.40},
    {"wgmma_f16_128x64x64_s8", 4.57, 2600, 0.77, 5.5, 0.00, 71, 0.44, {1.0, 1.0, 1.0, 1.0}, 0.50, 0.40},
    {"wgmma_f16_64x128x64_s8", 4.22, 2500, 0.75, 4.7, 0.00, 254, 0.45, {1.0, 1.0, 1.0, 1.0}, 0.50, 0.40},
    {"wgmma_f16_192x128x64_s5", 5.08, 3200, 0.77, 200.0, 1.50, 48, 0.65, {1.0, 1.0, 1.0, 1.0}, 0.50, 0.015},
    {"wgmma_f16_160x128x64_s5", 5.83, 3257, 0.53, 56.7, 1.50, 48, 0.68, {0.93, 0.93, 1.0, 1.0}, 0.50},
    {"wgmma_f16_176x128x64_s5", 5.95, 3033, 0.59, 200.0, 1.50, 48, 0.65, {0.9, 0.9, 1.0, 1.0}, 0.50},
    {"wgmma_f16_256x128x64_s4", 6.00, 2930, 0.88, 42.0, 1.50, 48, 0.75, {1.0, 1.0, 1.0, 1.0}, 0.50, 0.07},
    {"cublas_f32_256x128", 5.44, 192, 1.00, 16.4, 2.00, 150, 0.40, {1.0, 1.04, 0.99, 0.99}},
    {"cublas_f32_128x128", 1.02, 201, 1.00, 13.8, 2.00, 150, 0.38, {1.0, 1.04, 0.99, 0.99}},
    {"cublas_f32_128x64", 7.89, 206, 1.00, 13.6, 5.51, 150, 0.80, {1.0, 1.04, 0.99, 0.99}},
    {"cublas_f32_64x64", 3.74, 172, 1.00, 13.3, 2.71, 150, 0.80, {1.0, 1.04, 0.99, 0.99}},
    {"cublas_f32_32x32", 8.13, 147, 1.00, 13.1, 3.03, 150, 0.80, {1.0, 1.04, 0.99, 0.99}},
    {"cublas_f16_128x256", 5.59, 2589, 1.00, 29.6, 2.00, 150, 0.80, {1.0, 1.0, 1.0, 1.0}},
    {"cublas_f16_256x128", 3.50, 2750, 1.00, 23.0, 2.00, 150, 0.83, {1.0, 1.0, 1.0, 1.0}},
    {"cublas_f16_128x128", 5.71, 2915, 1.00, 174.0, 2.39, 150, 0.67, {1.0, 1.0, 1.0, 1.0}},
    {"cublas_f16_64x64", 3.86, 1645, 1.00, 22.9, 1.89, 150, 0.47, {1.0, 1.0, 1.0, 1.0}},
    {"cublas_f16_odd_128x128", 4.24, 644, 1.00, 2.1, 2.91, 150, 0.80, {1.0, 1.0, 1.0, 1.0}},
    {"cublas_f16_odd_64x64", 4.22, 528, 1.00, 13.3, 1.37, 71, 0.80, {1.0, 1.0, 1.0, 1.0}, 0.46},
};

// FP32_TENSOR through mma.sync, in FLOP an SM and clock. Nobody has timed it on these chips: three quarters of a third,
// since there are three products, of what their tensor cores do in FP16 with FP32 sums by the white papers, 2048 on 8.0
// and 8.7. For 10.0, where mma.sync is not what the white paper counts, the same. 9.0 has kernels for wgmma: so little
// that not even strict FP32 is slower. All others have the row's own rate: the GeForce cards of 8.6, 8.9 and 12.0 do 512,
// and nothing here tells them from others of the same number, which do 1024.
struct ChipRate {
  int compute_capability;
  double flops_per_clock_sm;
};
constexpr std::string_view kTensorMma = "tensor_mma_f32_128x128x32_s3";
constexpr ChipRate kTensorMmaRates[] = {{80, 512}, {87, 512}, {90, 64}, {100, 512}, {103, 512}};

}  // namespace

Calibration calibration_of(const KernelEntry& entry, const DeviceInfo& device) {
  if (device.compute_capability == kMeasuredOn && entry.name != nullptr) {
    for (const Calibration& row : kH200) {
      if (row.name == entry.name) return row;
    }
  }
  Calibration general;
  general.flops_per_clock_sm = entry.flops_per_clock_sm;
  general.unaligned_factor = entry.unaligned_factor;
  general.ops_factor = entry.ops_factor;
  if (entry.name == nullptr || entry.name != kTensorMma) return general;
  for (const ChipRate& chip : kTensorMmaRates) {
    if (chip.compute_capability == device.compute_capability) general.flops_per_clock_sm = chip.flops_per_clock_sm;
  }
  return general;
}

}  // namespace fastgemm
