// Choosing a kernel: goldens on fake devices, and what holds for every choice, with fake rows and with the real table.
#include "src/dispatch/select.h"

#include <random>

#include "src/dispatch/cost_model.h"
#include "src/dispatch/filter.h"
#include "tests/dispatch/fake_table.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

std::string chosen(const GemmProblem& problem, int compute_capability, int sm_count, bool fallback = true) {
  const DeviceInfo device = fake_device(compute_capability, sm_count);
  const Plan plan = select(problem, device, fake_available(), options_for(device, fallback));
  if (plan.entry != nullptr) return plan.entry->name;
  return plan.refused ? "refused" : "cublas";
}

GemmProblem random_problem(std::mt19937& random) {
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const auto size = [&] { return pick(1, std::int64_t{1} << pick(0, 15)); };
  const DataType type = pick(0, 1) == 0 ? DataType::kFloat32 : DataType::kFloat16;
  GemmProblem problem = product_of(type, size(), size(), pick(0, 9) == 0 ? 0 : size());
  problem.op_a = pick(0, 1) == 0 ? Op::kN : Op::kT;
  problem.op_b = pick(0, 1) == 0 ? Op::kN : Op::kT;
  problem.math_mode = static_cast<MathMode>(pick(0, 3));
  problem.activation = static_cast<Activation>(pick(0, 2));
  problem.beta.value = static_cast<float>(pick(0, 1));
  problem.batch_count = pick(0, 3) == 0 ? size() : 1;
  if (pick(0, 5) == 0) problem.alpha.device = &problem;
  return problem;
}

// What every plan owes, whatever the table.
void check_plan(const Plan& plan, const GemmProblem& problem, const DeviceInfo& device, const SelectOptions& options) {
  REQUIRE_FALSE(plan.reason.empty());
  if (plan.entry != nullptr) {
    REQUIRE_FALSE(plan.refused);
    REQUIRE(refusal(problem, *plan.entry, device).empty());
    REQUIRE(plan.entry->type_ab == problem.type_ab);
    REQUIRE(device.compute_capability >= plan.entry->min_compute_capability);
    REQUIRE(plan.entry->supports(problem));
    if (needs_sequential(problem)) {
      REQUIRE(plan.entry->sequential);
      REQUIRE(plan.splits == 1);  // parts of k would be chains of their own
    }
    REQUIRE(plan.predicted_us > 0.0);
  } else if (!plan.refused) {
    REQUIRE(options.fallback_available);
    REQUIRE(problem.alpha.device == nullptr);
    REQUIRE_FALSE(needs_sequential(problem));
  }
}

void check_random_plans(const std::vector<const KernelEntry*>& table) {
  std::mt19937 random(20240911);
  for (int i = 0; i < 3000; ++i) {
    const int capability = kFakeCapabilities[i % std::size(kFakeCapabilities)];
    const DeviceInfo device = fake_device(capability, 1 + i % 200);
    const GemmProblem problem = random_problem(random);
    const SelectOptions options = options_for(device, i % 3 != 0);
    const Plan plan = select(problem, device, table, options);
    check_plan(plan, problem, device, options);
    for (const KernelEntry* entry : table) {
      if (plan.entry == nullptr || !refusal(problem, *entry, device, options.workspace_bytes).empty()) continue;
      const LaunchResources resources{device.sm_count, options.workspace_bytes, options.flag_count};
      REQUIRE(plan.predicted_us <= best_estimate(problem, *entry, device, resources).total_us);
    }
    const Plan again = select(problem, device, table, options);
    REQUIRE(again.entry == plan.entry);
    REQUIRE(again.reason == plan.reason);
  }
}

}  // namespace

TEST_CASE("goldens on an H200's 132 SMs", "[dispatch][select]") {
  struct Row {
    DataType type;
    std::int64_t m, n, k;
    const char* kernel;
  };
  const DataType f32 = DataType::kFloat32, f16 = DataType::kFloat16;
  // k is odd where the choosy row, faster on paper, is to stay out.
  const Row rows[] = {
      {f32, 8192, 8192, 8192, "f32_choosy"},  {f32, 8192, 8192, 8191, "f32_256x128"},
      {f32, 1024, 1024, 1023, "f32_64x64"},   {f32, 256, 256, 255, "f32_32x32"},
      {f32, 64, 64, 4095, "f32_32x32"},       {f16, 8192, 8192, 8192, "f16_256x128"},
      {f16, 1024, 1024, 1024, "f16_64x64"},   {f16, 256, 256, 256, "f16_64x64"},
  };
  for (const Row& row : rows) {
    INFO(row.m << " " << row.n << " " << row.k);
    CHECK(chosen(product_of(row.type, row.m, row.n, row.k), 90, 132) == row.kernel);
  }
}

