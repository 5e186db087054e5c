// The cost model: figures worked by hand, and what must hold for any row and any problem.
#include "src/dispatch/cost_model.h"

#include <cmath>
#include <string>
#include <string_view>

#include "src/dispatch/calibration.h"
#include "src/dispatch/cublas_model.h"
#include "src/dispatch/select.h"
#include "tests/dispatch/fake_table.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

// One kernel on a device on which a tile of 64x64x8 takes exactly one microsecond a k step.
KernelEntry plain_row(int blocks_per_sm) {
  KernelEntry row;
  row.name = "plain";
  row.tile = {64, 64, 8};
  row.blocks_per_sm = blocks_per_sm;
  row.flops_per_clock_sm = 2.0 * 64 * 64 * 8 / 1000.0;  // at 1 GHz
  return row;
}

DeviceInfo plain_device(int sm_count) {
  DeviceInfo device = fake_device(80, sm_count);
  device.clock_ghz = 1.0;
  device.memory_gbps = 1e9;
  return device;
}

double compute_us(std::int64_t m, std::int64_t n, std::int64_t k, int sm_count, int blocks_per_sm) {
  return estimate(product_of(DataType::kFloat32, m, n, k), plain_row(blocks_per_sm), plain_device(sm_count), {sm_count})
      .compute_us;
}

// With leading dimensions that stay aligned whatever the sizes.
GemmProblem padded(DataType type, std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem problem = product_of(type, m, n, k);
  problem.a.ld = problem.b.ld = problem.c.ld = problem.d.ld = 8192;
  return problem;
}

}  // namespace

TEST_CASE("one tile costs its k steps, its store and one fill", "[dispatch][cost]") {
  const double store_and_fill = compute_us(64, 64, 0, 10, 1);
  CHECK(store_and_fill > 0.0);
  CHECK(store_and_fill < 2.0);
  CHECK(compute_us(64, 64, 8, 10, 1) == Approx(store_and_fill + 1.0));
  CHECK(compute_us(64, 64, 800, 10, 1) == Approx(store_and_fill + 100.0));
}

TEST_CASE("a tile, a k step and a wave count whole", "[dispatch][cost]") {
  CHECK(compute_us(1, 1, 1, 10, 1) == compute_us(64, 64, 8, 10, 1));
  CHECK(compute_us(64, 64, 9, 10, 1) == compute_us(64, 64, 16, 10, 1));
  CHECK(compute_us(64, 64, 800, 10, 1) == compute_us(640, 64, 800, 10, 1));
  CHECK(compute_us(641, 64, 800, 10, 1) == Approx(2.0 * compute_us(640, 64, 800, 10, 1)));
  CHECK(compute_us(641, 64, 800, 10, 1) == compute_us(1280, 64, 800, 10, 1));
}

TEST_CASE("a chained row has no last wave, given its workspace", "[dispatch][cost]") {
  const auto cost = [](std::int64_t tiles, int sm_count, std::size_t workspace, bool chained = true) {
    KernelEntry row = plain_row(1);
    row.chained = chained;
    return estimate(product_of(DataType::kFloat32, 64 * tiles, 64, 8000), row, plain_device(sm_count),
                    {sm_count, workspace});
  };
  const double tile_us = cost(20, 10, SIZE_MAX).compute_us - cost(10, 10, SIZE_MAX).compute_us;
  CHECK(tile_us > 1000.0);
  const double eleven = cost(11, 10, SIZE_MAX).compute_us;
  CHECK(eleven > cost(10, 10, SIZE_MAX).compute_us + 0.1 * tile_us);
  CHECK(eleven < cost(10, 10, SIZE_MAX).compute_us + 0.1 * tile_us + 2.0);  // handing accumulators on is not free
  const std::size_t enough = std::size_t{10} * 64 * 64 * 4;
  CHECK(cost(11, 10, enough).compute_us == eleven);
  CHECK(cost(11, 10, enough - 1).compute_us > 2.0 * tile_us);
  CHECK(cost(11, 10, SIZE_MAX, false).compute_us > 2.0 * tile_us);
  CHECK(cost(3, 10, SIZE_MAX).compute_us == cost(10, 10, SIZE_MAX).compute_us);  // fewer tiles than SMs: one each
}

