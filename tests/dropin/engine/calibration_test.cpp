// The calibration file: read back as written, and never believed when it is anything else. And what is made of it.
#include "src/dropin/engine/calibration.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "src/dropin/engine/break_even.h"
#include "src/dropin/engine/measure.h"
#include "src/dropin/engine/settings.h"
#include "tests/dropin/engine/fake_gpu.h"
#include "tests/dropin/engine/shared_pool.h"
#include "tests/dropin/engine/temporary_folder.h"
#include "tests/dropin/engine/test_product.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;
using namespace fastgemm::dropin::test;

namespace {

constexpr std::int64_t kNow = 1'800'000'000;
const CalibrationKey kKey = {"NVIDIA H200 00ff", 16, "fp32_sequential"};
// As measured on a machine with an H200 and 16 cores.
const Calibration kH200 = {.in_bytes_per_s = 48e9, .out_bytes_per_s = 45e9, .flops_per_s = 55e12, .latency_s = 40e-6,
                           .copy_threads = 8, .sm_count = 132};
constexpr double kOpenBlas = 1.2e12;  // FLOP/s on those cores

bool parses(const std::string& text, const CalibrationKey& key = kKey, std::int64_t now = kNow) {
  Calibration ignored;
  return parse_calibration(text, key, now, &ignored);
}

double host_seconds(const HostGemm& gemm) { return 2 * volume(gemm) / kOpenBlas; }
bool pays(const HostGemm& gemm) { return host_seconds(gemm) > 1.25 * gpu_seconds(gemm, kH200); }

}  // namespace

TEST_CASE("Calibration: a file reads back", "[calibration]") {
  Calibration read;
  REQUIRE(parse_calibration(format_calibration(kH200, kKey, kNow), kKey, kNow + 86400, &read));
  CHECK(read.in_bytes_per_s == kH200.in_bytes_per_s);
  CHECK(read.out_bytes_per_s == kH200.out_bytes_per_s);
  CHECK(read.flops_per_s == kH200.flops_per_s);
  CHECK(read.latency_s == kH200.latency_s);
  CHECK(read.copy_threads == kH200.copy_threads);
  CHECK(read.sm_count == kH200.sm_count);
}

TEST_CASE("Calibration: any damage is noticed", "[calibration]") {
  const std::string text = format_calibration(kH200, kKey, kNow);
  REQUIRE(parses(text));
  for (std::size_t length = 0; length < text.size(); ++length) {
    INFO(length);
    CHECK_FALSE(parses(text.substr(0, length)));
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = changed[at] == '1' ? '2' : '1';
    INFO(at);
    CHECK_FALSE(parses(changed));
  }
  CHECK_FALSE(parses(text + "more\n"));
  CHECK_FALSE(parses(""));
}

TEST_CASE("Calibration: only for its own key and time", "[calibration]") {
  const std::string text = format_calibration(kH200, kKey, kNow);
  CHECK_FALSE(parses(text, {"NVIDIA H200 00fe", 16, "fp32_sequential"}));
  CHECK_FALSE(parses(text, {kKey.gpu, 8, "fp32_sequential"}));
  CHECK_FALSE(parses(text, {kKey.gpu, 16, "fp32_tensor"}));
  CHECK(parses(text, kKey, kNow + 89 * 86400));
  CHECK_FALSE(parses(text, kKey, kNow + 91 * 86400));
  CHECK_FALSE(parses(text, kKey, kNow - 1));
}

TEST_CASE("Calibration: figures that cannot be are refused", "[calibration]") {
  for (double Calibration::*rate : {&Calibration::in_bytes_per_s, &Calibration::out_bytes_per_s,
                                    &Calibration::flops_per_s, &Calibration::latency_s}) {
    for (const double value : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
      Calibration wrong = kH200;
      wrong.*rate = value;
      CHECK_FALSE(parses(format_calibration(wrong, kKey, kNow)));
    }
  }
}

TEST_CASE("Calibration: stored in folders that are made, read by the next process", "[calibration]") {
  const TemporaryFolder folder;
  const std::string cache = folder.path() + "/a/b/fastgemm";
  Calibration read;
  CHECK_FALSE(load_calibration(cache, kKey, &read));
  store_calibration(cache, kKey, kH200);
  REQUIRE(load_calibration(cache, kKey, &read));
  CHECK(read.flops_per_s == kH200.flops_per_s);
  const auto files = std::distance(std::filesystem::directory_iterator(cache), {});
  CHECK(files == 1);  // no temporary one is left
  for (const auto& entry : std::filesystem::directory_iterator(cache)) std::ofstream(entry.path()) << "rubbish";
  CHECK_FALSE(load_calibration(cache, kKey, &read));
  store_calibration(cache, kKey, kH200);
  CHECK(load_calibration(cache, kKey, &read));
}

