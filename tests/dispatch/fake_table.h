// Devices and kernel rows that exist only in tests of the dispatcher.
#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

#include "kernels/contract.h"
#include "src/dispatch/select.h"

namespace fastgemm::test {

inline DeviceInfo fake_device(int compute_capability, int sm_count) {
  DeviceInfo device;
  device.compute_capability = compute_capability;
  device.sm_count = sm_count;
  const bool is_data_centre = compute_capability == 90 || compute_capability == 100;
  device.shared_bytes_per_block = compute_capability == 75 ? 65536 : is_data_centre ? 232448 : 101376;
  device.l2_bytes = 4 << 20;
  device.clock_ghz = 1.98;
  device.memory_gbps = 4800.0;
  return device;
}

inline constexpr int kFakeCapabilities[] = {75, 80, 86, 89, 90, 100, 120};

inline cudaError_t launch_nothing(const GemmProblem&, const LaunchContext&) { return cudaSuccess; }
inline bool takes_all(const GemmProblem&) { return true; }
inline bool takes_even_k(const GemmProblem& problem) { return problem.k % 2 == 0; }

// Rows like the real families': FP32 tiles of several sizes for 7.5 and for 8.0 up, one that sums in another order and
// one that is choosy; FP16 tiles that want aligned operands.
inline const std::vector<KernelEntry>& fake_rows() {
  const auto f32 = [](const char* name, int min, int max, TileShape tile, int per_sm, double flops) {
    return KernelEntry{.name = name, .type_ab = DataType::kFloat32, .min_compute_capability = min,
                       .max_compute_capability = max, .tile = tile, .blocks_per_sm = per_sm, .shared_bytes = 49152,
                       .fast_alignment = 4, .sequential = true, .flops_per_clock_sm = flops, .supports = takes_all,
                       .launch = launch_nothing};
  };
  const auto f16 = [](const char* name, TileShape tile, int per_sm, double flops) {
    return KernelEntry{.name = name, .type_ab = DataType::kFloat16, .min_compute_capability = 80, .tile = tile,
                       .blocks_per_sm = per_sm, .shared_bytes = 98304, .fast_alignment = 16,
                       .flops_per_clock_sm = flops, .unaligned_factor = 0.25, .supports = takes_all,
                       .launch = launch_nothing};
  };
  static const std::vector<KernelEntry> rows = [&] {
    std::vector<KernelEntry> made = {
        f32("f32_128x128_sm75", 75, 75, {128, 128, 8}, 2, 200.0),
        f32("f32_32x32_sm75", 75, 75, {32, 32, 8}, 8, 100.0),
        f32("f32_256x128", 80, 9999, {256, 128, 8}, 1, 220.0),
        f32("f32_128x128", 80, 9999, {128, 128, 8}, 2, 215.0),
        f32("f32_128x64", 80, 9999, {128, 64, 8}, 3, 200.0),
        f32("f32_64x64", 80, 9999, {64, 64, 8}, 4, 180.0),
        f32("f32_32x32", 80, 9999, {32, 32, 8}, 8, 110.0),
        f32("f32_split", 80, 9999, {128, 128, 8}, 2, 10.0),
        f32("f32_choosy", 80, 9999, {128, 128, 8}, 2, 240.0),
        f16("f16_256x128", {256, 128, 32}, 1, 1900.0),
        f16("f16_128x128", {128, 128, 32}, 2, 1700.0),
        f16("f16_64x64", {64, 64, 32}, 4, 1000.0),
    };
    made[7].sequential = false;
    made[8].sequential = false;
    made[8].supports = takes_even_k;
    made[9].shared_bytes = 147456;  // 9.0 and 10.0 only
    return made;
  }();
  return rows;
}

inline const KernelEntry& fake_row(std::string_view name) {
  for (const KernelEntry& row : fake_rows()) {
    if (name == row.name) return row;
  }
  throw std::logic_error("no such row");
}

inline std::vector<const KernelEntry*> fake_available() {
  std::vector<const KernelEntry*> rows;
  for (const KernelEntry& row : fake_rows()) rows.push_back(&row);
  return rows;
}

inline SelectOptions options_for(const DeviceInfo& device, bool fallback = true) {
  SelectOptions options;
  options.sm_count = device.sm_count;
  options.workspace_bytes = std::size_t{32} << 20;
  options.flag_count = 4096;
  options.fallback_available = fallback;
  options.fallback_for_speed = false;
  return options;
}

// C := A B, tight leading dimensions, addresses aligned to 256 bytes that nobody follows.
inline GemmProblem product_of(DataType type, std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem problem;
  problem.type_ab = problem.type_cd = type;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.alpha.value = 1.0f;
  problem.a = {.data = reinterpret_cast<const void*>(0x10000), .ld = m};
  problem.b = {.data = reinterpret_cast<const void*>(0x20000), .ld = k > 0 ? k : 1};
  problem.c = {.data = reinterpret_cast<const void*>(0x30000), .ld = m};
  problem.d = {.data = reinterpret_cast<void*>(0x30000), .ld = m};
  return problem;
}

}  // namespace fastgemm::test