TEST_CASE("goldens by device", "[dispatch][select]") {
  const GemmProblem sgemm = product_of(DataType::kFloat32, 4096, 4096, 4095);
  const GemmProblem hgemm = product_of(DataType::kFloat16, 8192, 8192, 8192);
  struct Row {
    int capability;
    const char* sgemm;
    const char* hgemm;
  };
  // 4096 x 4096 on 80 SMs: the busiest has 13 tiles of 128x128, or 7 of 256x128, which is one more of the small ones.
  // 8.x and 12.0 have no room for the 147456 bytes of the largest FP16 tile; 7.5 has no FP16 row here.
  const Row rows[] = {
      {75, "f32_128x128_sm75", "cublas"},    {80, "f32_128x128", "f16_128x128"},  {86, "f32_128x128", "f16_128x128"},
      {89, "f32_128x128", "f16_128x128"},    {90, "f32_128x128", "f16_256x128"},  {100, "f32_128x128", "f16_256x128"},
      {120, "f32_128x128", "f16_128x128"},
  };
  for (const Row& row : rows) {
    INFO(row.capability);
    CHECK(chosen(sgemm, row.capability, 80) == row.sgemm);
    CHECK(chosen(hgemm, row.capability, 80) == row.hgemm);
  }
}

TEST_CASE("a small product takes a tile that spreads over the SMs", "[dispatch][select]") {
  const GemmProblem problem = product_of(DataType::kFloat32, 1024, 1024, 1024);
  const DeviceInfo device = fake_device(90, 132);
  const Plan plan = select(problem, device, fake_available(), options_for(device));
  REQUIRE(plan.entry != nullptr);
  const int tiles = (1024 / plan.entry->tile.m) * (1024 / plan.entry->tile.n);
  CHECK(tiles >= 128);
  CHECK(chosen(problem, 90, 4) != chosen(problem, 90, 132));
}

TEST_CASE("every plan on fake rows may run and is the fastest that may", "[dispatch][select]") {
  check_random_plans(fake_available());
}

TEST_CASE("every plan on the built table may run and is the fastest that may", "[dispatch][select]") {
  check_random_plans(kernel_table());
}

TEST_CASE("an empty table leaves everything to cuBLAS, or says that there is none", "[dispatch][select]") {
  const DeviceInfo device = fake_device(90, 132);
  const GemmProblem problem = product_of(DataType::kFloat32, 10, 10, 10);
  const Plan fallback = select(problem, device, {}, options_for(device, true));
  CHECK(fallback.entry == nullptr);
  CHECK_FALSE(fallback.refused);
  const Plan nothing = select(problem, device, {}, options_for(device, false));
  CHECK(nothing.refused);
  CHECK_THAT(nothing.reason, ContainsSubstring("FASTGEMM_CUBLAS"));
  GemmProblem on_device = problem;
  on_device.beta.device = &problem;
  const Plan scalars = select(on_device, device, {}, options_for(device, true));
  CHECK(scalars.refused);
  CHECK_THAT(scalars.reason, ContainsSubstring("scalars in device memory"));
}

TEST_CASE("the sequential mode takes sequential rows or nothing", "[dispatch][select]") {
  GemmProblem problem = product_of(DataType::kFloat32, 8192, 8192, 8192);
  CHECK(chosen(problem, 90, 132) == "f32_choosy");
  problem.math_mode = MathMode::kFp32Sequential;
  CHECK(chosen(problem, 90, 132) == "f32_256x128");
  const KernelEntry* only[] = {&fake_row("f32_split")};
  const DeviceInfo device = fake_device(90, 132);
  const Plan plan = select(problem, device, only, options_for(device));
  CHECK(plan.refused);
  CHECK_THAT(plan.reason, ContainsSubstring("ascending k"));
  CHECK(chosen(product_of(DataType::kFloat16, 8192, 8192, 8192), 90, 132) == "f16_256x128");
}