TEST_CASE("Calibration: a folder that cannot be is no error", "[calibration]") {
  Calibration read;
  for (const char* folder : {"", "/proc/fastgemm", "/dev/null/fastgemm"}) {
    store_calibration(folder, kKey, kH200);
    CHECK_FALSE(load_calibration(folder, kKey, &read));
  }
}

TEST_CASE("Calibration: where the folder is", "[calibration]") {
  CHECK(cache_folder("/x", "/home/me") == "/x/fastgemm");
  CHECK(cache_folder(nullptr, "/home/me") == "/home/me/.cache/fastgemm");
  CHECK(cache_folder("", "/home/me") == "/home/me/.cache/fastgemm");
  CHECK(cache_folder("relative", "/home/me") == "/home/me/.cache/fastgemm");
  CHECK(cache_folder(nullptr, nullptr) == "");
  CHECK(cache_folder(nullptr, "relative") == "");
}

TEST_CASE("Calibration: measured where there is none, and kept", "[calibration]") {
  const TemporaryFolder folder;
  FakeGpu gpu;
  EngineOptions options = {.cpus = 3, .cache = folder.path(), .math = "fp32_sequential"};
  options.device.cut.chunk_elements = options.device.lane.slot_elements = 1 << 21;
  std::string error;
  gpu.skip_products(true);  // 4096 cubed takes a minute on a host
  const auto engine = Engine::start(gpu, shared_pool(), options, &error);
  CAPTURE(error);
  REQUIRE(engine != nullptr);
  const Calibration& measured = engine->calibration();
  CHECK(measured.in_bytes_per_s > 0);
  CHECK(measured.out_bytes_per_s > 0);
  CHECK(measured.flops_per_s > 0);
  CHECK(measured.latency_s > 0);
  CHECK(measured.copy_threads >= 1);
  CHECK(measured.sm_count == 4);
  CHECK(gpu.faults() == 0);
  Calibration kept;
  REQUIRE(load_calibration(folder.path(), {"fake GPU 0", 3, "fp32_sequential"}, &kept));
  CHECK(kept.flops_per_s == measured.flops_per_s);
}

