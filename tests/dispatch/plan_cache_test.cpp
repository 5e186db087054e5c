// The cache of plans: the same answers as select(), and no answer given to another problem.
#include "src/dispatch/plan_cache.h"

#include <thread>

#include "tests/dispatch/fake_table.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

TEST_CASE("a problem seen before is not selected again", "[dispatch][cache]") {
  PlanCache cache;
  const DeviceInfo device = fake_device(90, 132);
  const auto table = fake_available();
  const GemmProblem problem = product_of(DataType::kFloat32, 1024, 512, 64);
  const auto first = cache.find_or_select(problem, device, table, options_for(device));
  CHECK(first->entry == select(problem, device, table, options_for(device)).entry);
  GemmProblem moved = problem;
  moved.a.data = static_cast<const char*>(problem.a.data) + 4096;
  moved.alpha.value = 3.0f;
  CHECK(cache.find_or_select(moved, device, table, options_for(device)) == first);
  CHECK(cache.size() == 1);
}

TEST_CASE("whatever selection may look at makes another entry", "[dispatch][cache]") {
  PlanCache cache;
  const DeviceInfo device = fake_device(90, 132);
  const auto table = fake_available();
  const GemmProblem base = product_of(DataType::kFloat32, 1024, 512, 64);
  using Change = void (*)(GemmProblem&);
  const Change changes[] = {
      [](GemmProblem&) {},
      [](GemmProblem& p) { p.type_ab = DataType::kFloat16; },
      [](GemmProblem& p) { p.type_cd = DataType::kFloat16; },
      [](GemmProblem& p) { p.op_a = Op::kT; },
      [](GemmProblem& p) { p.op_b = Op::kT; },
      [](GemmProblem& p) { p.math_mode = MathMode::kFp32Sequential; },
      [](GemmProblem& p) { p.math_mode = MathMode::kTf32; },
      [](GemmProblem& p) { p.activation = Activation::kRelu; },
      [](GemmProblem& p) { ++p.m; },
      [](GemmProblem& p) { ++p.n; },
      [](GemmProblem& p) { ++p.k; },
      [](GemmProblem& p) { ++p.batch_count; },
      [](GemmProblem& p) { p.alpha.device = &p; },
      [](GemmProblem& p) { p.beta.device = &p; },
      [](GemmProblem& p) { p.beta.value = 1.0f; },
      [](GemmProblem& p) { p.a.data = static_cast<const char*>(p.a.data) + 4; },
      [](GemmProblem& p) { p.b.data = static_cast<const char*>(p.b.data) + 4; },
      [](GemmProblem& p) { p.c.data = static_cast<const char*>(p.c.data) + 8; },
      [](GemmProblem& p) { p.d.data = static_cast<char*>(p.d.data) + 4; },
      [](GemmProblem& p) { p.a.ld += 4; },
      [](GemmProblem& p) { p.b.ld += 4; },
      [](GemmProblem& p) { p.c.ld += 4; },
      [](GemmProblem& p) { p.d.ld += 4; },
      [](GemmProblem& p) { p.a.batch_stride = 4; },
      [](GemmProblem& p) { p.b.batch_stride = 4; },
      [](GemmProblem& p) { p.c.batch_stride = 4; },
      [](GemmProblem& p) { p.d.batch_stride = 4; },
      [](GemmProblem& p) { p.bias = &p; },
      [](GemmProblem& p) { p.bias_stride = 4; },
      [](GemmProblem& p) { p.a.pointers = &p.a.data; },
      [](GemmProblem& p) { p.d.pointers = &p.d.data; },
  };
  for (const Change change : changes) {
    GemmProblem problem = base;
    change(problem);
    cache.find_or_select(problem, device, table, options_for(device));
  }
  CHECK(cache.size() == std::size(changes));

  SelectOptions options = options_for(device);
  const std::size_t before = cache.size();
  options.sm_count = 66;
  cache.find_or_select(base, device, table, options);
  options.fallback_available = false;
  cache.find_or_select(base, device, table, options);
  options.workspace_bytes = 0;
  cache.find_or_select(base, device, table, options);
  options.flag_count = 0;
  cache.find_or_select(base, device, table, options);
  options.forced = table[4];
  CHECK(cache.find_or_select(base, device, table, options)->entry == table[4]);
  options.forced_splits = 1;
  cache.find_or_select(base, device, table, options);
  options.force_fallback = true;
  cache.find_or_select(base, device, table, options);
  CHECK(cache.size() == before + 7);
}