TEST_CASE("TF32 is cuBLAS's where it can be", "[dispatch][select]") {
  GemmProblem problem = product_of(DataType::kFloat32, 1024, 1024, 1023);
  problem.math_mode = MathMode::kTf32;
  CHECK(chosen(problem, 90, 132) == "cublas");
  CHECK(chosen(problem, 90, 132, false) == "f32_64x64");
  problem.alpha.device = &problem;
  CHECK(chosen(problem, 90, 132) == "f32_64x64");
  problem.alpha.device = nullptr;
  const void* const* addresses = reinterpret_cast<const void* const*>(&problem);
  problem.b.pointers = addresses;  // which cuBLAS would trust to be aligned
  CHECK(chosen(problem, 90, 132) == "f32_64x64");
  problem.b.pointers = nullptr;
  problem.k = 0;
  CHECK(chosen(problem, 90, 132) != "cublas");
  GemmProblem half = product_of(DataType::kFloat16, 8192, 8192, 8192);
  half.math_mode = MathMode::kTf32;
  CHECK(chosen(half, 90, 132) == "f16_256x128");
}

TEST_CASE("a forced kernel runs, or the reason is told", "[dispatch][select]") {
  const DeviceInfo device = fake_device(90, 132);
  const GemmProblem problem = product_of(DataType::kFloat32, 8192, 8192, 8191);
  SelectOptions options = options_for(device);
  options.forced = &fake_row("f32_32x32");
  const Plan honoured = select(problem, device, fake_available(), options);
  CHECK(honoured.entry == options.forced);
  CHECK_THAT(honoured.reason, ContainsSubstring("forced"));

  struct Row {
    const char* kernel;
    const char* reason;
  };
  const Row rows[] = {{"f16_64x64", "FP16 only"}, {"f32_32x32_sm75", "compute capability 90"}, {"f32_choosy", "shape"}};
  for (const Row& row : rows) {
    options.forced = &fake_row(row.kernel);
    const Plan refused = select(problem, device, fake_available(), options);
    CHECK(refused.entry == nullptr);
    CHECK(refused.refused);
    CHECK_THAT(refused.reason, ContainsSubstring(row.kernel) && ContainsSubstring(row.reason));
  }
  options.forced = &fake_row("f32_32x32");
  CHECK_THAT(select(problem, device, {}, options).reason, ContainsSubstring("no code for this device"));
}

TEST_CASE("a kernel may be forced with a number of parts of k", "[dispatch][select]") {
  KernelEntry row = fake_row("f32_32x32");
  row.max_splits = 16;
  const KernelEntry* table[] = {&row};
  CHECK(find_kernel("f32_32x32", table).entry == &row);
  CHECK(find_kernel("f32_32x32", table).splits == 0);
  CHECK(find_kernel("f32_32x32/12", table).splits == 12);
  for (const char* name : {"f32_32x32/", "f32_32x32/0", "f32_32x32/-1", "f32_32x32/2x", "f32_32x32/ 2", "f32_32", ""}) {
    CHECK(find_kernel(name, table).entry == nullptr);
  }
  const DeviceInfo device = fake_device(90, 132);
  const GemmProblem problem = product_of(DataType::kFloat32, 64, 64, 65536);
  SelectOptions options = options_for(device);
  options.forced = &row;
  CHECK(select(problem, device, table, options).splits > 8);
  options.forced_splits = 5;
  const Plan plan = select(problem, device, table, options);
  CHECK(plan.splits == 5);
  CHECK(plan_name(plan) == "f32_32x32/5");
  CHECK(plan.workspace_bytes == std::size_t{4} * 5 * 32 * 32 * 4);
  CHECK_THAT(plan.reason, ContainsSubstring("k in 5 parts"));
  options.workspace_bytes = plan.workspace_bytes - 1;
  CHECK(plan_name(select(problem, device, table, options)) == "none");
  options.forced_splits = 1;
  CHECK(plan_name(select(problem, device, table, options)) == "f32_32x32");
}

TEST_CASE("cuBLAS is chosen where it is faster and measured, and never else", "[dispatch][select]") {
  const GemmProblem problem = product_of(DataType::kFloat32, 4096, 4096, 4096);
  KernelEntry slow = fake_row("f32_128x128");
  slow.flops_per_clock_sm = 50.0;
  const KernelEntry* table[] = {&slow};
  const auto chosen_of = [&](const GemmProblem& of, int capability, bool fallback) {
    const DeviceInfo device = fake_device(capability, 132);
    SelectOptions options = options_for(device, fallback);
    options.fallback_for_speed = true;
    return plan_name(select(of, device, table, options));
  };
  CHECK(chosen_of(problem, 90, true) == "cublas");
  CHECK(chosen_of(problem, 90, false) == "f32_128x128");
  CHECK(chosen_of(problem, 80, true) == "f32_128x128");
  GemmProblem sequential = problem;
  sequential.math_mode = MathMode::kFp32Sequential;
  CHECK(chosen_of(sequential, 90, true) == "f32_128x128");
  GemmProblem on_device = problem;
  on_device.alpha.device = &on_device;
  CHECK(chosen_of(on_device, 90, true) == "f32_128x128");
  const void* const addresses[] = {nullptr};
  GemmProblem in_arrays = problem;
  in_arrays.a.pointers = addresses;  // aligned or not: nobody knows
  CHECK(chosen_of(in_arrays, 90, true) == "f32_128x128");
  GemmProblem with_bias = problem;
  with_bias.bias = &with_bias;
  CHECK(chosen_of(with_bias, 90, true) == "f32_128x128");
  GemmProblem apart = problem;
  apart.beta.value = 1.0f;
  CHECK(chosen_of(apart, 90, true) == "cublas");
  apart.c.data = &apart;
  CHECK(chosen_of(apart, 90, true) == "f32_128x128");
  slow.flops_per_clock_sm = 250.0;
  CHECK(chosen_of(problem, 90, true) == "f32_128x128");
}