TEST_CASE("Calibration: what another process is measuring is waited for", "[calibration]") {
  const TemporaryFolder folder;
  FakeGpu gpu;
  gpu.skip_products(true);
  const CalibrationKey key = {"fake GPU 0", 3, "fp32_sequential"};
  Calibration theirs = kH200;
  theirs.copy_threads = 1;
  auto their_turn = std::make_unique<CalibrationTurn>(folder.path(), key);
  std::unique_ptr<Engine> engine;
  std::string error;
  std::thread starting([&] {
    engine = Engine::start(gpu, shared_pool(), {.cpus = 3, .cache = folder.path(), .math = key.math}, &error);
  });
  int calls = 0;
  for (int before = -1; calls == 0 || calls != before;) {  // until it waits, or has gone on
    before = calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    calls = gpu.calls();
  }
  store_calibration(folder.path(), key, theirs);
  their_turn.reset();
  starting.join();
  CAPTURE(error);
  REQUIRE(engine != nullptr);
  CHECK(engine->calibration().flops_per_s == theirs.flops_per_s);
  CHECK(gpu.products() == 0);
  // It is free again, other GPUs' are their own, and where there is no folder nobody waits.
  const auto start = std::chrono::steady_clock::now();
  const CalibrationTurn mine(folder.path(), key), others(folder.path(), {"fake GPU 1", 3, key.math});
  const CalibrationTurn none("", key), nowhere("/proc/fastgemm", key);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

TEST_CASE("Calibration: as few copying threads as are about as fast as any", "[calibration]") {
  CHECK(fewest_near_best({{1, 9.0}}) == 1);
  CHECK(fewest_near_best({{0, 9.0}}) == 0);
  // 4096 cubed on an H200, ms.
  CHECK(fewest_near_best({{1, 20.0}, {2, 10.1}, {4, 5.45}, {8, 4.58}, {14, 4.71}}) == 8);
  // Small steps that come to more than a tenth.
  CHECK(fewest_near_best({{1, 20.0}, {2, 10.1}, {4, 5.10}, {8, 4.75}, {14, 4.58}}) == 8);
  // While 8 threads, or all with more than 2, were timed something else took the CPUs.
  CHECK(fewest_near_best({{1, 20.0}, {2, 10.1}, {4, 5.45}, {8, 9.00}, {14, 4.71}}) == 14);
  CHECK(fewest_near_best({{1, 5.0}, {2, 5.1}, {4, 5.2}}) == 1);
}

TEST_CASE("Calibration: products are timed on operands that were copied there", "[calibration]") {
  const TemporaryFolder folder;
  FakeGpu gpu;
  EngineOptions options = {.cpus = 3, .cache = folder.path(), .math = "fp32_tensor"};
  options.device.cut.chunk_elements = options.device.lane.slot_elements = 1 << 21;
  gpu.skip_products(true);
  gpu.watch_operands();
  std::string error;
  const auto engine = Engine::start(gpu, shared_pool(), options, &error);
  CAPTURE(error);
  REQUIRE(engine != nullptr);
  CHECK(gpu.products() > 0);
  CHECK(gpu.unwritten_operands() == 0);
}

TEST_CASE("Break-even: what pays beside 16 cores", "[break_even]") {
  for (const std::int64_t size : {16, 64, 128, 256}) {
    INFO(size);
    CHECK_FALSE(pays({.m = size, .n = size, .k = size}));
  }
  for (const std::int64_t size : {512, 1024, 2048, 4096, 16384}) {
    INFO(size);
    CHECK(pays({.m = size, .n = size, .k = size}));
  }
  for (const std::int64_t size : {128, 1024, 8192, 65536}) {
    INFO(size);
    CHECK_FALSE(pays({.m = size, .n = size, .k = 32}));    // ScaLAPACK's panels
    CHECK_FALSE(pays({.m = size, .n = 16, .k = size}));    // as good as matrix times vector
    CHECK_FALSE(pays({.m = 16, .n = size, .k = size}));
    CHECK_FALSE(pays({.m = 64, .n = 64, .k = 100 * size}));  // one chain after another on few SMs
  }
  CHECK(pays({.m = 8192, .n = 8192, .k = 512}));
}

TEST_CASE("Break-even: C that is read costs, too", "[break_even]") {
  const HostGemm without = {.m = 4096, .n = 4096, .k = 64};
  HostGemm with = without;
  with.beta = 1.0f;
  CHECK(gpu_seconds(with, kH200) - gpu_seconds(without, kH200) == Approx(4.0 * 4096 * 4096 / 48e9));
}

TEST_CASE("Break-even: rates of hosts are found by object and by library", "[break_even]") {
  HostRates rates;
  const PlainHost first, second;
  CHECK(rates.find(first) == 0);
  rates.note(first, 1e9);
  CHECK(rates.find(first) == 1e9);
  rates.note(first, 5e9);
  CHECK(rates.find(first) == 1e9);
  CHECK(rates.find(second) == 0);
  CHECK(rates.find_by_name("plain") == 1e9);
  CHECK(rates.find_by_name("other") == 0);
  const std::vector<PlainHost> many(400);
  for (const PlainHost& host : many) rates.note(host, 2e9);
  int found = 0;
  for (const PlainHost& host : many) found += rates.find(host) == 2e9 ? 1 : 0;
  CHECK(found > 300);
}

TEST_CASE("Break-even: a slow host is timed with small products only", "[break_even]") {
  const PlainHost host;
  CHECK(measure_host(host) > 1e6);
  CHECK(host.volume <= 2.0 * 256 * 256 * 256);
}

TEST_CASE("Settings: devices of a process", "[engine_settings]") {
  fastgemm::Environment settings;
  using Devices = std::vector<int>;
  CHECK(devices_for(settings, -1, 4) == Devices{});
  CHECK(devices_for(settings, 5, 4) == Devices{1});
  CHECK(devices_for(settings, 0, 0) == Devices{});
  settings.devices = {2, 3};
  CHECK(devices_for(settings, -1, 4) == Devices{2, 3});
  CHECK(devices_for(settings, 1, 4) == Devices{3});
  settings.devices.clear();
  settings.all_devices = true;
  CHECK(devices_for(settings, 1, 4) == Devices{});
}

TEST_CASE("Settings: the rank as launchers tell it", "[engine_settings]") {
  CHECK(local_rank([](const char*) -> const char* { return nullptr; }) == -1);
  CHECK(local_rank([](const char* name) { return std::string(name) == "SLURM_LOCALID" ? "3" : nullptr; }) == 3);
  CHECK(local_rank([](const char*) { return "x"; }) == -1);
  CHECK(local_rank([](const char*) { return "-2"; }) == -1);
}

TEST_CASE("Settings: workspace of products", "[engine_settings]") {
  const auto nothing = [](const char*) -> const char* { return nullptr; };
  fastgemm::Environment settings;
  CHECK(engine_options(settings, nothing, 1).device.workspace_bytes == std::size_t{32} << 20);
  CHECK(engine_options(settings, nothing, 1).device.workspace_most == 0);
  settings.math = "fp32_tensor";
  CHECK(engine_options(settings, nothing, 1).device.workspace_bytes == std::size_t{32} << 20);
  CHECK(engine_options(settings, nothing, 1).device.workspace_most == std::size_t{512} << 20);
  settings.workspace_bytes = std::size_t{64} << 20;  // FASTGEMM_WORKSPACE_MB is taken at its word
  CHECK(engine_options(settings, nothing, 1).device.workspace_bytes == std::size_t{64} << 20);
  CHECK(engine_options(settings, nothing, 1).device.workspace_most == 0);
}