TEST_CASE("a chained row wants a parked tile an SM where tiles do not come out even", "[dispatch][cost]") {
  KernelEntry row = plain_row(1);
  const auto bytes = [&](std::int64_t tiles) {
    return kernel_workspace_bytes(product_of(DataType::kFloat32, 64 * tiles, 64, 80), row, 10);
  };
  CHECK(bytes(11) == 0);
  row.chained = true;
  CHECK(bytes(11) == std::size_t{10} * 64 * 64 * 4);
  CHECK(bytes(20) == 0);
  CHECK(bytes(7) == 0);
}

TEST_CASE("parts of k share the steps among more SMs, for the price of their sum", "[dispatch][cost]") {
  KernelEntry row = plain_row(1);
  row.max_splits = 8;
  const DeviceInfo device = plain_device(10);
  const GemmProblem problem = product_of(DataType::kFloat32, 64, 64, 8000);
  const double whole = estimate(problem, row, device, {10}).compute_us;
  const CostEstimate four = estimate(problem, row, device, {10}, 4);
  CHECK(four.waves == Approx(0.4));
  CHECK(four.compute_us > whole / 4.0);
  CHECK(four.compute_us < whole / 4.0 + 10.0);
  CHECK(best_estimate(problem, row, device, {10}).splits > 4);
  // Where tiles fill the SMs anyway, parts would only add their sum.
  CHECK(best_estimate(product_of(DataType::kFloat32, 640, 64, 8000), row, device, {10}).splits == 1);
  // A short k is not worth a sum.
  CHECK(best_estimate(product_of(DataType::kFloat32, 64, 64, 8), row, device, {10}).splits == 1);
}

TEST_CASE("k is cut only where row, mode, steps, workspace and flags allow it", "[dispatch][cost]") {
  KernelEntry row = plain_row(1);
  row.max_splits = 8;
  GemmProblem problem = product_of(DataType::kFloat32, 128, 64, 8000);  // two tiles
  const auto refused = [&](LaunchResources resources, int splits) {
    const char* why = split_refusal(problem, row, resources, splits);
    return std::string(why != nullptr ? why : "");
  };
  const std::size_t parts = std::size_t{2} * 8 * 64 * 64 * 4;
  CHECK(kernel_workspace_bytes(problem, row, 10, 8) == parts);
  CHECK(refused({10, parts, 2}, 8).empty());
  CHECK_THAT(refused({10, parts, 2}, 9), ContainsSubstring("so many parts"));
  CHECK_THAT(refused({10, parts - 1, 2}, 8), ContainsSubstring("workspace"));
  CHECK_THAT(refused({10, parts, 1}, 8), ContainsSubstring("flags"));
  CHECK(refused({10, 0, 0}, 1).empty());
  problem.math_mode = MathMode::kFp32Sequential;
  CHECK_THAT(refused({10}, 2), ContainsSubstring("ascending k"));
  CHECK(best_estimate(problem, row, plain_device(10), {10}).splits == 1);
  problem.math_mode = MathMode::kDefault;
  problem.k = 9;  // two steps
  CHECK(refused({10}, 2).empty());
  CHECK_THAT(refused({10}, 3), ContainsSubstring("steps"));
}