TEST_CASE("a product is cuBLAS's unless a kernel is predicted to win by more than the margin", "[dispatch][select]") {
  const GemmProblem problem = product_of(DataType::kFloat32, 4096, 4096, 4096);
  const DeviceInfo device = fake_device(90, 132);
  SelectOptions options = options_for(device);
  options.fallback_for_speed = true;
  KernelEntry row = fake_row("f32_128x128");
  const KernelEntry* table[] = {&row};
  const double cublas = cublas_us(problem, device, options);
  const auto ours = [&] {
    SelectOptions alone = options;
    alone.fallback_available = false;
    return select(problem, device, table, alone).predicted_us;
  };
  const auto chosen_at = [&](double ratio) {  // of our time to cuBLAS's
    double slow = 1.0, fast = 1000.0;
    for (int step = 0; step < 60; ++step) {
      row.flops_per_clock_sm = 0.5 * (slow + fast);
      (ours() > ratio * cublas ? slow : fast) = row.flops_per_clock_sm;
    }
    REQUIRE(ours() == Approx(ratio * cublas).epsilon(1e-3));
    return plan_name(select(problem, device, table, options));
  };
  CHECK(chosen_at(0.90) == row.name);
  CHECK(chosen_at(0.96) == row.name);
  CHECK(chosen_at(0.99) == "cublas");
  CHECK(chosen_at(1.06) == "cublas");
}

TEST_CASE("rows for FP32_TENSOR serve that mode alone", "[dispatch][select]") {
  KernelEntry tensor = fake_row("f32_128x128");
  tensor.fp32_tensor = true;
  tensor.sequential = false;
  tensor.flops_per_clock_sm = 1000.0;
  const KernelEntry* table[] = {&fake_row("f32_128x128"), &tensor};
  const DeviceInfo device = fake_device(90, 132);
  GemmProblem problem = product_of(DataType::kFloat32, 4096, 4096, 4096);
  for (const MathMode mode : {MathMode::kDefault, MathMode::kFp32Sequential, MathMode::kFp32Tensor, MathMode::kTf32}) {
    problem.math_mode = mode;
    const SelectOptions options = options_for(device, false);
    CHECK((select(problem, device, table, options).entry == &tensor) == (mode == MathMode::kFp32Tensor));
  }
}

TEST_CASE("forcing cuBLAS leaves it the product, or tells why not", "[dispatch][select]") {
  const DeviceInfo device = fake_device(90, 132);
  SelectOptions options = options_for(device);
  options.force_fallback = true;
  GemmProblem problem = product_of(DataType::kFloat32, 64, 64, 64);
  const Plan plan = select(problem, device, fake_available(), options);
  CHECK(plan.entry == nullptr);
  CHECK_FALSE(plan.refused);
  problem.alpha.device = &problem;
  CHECK(select(problem, device, fake_available(), options).refused);
  problem.alpha.device = nullptr;
  options.fallback_available = false;
  CHECK(select(problem, device, fake_available(), options).refused);
}

TEST_CASE("of equally fast rows the first in the table is taken", "[dispatch][select]") {
  KernelEntry twin = fake_row("f32_128x128");
  const KernelEntry* table[] = {&fake_row("f32_128x128"), &twin};
  const KernelEntry* turned[] = {&twin, &fake_row("f32_128x128")};
  const DeviceInfo device = fake_device(90, 132);
  const GemmProblem problem = product_of(DataType::kFloat32, 512, 512, 512);
  CHECK(select(problem, device, table, options_for(device)).entry == table[0]);
  CHECK(select(problem, device, turned, options_for(device)).entry == turned[0]);
}
