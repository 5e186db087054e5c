// The engine of the process. Its state is the process's, so most of this runs in processes of its own (see CMakeLists).
#include "src/dropin/offload.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "src/dropin/engine/engine.h"
#include "src/dropin/engine/process.h"
#include "tests/dropin/engine/fake_gpu.h"
#include "tests/dropin/engine/shared_pool.h"
#include "tests/dropin/engine/temporary_folder.h"
#include "tests/dropin/engine/test_product.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;
using namespace fastgemm::dropin::test;

namespace {

constexpr ProductCase kLarge = {.m = 300, .n = 260, .k = 280, .beta = 1.0f};  // a plain loop takes long enough

const Calibration kRates = {.in_bytes_per_s = 40e9, .out_bytes_per_s = 40e9, .flops_per_s = 50e12, .latency_s = 30e-6,
                            .copy_threads = 1, .sm_count = 132};

// A process with two GPUs that have been calibrated before.
FakeGpu& prepare_process(const char* dropin) {
  static FakeGpu* const gpu = new FakeGpu({.devices = 2});
  static const TemporaryFolder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  setenv("FASTGEMM_DROPIN", dropin, 1);
  store_calibration(folder.path() + "/fastgemm", {"fake GPU 0", usable_cpus(), "fp32_sequential"}, kRates);
  use_gpu_runtime(*gpu);
  return *gpu;
}

const PlainHost& slow_host() {
  static const PlainHost* const host = new PlainHost;
  return *host;
}

// Nothing pays beside it.
class InstantHost final : public HostBlas {
 public:
  void sgemm(const HostGemm&) const override {}
  const std::string& name() const override { return name_; }

 private:
  std::string name_ = "instant";
};

// As the names layer does it.
OffloadResult call(TestProduct& product, const HostBlas& host) {
  const OffloadResult result =
      worth_offloading(product.gemm(), host) ? offload_sgemm(product.gemm(), host) : OffloadResult::kDeclined;
  if (result == OffloadResult::kDeclined) host.sgemm(product.gemm());
  return result;
}

int exit_code_of_child(int (*body)()) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(body());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 0: a product in this process is computed by the host, rightly.
int stays_on_host() {
  const PlainHost host;
  TestProduct product(kLarge);
  if (worth_offloading(product.gemm(), slow_host())) return 1;
  if (offload_sgemm(product.gemm(), host) != OffloadResult::kDeclined) return 2;
  if (call(product, host) != OffloadResult::kDeclined || host.calls != 1) return 3;
  return product.wrong_element().empty() ? 0 : 4;
}

void after_the_end() {
  if (const int code = stays_on_host(); code != 0) _exit(10 + code);
}

double best_nanoseconds(bool (*ask)(const HostGemm&), const HostGemm& gemm) {
  using Clock = std::chrono::steady_clock;
  constexpr int kCalls = 20000;
  double best = 1e9;
  for (int batch = 0; batch < 20; ++batch) {
    const Clock::time_point start = Clock::now();
    for (int index = 0; index < kCalls; ++index) {
      if (ask(gemm)) return 1e9;
    }
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count() / kCalls * 1e9);
  }
  return best;
}

}  // namespace

