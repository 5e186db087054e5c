// The devices together: shares, threads, devices that fail, and what the host is asked for.
#include "src/dropin/engine/engine.h"

#include <thread>

#include "tests/dropin/engine/fake_gpu.h"
#include "tests/dropin/engine/shared_pool.h"
#include "tests/dropin/engine/temporary_folder.h"
#include "tests/dropin/engine/test_product.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;
using namespace fastgemm::dropin::test;

namespace {

// A calibration that is there, so that no test waits for measurements.
std::string stored_calibration() {
  static const TemporaryFolder folder;
  for (const char* gpu : {"fake GPU 0", "fake GPU 1"}) {
    store_calibration(folder.path(), {gpu, 3, "fp32_sequential"},
                      {.in_bytes_per_s = 40e9, .out_bytes_per_s = 40e9, .flops_per_s = 50e12, .latency_s = 30e-6,
                       .copy_threads = 1, .sm_count = 132});
  }
  return folder.path();
}

EngineOptions small_options() {
  return {.device = {.cut = {.panel = 128, .max_panels = 4, .chunk_elements = 6000},
                     .lane = {.slots = 3, .slot_elements = 6000, .compute_streams = 2}},
          .split_flops = 1e5,
          .cpus = 3,
          .cache = stored_calibration(),
          .math = "fp32_sequential"};
}

std::unique_ptr<Engine> start(FakeGpu& gpu, const EngineOptions& options = small_options()) {
  std::string error;
  std::unique_ptr<Engine> engine = Engine::start(gpu, shared_pool(), options, &error);
  CAPTURE(error);
  REQUIRE(engine != nullptr);
  return engine;
}

}  // namespace

TEST_CASE("Engine: a product is shared by two devices", "[engine]") {
  FakeGpu gpu({.devices = 2});
  const auto engine = start(gpu);
  const PlainHost host;
  for (const bool wide : {false, true}) {
    TestProduct product({.transa = 'T', .m = wide ? 300 : 700, .n = wide ? 600 : 200, .k = 30, .beta = 1.0f,
                         .gap_c = 1});
    CHECK(engine->multiply(product.gemm(), host) == OffloadResult::kDone);
    CHECK(product.wrong_element() == "");
  }
  CHECK(host.calls == 0);
  CHECK(gpu.products_on(0) > 0);
  CHECK(gpu.products_on(1) > 0);
  CHECK(gpu.faults() == 0);
}

TEST_CASE("Engine: small products take turns on the devices", "[engine]") {
  FakeGpu gpu({.devices = 2});
  EngineOptions options = small_options();
  options.split_flops = 1e12;
  const auto engine = start(gpu, options);
  const PlainHost host;
  for (int repeat = 0; repeat < 4; ++repeat) {
    TestProduct product({.m = 130, .n = 60, .k = 30});
    CHECK(engine->multiply(product.gemm(), host) == OffloadResult::kDone);
    CHECK(product.wrong_element() == "");
  }
  CHECK(gpu.products_on(0) > 0);
  CHECK(gpu.products_on(1) > 0);
}