TEST_CASE("a pass over the operands counts, and more often in panels", "[dispatch][cost]") {
  KernelEntry row = plain_row(1);
  row.workspace = [](const GemmProblem&) { return WorkspaceNeed{.least = 1000, .fastest = 4'000'000'000}; };
  DeviceInfo device = plain_device(10);
  device.memory_gbps = 1000.0;
  const GemmProblem problem = product_of(DataType::kFloat32, 640, 640, 80);
  const double once = estimate(problem, row, device, {10}).prepass_us;
  CHECK(once > 8000.0);  // 4 GB read and written at 1000 GB/s
  CHECK(once < 10000.0);
  // A quarter of it: four rows and columns of panels, so B is passed over four times, and every panel has launches.
  const CostEstimate panels = estimate(problem, row, device, {10, 1'000'000'000});
  CHECK(panels.prepass_us == Approx(2.5 * once).epsilon(0.02));
  CHECK(panels.compute_us > estimate(problem, row, device, {10}).compute_us);
  KernelEntry chained = row;
  chained.chained = true;  // cuts one operand: nothing is passed over twice
  CHECK(estimate(problem, chained, device, {10, 1'000'000'000}).prepass_us == Approx(once).epsilon(0.01));
  CHECK(kernel_workspace_bytes(problem, row, 10) == 4'000'000'000);
  CHECK(estimate(problem, plain_row(1), device, {10}).prepass_us == 0.0);
}

TEST_CASE("a tensor row short of workspace passes over D for every stretch of k, not over panels", "[dispatch][cost]") {
  KernelEntry row = plain_row(1);
  row.fp32_tensor = true;
  row.workspace = [](const GemmProblem&) { return WorkspaceNeed{.least = 1000, .fastest = 100'000'000}; };
  DeviceInfo device = plain_device(10);
  device.memory_gbps = 1000.0;
  const GemmProblem problem = product_of(DataType::kFloat32, 6400, 6400, 8000);
  const CostEstimate whole = estimate(problem, row, device, {10});
  const CostEstimate four = estimate(problem, row, device, {10, 25'000'000});
  CHECK(four.compute_us == Approx(whole.compute_us));
  const double passes_us = 3 * 2 * 4.0 * 6400 * 6400 / 1e6;  // reads and writes D three times more, at 1000 GB/s
  CHECK(four.prepass_us - whole.prepass_us > passes_us);
  CHECK(four.prepass_us - whole.prepass_us < 1.1 * passes_us + 20.0);
}

TEST_CASE("measured figures stand in for a row's own on the chip they were measured on", "[dispatch][cost]") {
  KernelEntry row = plain_row(1);
  row.name = "hopper_f32_256x128x32_s4";
  row.unaligned_factor = 0.5;
  row.ops_factor = {0.1, 0.2, 0.3, 0.4};
  const Calibration own = calibration_of(row, fake_device(80, 108));
  CHECK(own.flops_per_clock_sm == row.flops_per_clock_sm);
  CHECK(own.unaligned_factor == 0.5);
  CHECK(own.ops_factor == row.ops_factor);
  const Calibration measured = calibration_of(row, fake_device(90, 132));
  CHECK(measured.name == row.name);
  CHECK(measured.flops_per_clock_sm > 200.0);
  CHECK(measured.ops_factor[0] == 1.0);
  row.name = "a row that nobody measured";
  CHECK(calibration_of(row, fake_device(90, 132)).flops_per_clock_sm == row.flops_per_clock_sm);
  for (const KernelEntry* entry : kernel_table()) {
    const bool for_sm75 = std::string_view(entry->name).ends_with("_s2");  // register-staged: two buffers
    if (entry->max_compute_capability < 90 || entry->fp32_tensor || for_sm75) continue;
    INFO(entry->name);
    CHECK(calibration_of(*entry, fake_device(90, 132)).name == entry->name);  // measure a new row, too
  }
}

TEST_CASE("a row may be slower for some operations", "[dispatch][cost]") {
  KernelEntry row = plain_row(1);
  row.ops_factor = {1.0, 0.5, 0.25, 0.125};
  const auto time = [&](Op a, Op b) {
    GemmProblem problem = product_of(DataType::kFloat32, 64, 64, 80000);
    problem.op_a = a;
    problem.op_b = b;
    return estimate(problem, row, plain_device(10), {10}).compute_us;
  };
  const double nn = time(Op::kN, Op::kN);
  CHECK(time(Op::kN, Op::kT) / nn == Approx(2.0).epsilon(0.01));
  CHECK(time(Op::kT, Op::kN) / nn == Approx(4.0).epsilon(0.01));
  CHECK(time(Op::kT, Op::kT) / nn == Approx(8.0).epsilon(0.01));
}

TEST_CASE("a partial set of resident blocks costs between its share and a full set", "[dispatch][cost]") {
  const double full = compute_us(64 * 4, 64, 8000, 1, 4);
  CHECK(full == Approx(4.0 * 1000).epsilon(0.01));
  const double half = compute_us(64 * 2, 64, 8000, 1, 4);
  CHECK(half > 0.5 * full);
  CHECK(half < full);
}

TEST_CASE("few resident blocks slow a row by its own figure where that was measured", "[dispatch][cost]") {
  const auto lone_share = [](const char* name) {  // of one block's time in that of two, on one SM that holds two
    KernelEntry row = plain_row(2);
    row.name = name;
    const auto time = [&](std::int64_t tiles) {
      DeviceInfo device = fake_device(90, 1);
      device.memory_gbps = 1e9;
      return estimate(product_of(DataType::kFloat32, 64 * tiles, 64, 80000), row, device, {1}).compute_us;
    };
    return time(1) / time(2);
  };
  CHECK(lone_share("plain") == Approx(std::sqrt(0.5)).epsilon(0.01));
  CHECK(lone_share("sliced_f32_64x64x32_s6") < 0.6);
  CHECK(lone_share("sliced_f32_64x64x32_s6") > 0.5);
}

TEST_CASE("a chained row works on the steps of k that are there", "[dispatch][cost]") {
  KernelEntry row = plain_row(1);
  const auto time = [&](std::int64_t k) {
    return estimate(product_of(DataType::kFloat32, 64, 64, k), row, plain_device(10), {10}).compute_us;
  };
  CHECK(time(4) == time(8));
  row.chained = true;
  CHECK(time(8) - time(4) == Approx(0.5));
}

TEST_CASE("odd columns of D slow the stores of rows that say so", "[dispatch][cost]") {
  const auto time = [](const char* name, std::int64_t ldd) {
    KernelEntry row = plain_row(1);
    row.name = name;
    row.type_ab = DataType::kFloat16;
    GemmProblem problem = padded(DataType::kFloat16, 64, 64, 64);
    problem.d.ld = ldd;
    return estimate(problem, row, fake_device(90, 132), {132}).compute_us;
  };
  CHECK(time("plain", 8191) == time("plain", 8192));
  CHECK(time("wgmma_f16_192x128x64_s5", 8191) > time("wgmma_f16_192x128x64_s5", 8192));
}

TEST_CASE("cuBLAS is slower where bulk copies do not reach D", "[dispatch][cost]") {
  GemmProblem problem = padded(DataType::kFloat16, 512, 512, 512);
  const double aligned = predict_cublas_us(problem, fake_device(90, 132), {132});
  problem.d.ld = 8191;
  CHECK(predict_cublas_us(problem, fake_device(90, 132), {132}) > 1.2 * aligned);
  GemmProblem wide = padded(DataType::kFloat32, 512, 512, 512);  // its FP32 kernels store by elements anyway
  const double single = predict_cublas_us(wide, fake_device(90, 132), {132});
  wide.d.ld = 8191;
  CHECK(predict_cublas_us(wide, fake_device(90, 132), {132}) == single);
}

TEST_CASE("no prediction is under what memory allows", "[dispatch][cost]") {
  DeviceInfo device = fake_device(90, 132);
  device.memory_gbps = 20.0;  // so slow that it binds for every row
  for (const KernelEntry& row : fake_rows()) {
    const GemmProblem problem = product_of(row.type_ab, 8192, 16, 8192);
    const double floor_us = minimal_bytes(problem) / (device.memory_gbps * 1e3);
    CHECK(predict_us(problem, row, device, 132) > floor_us);
  }
  const GemmProblem skinny = product_of(DataType::kFloat32, 4096, 16, 4096);
  CHECK(minimal_bytes(skinny) == 4.0 * (4096.0 * 4096 + 16 * 4096 + 16 * 4096));
}

TEST_CASE("C, bias and batches count as bytes, broadcast operands once", "[dispatch][cost]") {
  GemmProblem problem = product_of(DataType::kFloat16, 10, 20, 30);
  problem.batch_count = 7;
  problem.a.batch_stride = 0;
  problem.b.batch_stride = 600;
  CHECK(minimal_bytes(problem) == 2.0 * (10 * 30 + 7 * 20 * 30 + 7 * 10 * 20));
  problem.beta.value = 1.0f;
  CHECK(minimal_bytes(problem) == 2.0 * (10 * 30 + 7 * 20 * 30 + 2 * 7 * 10 * 20));
  problem.beta = {.device = &problem};
  problem.bias = &problem;
  CHECK(minimal_bytes(problem) == 2.0 * (10 * 30 + 7 * 20 * 30 + 2 * 7 * 10 * 20 + 10));
  problem.bias_stride = 10;
  CHECK(minimal_bytes(problem) == 2.0 * (10 * 30 + 7 * 20 * 30 + 2 * 7 * 10 * 20 + 70));
}

TEST_CASE("operands under the fast alignment slow the k steps by the row's factor", "[dispatch][cost]") {
  const KernelEntry& row = fake_row("f16_128x128");
  const DeviceInfo device = fake_device(90, 132);
  GemmProblem problem = product_of(DataType::kFloat16, 4096, 4096, 65536);
  const CostEstimate aligned = estimate(problem, row, device, {132});
  CHECK(aligned.aligned);
  problem.a.ld = 4097;
  const CostEstimate odd = estimate(problem, row, device, {132});
  CHECK_FALSE(odd.aligned);
  CHECK(odd.compute_us / aligned.compute_us == Approx(4.0).epsilon(0.02));
  problem.a.ld = 4104;
  problem.b.data = static_cast<const char*>(problem.b.data) + 2;
  CHECK_FALSE(estimate(problem, row, device, {132}).aligned);
}

TEST_CASE("more SMs are never predicted slower, and a larger product never faster", "[dispatch][cost]") {
  const std::int64_t sizes[] = {1, 31, 64, 127, 129, 1000, 4097};
  for (const KernelEntry& row : fake_rows()) {
    for (const std::int64_t m : sizes) {
      for (const std::int64_t n : sizes) {
        const GemmProblem problem = product_of(row.type_ab, m, n, 256);
        double before = INFINITY;
        for (int sm_count = 1; sm_count <= 200; ++sm_count) {
          const double now = predict_us(problem, row, fake_device(90, sm_count), sm_count);
          REQUIRE(now <= before);
          before = now;
        }
        const double here = predict_us(padded(row.type_ab, m, n, 256), row, fake_device(90, 50), 50);
        REQUIRE(predict_us(padded(row.type_ab, m + 1, n, 256), row, fake_device(90, 50), 50) >= here);
        REQUIRE(predict_us(padded(row.type_ab, m, n + 1, 256), row, fake_device(90, 50), 50) >= here);
        REQUIRE(predict_us(padded(row.type_ab, m, n, 257), row, fake_device(90, 50), 50) >= here);
      }
    }
  }
}

TEST_CASE("the largest products have finite, positive times", "[dispatch][cost]") {
  constexpr std::int64_t kHuge = (std::int64_t{1} << 31) - 1;
  for (const KernelEntry& row : fake_rows()) {
    GemmProblem problem = product_of(row.type_ab, kHuge, kHuge, kHuge);
    const double one = predict_us(problem, row, fake_device(90, 132), 132);
    // 2 * 2^93 flops at no more than 132 SMs' rate.
    const double least = 2.0 * std::pow(double{kHuge}, 3) / (132 * row.flops_per_clock_sm * 1.98e3);
    CHECK(one >= least);
    CHECK(one < 100 * least);
    problem.batch_count = kHuge;
    const double all = predict_us(problem, row, fake_device(90, 132), 132);
    CHECK(std::isfinite(all));
    CHECK(all / one == Approx(double{kHuge}).epsilon(0.001));
  }
}

TEST_CASE("a device or a row without figures still gets a time", "[dispatch][cost]") {
  DeviceInfo unknown;
  KernelEntry row;
  const double us = predict_us(product_of(DataType::kFloat32, 100, 100, 100), row, unknown, 0);
  CHECK(std::isfinite(us));
  CHECK(us > 0.0);
}

TEST_CASE("rows not measured yet are ranked by their tiles: large ones for large products, small for small",
          "[dispatch][cost]") {
  const DeviceInfo device = fake_device(90, 132);
  std::vector<KernelEntry> rows(fake_rows().begin() + 2, fake_rows().begin() + 7);  // 256x128 to 32x32
  for (KernelEntry& row : rows) row.flops_per_clock_sm = 0.0;
  const auto us = [&](std::size_t row, std::int64_t size) {
    return predict_us(product_of(DataType::kFloat32, size, size, size), rows[row], device, 132);
  };
  for (std::size_t row = 1; row < rows.size(); ++row) {
    CHECK(us(row, 16384) > us(0, 16384));
    CHECK(us(row, 256) < us(0, 256));
  }
}