TEST_CASE("offload: a first product starts the engine, in any of several threads", "[.own-process-offload]") {
  const FakeGpu& gpu = prepare_process("on");
  std::vector<std::string> wrong(6);
  std::atomic<int> offloaded{0};
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < wrong.size(); ++index) {
    threads.emplace_back([&, index] {
      for (int repeat = 0; repeat < 3; ++repeat) {
        TestProduct product(kLarge);
        if (call(product, slow_host()) == OffloadResult::kDone) ++offloaded;
        if (wrong[index].empty()) wrong[index] = product.wrong_element();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) CHECK(text == "");
  CHECK(offloaded > 0);
  CHECK(gpu.faults() == 0);
  TestProduct last(kLarge), small({.m = 100, .n = 100, .k = 100});
  CHECK(call(last, slow_host()) == OffloadResult::kDone);
  CHECK_FALSE(worth_offloading(small.gemm(), slow_host()));
}

TEST_CASE("offload: a child of fork stays on the host, its parent does not", "[.own-process-offload-fork]") {
  prepare_process("on");
  TestProduct first(kLarge), second(kLarge);
  REQUIRE(call(first, slow_host()) == OffloadResult::kDone);
  CHECK(exit_code_of_child(stays_on_host) == 0);
  CHECK(call(second, slow_host()) == OffloadResult::kDone);
  CHECK(second.wrong_element() == "");
}

TEST_CASE("offload: children of fork in the middle of products", "[.own-process-offload-fork-busy]") {
  const FakeGpu& gpu = prepare_process("on");
  TestProduct first(kLarge);
  REQUIRE(call(first, slow_host()) == OffloadResult::kDone);
  std::atomic<bool> stop{false};
  std::atomic<int> offloaded{0};
  std::vector<std::string> wrong(3);
  std::vector<std::thread> threads;
  for (std::string& text : wrong) {
    threads.emplace_back([&] {
      while (!stop && text.empty()) {
        TestProduct product({.m = 140, .n = 130, .k = 120, .beta = 1.0f});
        if (offload_sgemm(product.gemm(), slow_host()) == OffloadResult::kDone) ++offloaded;
        text = product.wrong_element();
      }
    });
  }
  for (int child = 0; child < 20; ++child) CHECK(exit_code_of_child(stays_on_host) == 0);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) CHECK(text == "");
  CHECK(offloaded > 0);
  CHECK(gpu.faults() == 0);
}

TEST_CASE("offload: products from exit handlers stay on the host", "[.own-process-offload-exit]") {
  std::atexit(after_the_end);  // runs after the engine's own handler, which comes later
  prepare_process("on");
  TestProduct product(kLarge);
  REQUIRE(call(product, slow_host()) == OffloadResult::kDone);
}

TEST_CASE("offload: short of the time that a start takes, nothing starts", "[.own-process-offload-late]") {
  const FakeGpu& gpu = prepare_process("");
  TestProduct product(kLarge);
  CHECK(call(product, slow_host()) == OffloadResult::kDeclined);
  CHECK(gpu.calls() == 0);
  // Half a second saved, says the model, whatever the matrices hold: they are not looked at.
  HostGemm huge = product.gemm();
  huge.m = huge.n = huge.k = 40000;
  CHECK(worth_offloading(huge, slow_host()));
  CHECK(gpu.calls() > 0);
  CHECK(call(product, slow_host()) == OffloadResult::kDone);
  CHECK(product.wrong_element() != "");  // beta is 1, and it was computed twice
}

TEST_CASE("offload: a device that fails half way is told of in one line", "[.own-process-offload-fails]") {
  const TemporaryFolder folder;
  const std::string log = folder.path() + "/log";
  setenv("FASTGEMM_LOG", "error", 1);
  setenv("FASTGEMM_LOG_FILE", log.c_str(), 1);
  const auto lines = [&] {
    std::ifstream file(log);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  };
  FakeGpu& gpu = prepare_process("on");
  TestProduct first(kLarge), second(kLarge), third(kLarge);
  REQUIRE(call(first, slow_host()) == OffloadResult::kDone);
  CHECK(lines().empty());
  gpu.fail_operation(12);
  CHECK(call(second, slow_host()) == OffloadResult::kRetreated);
  CHECK(gpu.failed());
  CHECK(second.wrong_element() == "");
  CHECK(call(third, slow_host()) == OffloadResult::kDone);  // by the other one
  CHECK(third.wrong_element() == "");
  REQUIRE(lines().size() == 1);
  CHECK_THAT(lines()[0], ContainsSubstring("error: drop-in: device "));
  CHECK_THAT(lines()[0], ContainsSubstring("is not used any more: "));
  // The other one while several products wait for it: they are all right, and it is told of once, too.
  std::vector<std::string> wrong(6);
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (std::string& text : wrong) {
    threads.emplace_back([&] {
      TestProduct product(kLarge);
      while (!go) std::this_thread::yield();
      call(product, slow_host());
      text = product.wrong_element();
    });
  }
  gpu.fail_call(1, cudaErrorDevicesUnavailable, true);
  go = true;
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) CHECK(text == "");
  CHECK(lines().size() == 2);
  CHECK(gpu.faults() == 0);
}

TEST_CASE("offload: a machine without a GPU", "[.own-process-offload-none]") {
  static FakeGpu* const gpu = new FakeGpu({.devices = 0});
  setenv("FASTGEMM_DROPIN", "on", 1);
  use_gpu_runtime(*gpu);
  CHECK(stays_on_host() == 0);
  const int calls = gpu->calls();
  CHECK(stays_on_host() == 0);
  CHECK(gpu->calls() == calls);
}

TEST_CASE("offload: saying no takes no time", "[.own-process-offload-time]") {
  prepare_process("on");
  TestProduct product(kLarge);
  REQUIRE(call(product, slow_host()) == OffloadResult::kDone);
  const auto ask = [](const HostGemm& gemm) {
    static const InstantHost host;
    return worth_offloading(gemm, host);
  };
  CHECK(best_nanoseconds(ask, {.m = 64, .n = 64, .k = 64}) < 50);
  CHECK(best_nanoseconds(ask, {.m = 100000, .n = 16, .k = 400}) < 50);
}