TEST_CASE("Engine: bits depend neither on cuts nor on the number of devices", "[engine]") {
  const std::int64_t m = 333, n = 290, k = 65;
  std::vector<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  for (std::size_t index = 0; index < a.size(); ++index) a[index] = 1.0f / static_cast<float>(3 + index % 1009);
  for (std::size_t index = 0; index < b.size(); ++index) b[index] = 1.0f / static_cast<float>(7 + index % 2003);
  std::vector<std::vector<float>> results;
  for (const int devices : {1, 2}) {
    for (const std::int64_t panel : {128, 256, 4096}) {
      FakeGpu gpu({.devices = devices, .free_bytes = panel == 256 ? std::size_t{200'000} : std::size_t{1} << 30});
      EngineOptions options = small_options();
      options.device.cut.panel = panel;
      const auto engine = start(gpu, options);
      std::vector<float>& c = results.emplace_back(static_cast<std::size_t>(m * n), 0.5f);
      const HostGemm gemm = {.m = m, .n = n, .k = k, .alpha = 0.3f, .a = a.data(), .lda = m, .b = b.data(), .ldb = k,
                             .beta = 0.7f, .c = c.data(), .ldc = m};
      CHECK(engine->multiply(gemm, PlainHost()) == OffloadResult::kDone);
    }
  }
  for (const std::vector<float>& result : results) CHECK(result == results.front());
}

TEST_CASE("Engine: a device that fails is given up, and the host finishes", "[engine]") {
  FakeGpu gpu({.devices = 2});
  const auto engine = start(gpu);
  const PlainHost host;
  TestProduct first({.m = 600, .n = 300, .k = 30, .beta = 2.0f}), second({.m = 600, .n = 300, .k = 30, .beta = 2.0f});
  gpu.fail_operation(20);
  CHECK(engine->multiply(first.gemm(), host) == OffloadResult::kRetreated);
  CHECK(first.wrong_element() == "");
  CHECK(engine->usable_devices() == 1);
  CHECK(host.calls > 0);
  const int calls = host.calls;
  CHECK(engine->multiply(second.gemm(), host) == OffloadResult::kDone);
  CHECK(second.wrong_element() == "");
  CHECK(host.calls == calls);
}

TEST_CASE("Engine: without a device left it declines, and nothing is worth it", "[engine]") {
  FakeGpu gpu;
  const auto engine = start(gpu);
  const PlainHost host;
  const HostGemm large = {.m = 8192, .n = 8192, .k = 8192};
  CHECK(engine->worth(large, 1e12));
  TestProduct first({.m = 200, .n = 200, .k = 30}), second({.m = 200, .n = 200, .k = 30});
  gpu.fail_call(1, cudaErrorDevicesUnavailable, true);
  CHECK(engine->multiply(first.gemm(), host) == OffloadResult::kRetreated);
  CHECK(first.wrong_element() == "");
  CHECK(engine->multiply(second.gemm(), host) == OffloadResult::kDeclined);
  CHECK(second.untouched());
  CHECK_FALSE(engine->worth(large, 1e12));
}

TEST_CASE("Engine: lack of device memory is no reason to give a device up", "[engine]") {
  FakeGpu gpu({.free_bytes = 60'000});
  const auto engine = start(gpu);
  const PlainHost host;
  TestProduct product({.m = 300, .n = 300, .k = 300, .beta = 1.0f}), small({.m = 50, .n = 50, .k = 20});
  CHECK(engine->multiply(product.gemm(), host) == OffloadResult::kRetreated);
  CHECK(product.wrong_element() == "");
  CHECK(engine->multiply(small.gemm(), host) == OffloadResult::kDone);
  CHECK(small.wrong_element() == "");
}

TEST_CASE("Engine: a matrix on one device is multiplied there", "[engine]") {
  FakeGpu gpu({.devices = 2});
  const auto engine = start(gpu);
  const PlainHost host;
  TestProduct product({.m = 600, .n = 300, .k = 30});
  gpu.add_memory(product.b().data(), product.b().size() * sizeof(float), {Place::kDevice, 1, false});
  CHECK(engine->multiply(product.gemm(), host) == OffloadResult::kDone);
  CHECK(product.wrong_element() == "");
  CHECK(gpu.products_on(0) == 0);
  CHECK(gpu.faults() == 0);
}

TEST_CASE("Engine: worth it is what is faster by the margin that was asked for", "[engine]") {
  FakeGpu gpu;
  EngineOptions options = small_options();
  const auto by_default = start(gpu, options);
  const HostGemm gemm = {.m = 4096, .n = 4096, .k = 4096};
  const double rate_of_gpu = 2 * volume(gemm) / gpu_seconds(gemm, by_default->calibration());
  CHECK(by_default->worth(gemm, rate_of_gpu / 1.26));
  CHECK_FALSE(by_default->worth(gemm, rate_of_gpu / 1.24));
  CHECK_FALSE(by_default->worth(gemm, 0));  // not known
  options.min_speedup = 4;
  const auto reluctant = start(gpu, options);
  CHECK(reluctant->worth(gemm, rate_of_gpu / 4.1));
  CHECK_FALSE(reluctant->worth(gemm, rate_of_gpu / 3.9));
}

TEST_CASE("Engine: what the host cannot read is known", "[engine]") {
  FakeGpu gpu;
  const auto engine = start(gpu);
  TestProduct product({.m = 60, .n = 30, .k = 30});
  CHECK(engine->host_can_read(product.gemm()));
  gpu.add_memory(product.b().data(), product.b().size() * sizeof(float), {Place::kDevice, -1, true});  // managed
  CHECK(engine->host_can_read(product.gemm()));
  gpu.add_memory(product.a().data(), product.a().size() * sizeof(float), {Place::kDevice, 0, false});
  CHECK_FALSE(engine->host_can_read(product.gemm()));
  gpu.fail_call(1, cudaErrorLaunchFailure, true);
  CHECK(engine->host_can_read(product.gemm()));
}

TEST_CASE("Engine: what needs no product is left to the host", "[engine]") {
  FakeGpu gpu;
  const auto engine = start(gpu);
  const PlainHost host;
  TestProduct no_k({.m = 20, .n = 20, .k = 0, .beta = 2.0f}), no_alpha({.m = 20, .n = 20, .k = 5, .alpha = 0.0f});
  CHECK(engine->multiply(no_k.gemm(), host) == OffloadResult::kDeclined);
  CHECK(engine->multiply(no_alpha.gemm(), host) == OffloadResult::kDeclined);
  CHECK(no_k.untouched());
  CHECK(engine->multiply({.m = 0, .n = 5, .k = 5}, host) == OffloadResult::kDone);
}

TEST_CASE("Engine: several threads at once", "[engine]") {
  FakeGpu gpu({.devices = 2});
  const auto engine = start(gpu);
  std::vector<std::string> wrong(6);
  std::vector<std::thread> threads;
  for (unsigned index = 0; index < wrong.size(); ++index) {
    threads.emplace_back([&, index] {
      const PlainHost host;
      for (unsigned repeat = 0; repeat < 5; ++repeat) {
        TestProduct product({.transb = 'T', .m = 150 + 10 * index, .n = 200, .k = 20, .beta = 1.0f, .seed = repeat});
        if (engine->multiply(product.gemm(), host) != OffloadResult::kDone) wrong[index] = "not done";
        if (wrong[index].empty()) wrong[index] = product.wrong_element();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) CHECK(text == "");
  CHECK(gpu.faults() == 0);
  CHECK(engine->idle());
}

TEST_CASE("Engine: only the devices that are named", "[engine]") {
  FakeGpu gpu({.devices = 2});
  EngineOptions options = small_options();
  options.devices = {7, 1};
  const auto engine = start(gpu, options);
  CHECK(engine->usable_devices() == 1);
  TestProduct product({.m = 300, .n = 300, .k = 30});
  CHECK(engine->multiply(product.gemm(), PlainHost()) == OffloadResult::kDone);
  CHECK(gpu.products_on(0) == 0);
  CHECK(gpu.products_on(1) > 0);
}

TEST_CASE("Engine: no start without a usable device", "[engine]") {
  std::string error;
  FakeGpu none({.devices = 0});
  CHECK(Engine::start(none, shared_pool(), small_options(), &error) == nullptr);
  CHECK(error == "there is no GPU");
  FakeGpu one;
  EngineOptions options = small_options();
  options.devices = {5};
  error.clear();
  CHECK(Engine::start(one, shared_pool(), options, &error) == nullptr);
  CHECK_THAT(error, ContainsSubstring("FASTGEMM_DEVICES"));
  FakeGpu broken;
  broken.fail_call(3, cudaErrorNoKernelImageForDevice, true);
  error.clear();
  CHECK(Engine::start(broken, shared_pool(), small_options(), &error) == nullptr);
  CHECK_THAT(error, ContainsSubstring("device 0"));
}

TEST_CASE("Engine: shares are whole tiles that make up C", "[engine]") {
  for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{1000, 3000}, {3000, 1000}, {10, 10}}) {
    for (const int parts : {1, 2, 3, 8, 100}) {
      const std::vector<Rect> rects = split_among({.m = m, .n = n, .k = 1}, parts);
      CHECK(rects.size() <= static_cast<std::size_t>(parts));
      std::int64_t area = 0;
      for (const Rect& rect : rects) {
        CHECK_FALSE(rect.empty());
        area += rect.rows * rect.columns;
      }
      CHECK(area == m * n);
    }
  }
}