TEST_CASE("features of a problem do not run into each other", "[dispatch][cache]") {
  const DeviceInfo device = fake_device(90, 132);
  const std::vector<const KernelEntry*> table;
  const GemmProblem base = product_of(DataType::kFloat32, 1024, 512, 64);
  PlanCache modes;
  std::size_t count = 0;
  for (int bits = 0; bits < 256; ++bits) {
    GemmProblem problem = base;
    problem.type_ab = bits & 1 ? DataType::kFloat16 : DataType::kFloat32;
    problem.type_cd = bits & 2 ? DataType::kFloat16 : DataType::kFloat32;
    problem.op_a = bits & 4 ? Op::kT : Op::kN;
    problem.op_b = bits & 8 ? Op::kT : Op::kN;
    problem.math_mode = static_cast<MathMode>(bits / 16 % 4);
    problem.activation = static_cast<Activation>(bits / 64);
    if (bits / 64 > static_cast<int>(Activation::kGelu)) break;
    modes.find_or_select(problem, device, table, options_for(device));
    ++count;
  }
  CHECK(modes.size() == count);

  PlanCache places;
  const auto moved = [](auto* address, int by) { return reinterpret_cast<decltype(address)>(std::uintptr_t(address) + by); };
  for (int digits = 0; digits < 729; ++digits) {  // of base 3
    GemmProblem problem = base;
    const int alpha = digits % 3, beta = digits / 3 % 3, a = digits / 9 % 3, b = digits / 27 % 3, c = digits / 81 % 3;
    problem.alpha = {.value = alpha == 0 ? 0.0f : 1.0f, .device = alpha == 2 ? &problem : nullptr};
    problem.beta = {.value = beta == 0 ? 0.0f : 1.0f, .device = beta == 2 ? &problem : nullptr};
    problem.a.data = moved(problem.a.data, 4 * a);  // at multiples of 16, 4 and 8 bytes
    problem.b.data = moved(problem.b.data, 4 * b);
    problem.c.data = moved(problem.c.data, 4 * c);
    problem.d.data = moved(problem.d.data, 4 * (digits / 243));
    places.find_or_select(problem, device, table, options_for(device));
  }
  CHECK(places.size() == 729);
}

TEST_CASE("the cache does not grow without end, and old plans stay valid", "[dispatch][cache]") {
  PlanCache cache;
  const DeviceInfo device = fake_device(90, 132);
  const auto table = fake_available();
  const auto kept =
      cache.find_or_select(product_of(DataType::kFloat32, 1, 1, 1), device, table, options_for(device));
  for (int i = 1; i <= 10000; ++i) {
    cache.find_or_select(product_of(DataType::kFloat32, i, 7, 7), device, table, options_for(device));
  }
  CHECK(cache.size() <= 4096);
  CHECK(kept->entry != nullptr);
}

TEST_CASE("threads share a cache", "[dispatch][cache]") {
  PlanCache cache;
  const DeviceInfo device = fake_device(90, 132);
  const auto table = fake_available();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 1; i <= 200; ++i) {
        const GemmProblem problem = product_of(DataType::kFloat32, i * 17 % 1000 + 1, i * 31 % 1000 + 1, 64);
        const auto plan = cache.find_or_select(problem, device, table, options_for(device));
        wrong[t] += plan->entry != select(problem, device, table, options_for(device)).entry;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4));
}
