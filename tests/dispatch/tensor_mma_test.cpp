// Where FP32_TENSOR is planned through mma.sync: the real rows of the table on devices that are not there.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/dispatch/calibration.h"
#include "src/dispatch/select.h"
#include "tests/dispatch/fake_table.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

bool is_mma(const KernelEntry* entry) {
  return entry != nullptr && std::string_view(entry->name).starts_with("tensor_mma");
}
bool is_tensor(const KernelEntry* entry) { return entry != nullptr && entry->fp32_tensor; }

// Null in a build without device code for it.
const KernelEntry* mma_row() {
  const auto& table = kernel_table();
  const auto row = std::find_if(table.begin(), table.end(), is_mma);
  return row != table.end() ? *row : nullptr;
}

// A data sheet's chip.
DeviceInfo chip(int compute_capability, int sm_count, std::int64_t shared_kib, double clock_ghz, double memory_gbps) {
  DeviceInfo device = fake_device(compute_capability, sm_count);
  device.shared_bytes_per_block = shared_kib << 10;
  device.clock_ghz = clock_ghz;
  device.memory_gbps = memory_gbps;
  return device;
}
const DeviceInfo kA100 = chip(80, 108, 163, 1.41, 2039.0);
const DeviceInfo kRtx3090 = chip(86, 82, 99, 1.70, 936.0);
const DeviceInfo kRtx4090 = chip(89, 128, 99, 2.52, 1008.0);
const DeviceInfo kH200 = chip(90, 132, 227, 1.98, 4800.0);
const DeviceInfo kB200 = chip(100, 148, 227, 1.85, 8000.0);

const KernelEntry* chosen(const DeviceInfo& device, std::int64_t m, std::int64_t n, std::int64_t k,
                          std::size_t workspace_mib = 1024, const KernelEntry* forced = nullptr) {
  GemmProblem problem = product_of(DataType::kFloat32, m, n, k);
  problem.math_mode = MathMode::kFp32Tensor;
  SelectOptions options = options_for(device, false);
  options.workspace_bytes = workspace_mib << 20;
  options.forced = forced;
  return select(problem, device, kernel_table(), options).entry;
}

}  // namespace

TEST_CASE("the rate through mma is the chip's, or else the row's own", "[dispatch][tensor_mma]") {
  KernelEntry row;
  row.name = "tensor_mma_f32_128x128x32_s3";
  row.flops_per_clock_sm = 100.0;
  const auto rate = [&](int compute_capability) {
    return calibration_of(row, fake_device(compute_capability, 100)).flops_per_clock_sm;
  };
  constexpr double kFp32 = 256.0;  // FLOP an SM and clock without tensor cores, at most
  for (const int strong : {80, 87, 100}) CHECK(rate(strong) > kFp32);
  for (const int half : {86, 89, 120}) CHECK(rate(half) == 100.0);
  CHECK(rate(90) < 0.5 * kFp32);
  row.name = "another row";
  CHECK(rate(80) == 100.0);
}

TEST_CASE("FP32_TENSOR is planned through mma where tensor cores outdo FP32", "[dispatch][tensor_mma]") {
  if (mma_row() == nullptr) return;
  for (const DeviceInfo& device : {kA100, kB200}) {
    INFO(device.compute_capability);
    for (const std::int64_t size : {1024, 4096, 8192}) CHECK(is_mma(chosen(device, size, size, size)));
    CHECK(is_mma(chosen(device, 4096, 4096, 4096, 32)));
    CHECK_FALSE(is_tensor(chosen(device, 4096, 4096, 255)));
    CHECK_FALSE(is_tensor(chosen(device, 128, 128, 256)));
    CHECK_FALSE(is_tensor(chosen(device, 100000, 1, 1024)));
  }
}

TEST_CASE("FP32_TENSOR is plain FP32 where tensor cores may have half their rate, unless forced",
          "[dispatch][tensor_mma]") {
  if (mma_row() == nullptr) return;
  for (const DeviceInfo& device : {kRtx3090, kRtx4090}) {
    INFO(device.compute_capability);
    for (const std::int64_t size : {512, 2048, 8192}) {
      const KernelEntry* entry = chosen(device, size, size, size);
      REQUIRE(entry != nullptr);
      CHECK_FALSE(is_tensor(entry));
      CHECK(chosen(device, size, size, size, 1024, mma_row()) == mma_row());
    }
  }
}

TEST_CASE("on Hopper, which has wgmma, nothing is planned through mma, unless forced", "[dispatch][tensor_mma]") {
  if (mma_row() == nullptr) return;
  CHECK(chosen(kH200, 2048, 2048, 2048, 1024, mma_row()) == mma_row());
  constexpr std::int64_t kSizes[] = {1, 16, 100, 128, 200, 512, 1000, 2048, 5000, 8192, 30000, 100000, 1000000};
  for (const std::int64_t m : kSizes) {
    for (const std::int64_t n : kSizes) {
      for (const std::int64_t k : {256, 300, 1024, 4096, 20000}) {
        for (const std::size_t workspace_mib : {8, 32, 256, 4096}) {
          INFO(m << " x " << n << " x " << k << " in " << workspace_mib << " MiB");
          REQUIRE_FALSE(is_mma(chosen(kH200, m, n, k, workspace_mib)));
        }
      }
    }
  }
}
