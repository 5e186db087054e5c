// The GPU bench from end to end on the fake GPU, whose clock gives known times.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "src/cli/bench/bench.h"
#include "src/cli/bench/fp64_check.h"
#include "tests/cli/fake/fake_gpu.h"
#include "tests/cli/fake/host_product.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::cli;
using test::fake_gpu;

namespace {

struct Run {
  int code = -1;
  std::string out;
  nlohmann::json json;

  const nlohmann::json& result(std::size_t row, const std::string& contender) const {
    for (const auto& one : json["rows"][row]["results"]) {
      if (one["contender"] == contender) return one;
    }
    throw std::runtime_error("no contender " + contender);
  }
};

Run run(BenchOptions options) {
  const auto path = std::filesystem::temp_directory_path() / ("fg_bench_" + std::to_string(getpid()) + ".json");
  options.json_file = path.string();
  std::ostringstream out;
  std::streambuf* const terminal = std::cout.rdbuf(out.rdbuf());
  Run result;
  result.code = run_bench(options);
  std::cout.rdbuf(terminal);
  result.out = out.str();
  std::ifstream in(path);
  result.json = nlohmann::json::parse(in);
  std::filesystem::remove(path);
  return result;
}

BenchOptions options(const std::vector<std::string>& sizes, ShapeDefaults defaults = {}) {
  fake_gpu() = {};
  BenchOptions made;
  made.shapes = shapes_from_sizes(sizes, defaults);
  made.timing.trials = 3;
  made.timing.warm_up = 1;
  return made;
}

ShapeDefaults halves() {
  ShapeDefaults defaults;
  defaults.types = {DataType::kFloat16};
  return defaults;
}

}  // namespace

TEST_CASE("FP32 contenders, times and ratios", "[cli][bench]") {
  const Run bench = run(options({"33x17x65"}));
  CHECK(bench.code == 0);
  CHECK(bench.json["gpu"]["name"] == "Fake GPU");
  CHECK(bench.json["cublas"]["version"] == "7.8.9");
  CHECK(bench.json["protocol"]["workspace_bytes"] == 32 << 20);
  CHECK_THAT(bench.json["protocol"]["data"].get<std::string>(), ContainsSubstring("cuRAND"));
  const auto& ours = bench.result(0, "fastgemm");
  CHECK(ours["ms"].get<double>() == Approx(1.0).epsilon(1e-4));
  CHECK(ours["trials"] == 3);
  CHECK(ours["detail"] == "chosen_kernel");
  CHECK(ours["differing"] == 0);
  CHECK(ours["max_error_fp64"].get<double>() > 0.0);
  CHECK(ours["max_error_fp64"].get<double>() < ours["error_bound"].get<double>());
  CHECK(ours["ratio_to_best_other"].get<double>() == Approx(2.0).epsilon(1e-4));
  CHECK(bench.result(0, "cublasSgemm")["ms"].get<double>() == Approx(4.0).epsilon(1e-4));
  CHECK(bench.result(0, "cublasGemmEx")["ms"].get<double>() == Approx(3.0).epsilon(1e-4));
  CHECK(bench.result(0, "cublasLt")["ms"].get<double>() == Approx(2.0).epsilon(1e-4));
  CHECK(bench.result(0, "cublasLt")["detail"] == "heuristic 2");  // not the one that fails, nor the slower ones
  CHECK_THAT(bench.out, ContainsSubstring("geometric mean of the ratio to the best other 2.000 over 1 rows"));
}

TEST_CASE("every contender gets the workspace that is asked for", "[cli][bench]") {
  run(options({"32"}));
  CHECK(fake_gpu().own_workspace == 0);  // the handle's own
  CHECK(fake_gpu().cublas_workspace == std::size_t{32} << 20);
  BenchOptions asked = options({"32"});
  asked.workspace_mb = 48;
  const Run bench = run(asked);
  CHECK(fake_gpu().own_workspace == std::size_t{48} << 20);
  CHECK(fake_gpu().cublas_workspace == std::size_t{48} << 20);
  CHECK(bench.json["protocol"]["workspace_bytes"] == 48 << 20);
}

TEST_CASE("FP16 contenders", "[cli][bench]") {
  const Run bench = run(options({"33x17x65"}, halves()));
  CHECK(bench.code == 0);
  CHECK(bench.json["rows"][0]["results"].size() == 4);
  CHECK(bench.result(0, "fastgemm")["differing"] == 0);
  CHECK(bench.result(0, "cublasHgemm")["ms"].get<double>() == Approx(4.0).epsilon(1e-4));
}

TEST_CASE("all operations, padded, with beta, at odd addresses", "[cli][bench]") {
  ShapeDefaults defaults;
  defaults.types = {DataType::kFloat32, DataType::kFloat16};
  defaults.ops = {{Op::kN, Op::kN}, {Op::kN, Op::kT}, {Op::kT, Op::kN}, {Op::kT, Op::kT}};
  defaults.beta = 0.5f;
  defaults.alpha = -2.0f;
  defaults.pad = 3;
  BenchOptions all = options({"9x70x131"}, defaults);
  for (Shape& shape : all.shapes) shape.align = element_size(shape.type);
  const Run bench = run(all);
  CHECK(bench.code == 0);
  REQUIRE(bench.json["rows"].size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(bench.result(i, "fastgemm")["differing"] == 0);
    CHECK(bench.result(i, "cublasLt")["differing"] == 0);
  }
}

TEST_CASE("with beta every timed launch finds the same C", "[cli][bench]") {
  ShapeDefaults defaults;
  defaults.beta = 2.0f;
  BenchOptions growing = options({"16"}, defaults);
  run(growing);
  CHECK(fake_gpu().own_launches == 1 + 1 + 3);  // result, warm-up, trials
  CHECK_FALSE(fake_gpu().c_moved);
}

TEST_CASE("a wrong element makes the run fail and is shown", "[cli][bench]") {
  BenchOptions wrong = options({"64"});
  fake_gpu().wrong_element = true;
  const Run bench = run(wrong);
  CHECK(bench.code == 1);
  CHECK_THAT(bench.out, ContainsSubstring("WRONG"));
  CHECK(bench.result(0, "fastgemm")["differing"] == 1);
  CHECK_FALSE(bench.result(0, "fastgemm")["wrong"].get<std::string>().empty());
  CHECK_FALSE(bench.result(0, "cublasSgemm").contains("wrong"));
}

TEST_CASE("reading C where beta is 0 is found out", "[cli][bench]") {
  BenchOptions wrong = options({"64"});
  fake_gpu().reads_old_c = true;
  const Run bench = run(wrong);
  CHECK(bench.code == 1);
  CHECK_THAT(bench.result(0, "fastgemm")["wrong"].get<std::string>(), ContainsSubstring("not finite"));
}

TEST_CASE("a launch that breaks the device stops the run and keeps what there is", "[cli][bench]") {
  BenchOptions broken = options({"16", "32"});
  fake_gpu().fails_on_device = true;
  const Run bench = run(broken);
  CHECK(bench.code == 1);
  CHECK(bench.json["rows"].size() == 1);
  CHECK_THAT(bench.result(0, "fastgemm")["wrong"].get<std::string>(), ContainsSubstring("failed on the GPU"));
  CHECK_FALSE(bench.result(0, "cublasSgemm").contains("wrong"));
}

TEST_CASE("a product too large for a full check is sampled, corners included", "[cli][bench]") {
  fake_gpu() = {};
  Shape shape = shapes_from_sizes({"200x150x9"}, {}).front();
  RandomData random(1, nullptr);
  const OperandBuffers buffers(shape, random, nullptr);
  auto* c = static_cast<float*>(buffers.operands().c);
  const auto multiply = [&] {
    const Operands& o = buffers.operands();
    test::multiply({false, false, false, 200, 150, 9, 1.0f, 0.0f, o.a, shape.lda, o.b, shape.ldb, c, shape.ldc});
  };
  const Fp64Check sampled(buffers, 1.0);
  const Fp64Check full(buffers);
  CHECK_THAT(sampled.part(), ContainsSubstring("of 30000 elements"));
  CHECK(full.part() == "all elements");
  multiply();
  CHECK(sampled.compare_c().max_absolute < 1e-6);
  CHECK(full.compare_c().max_absolute < 1e-6);
  for (const std::int64_t corner : {0, 199, 149 * 200, 149 * 200 + 199}) {
    multiply();
    c[corner] += 1.0f;
    CHECK(sampled.compare_c().max_absolute > 1e-3);
  }
  multiply();
  c[199 + 149 * 200] = std::nanf("");
  CHECK(sampled.compare_c().non_finite == 1);
}

TEST_CASE("shapes that do not fit are left out, the next one runs", "[cli][bench]") {
  BenchOptions large = options({"4096", "16"});
  fake_gpu().memory_limit = 400 << 20;  // the flush takes 256 MB of it, the workspace 32
  const Run bench = run(large);
  CHECK(bench.code == 0);
  CHECK_THAT(bench.result(0, "fastgemm")["skipped"].get<std::string>(), ContainsSubstring("out of GPU memory"));
  CHECK(bench.result(1, "fastgemm")["ms"].get<double>() > 0.0);
  CHECK(fake_gpu().live_bytes == 0);
}

TEST_CASE("forced kernels are contenders of their own", "[cli][bench]") {
  BenchOptions forced = options({"16"});
  forced.kernels = {"", "kernel_a", "absent"};
  const Run bench = run(forced);
  CHECK(bench.code == 0);
  CHECK(bench.result(0, "fastgemm kernel_a")["detail"] == "kernel_a");
  CHECK_THAT(bench.result(0, "fastgemm absent")["skipped"].get<std::string>(), ContainsSubstring("does not take"));
}

TEST_CASE("all kernels of the type are contenders on request", "[cli][bench]") {
  BenchOptions every = options({"16"});
  every.all_kernels = true;
  const Run bench = run(every);
  CHECK(bench.code == 0);
  for (const KernelEntry* entry : kernel_table()) {
    if (entry->type_ab == DataType::kFloat32) {
      CHECK_NOTHROW(bench.result(0, "fastgemm " + std::string(entry->name) + "/1"));
      if (entry->max_splits >= 4) CHECK_NOTHROW(bench.result(0, "fastgemm " + std::string(entry->name) + "/4"));
    } else {
      CHECK_THROWS(bench.result(0, "fastgemm " + std::string(entry->name) + "/1"));
    }
  }
}

TEST_CASE("L2 is flushed before each launch, save back to back", "[cli][bench]") {
  BenchOptions interleaved = options({"16"});
  run(interleaved);
  // A warm-up and three trials of four contenders; one warm-up, one try of three heuristics, four more of two.
  CHECK(fake_gpu().flushes >= 4 * 4);
  BenchOptions back_to_back = options({"16"});
  back_to_back.timing.regime = Regime::kBackToBack;
  const Run bench = run(back_to_back);
  CHECK(fake_gpu().flushes == 0);
  CHECK(bench.result(0, "fastgemm")["ms"].get<double>() == Approx(1.0).epsilon(1e-4));
  CHECK(bench.json["protocol"]["regime"] == "back-to-back");
  CHECK(bench.json["protocol"]["flush_bytes"] == 0);
}

TEST_CASE("the host regime times calls beside a kernel that does nothing", "[cli][bench]") {
  BenchOptions host = options({"16"});
  host.timing.regime = Regime::kHost;
  const Run bench = run(host);
  CHECK(bench.code == 0);
  CHECK(fake_gpu().flushes == 0);
  for (const char* contender : {"fastgemm", "cublasSgemm", "cublasGemmEx", "empty kernel"}) {
    CHECK(bench.result(0, contender)["ms"].get<double>() > 0.0);
    CHECK(bench.result(0, contender)["ms"].get<double>() < 1.0);  // which is the fake GPU's time of a product
  }
  CHECK(bench.json["protocol"]["regime"] == "host time of a call");
}

TEST_CASE("the idle regime waits", "[cli][bench]") {
  BenchOptions idle = options({"16"});
  idle.timing.regime = Regime::kIdle;
  idle.timing.idle_ms = 1;
  const Run bench = run(idle);
  CHECK(bench.json["protocol"]["regime"] == "idle");
  CHECK(bench.json["protocol"]["idle_ms"] == 1);
}

TEST_CASE("the ladder's rungs stand beside cuBLAS", "[cli][bench]") {
  BenchOptions ladder = options({"64"}, halves());
  ladder.ladder = true;
  const Run bench = run(ladder);
  CHECK(bench.code == 0);
  CHECK_THAT(bench.out, ContainsSubstring("| rung 1 | tiles | 1.0000 |"));
  CHECK_THAT(bench.out, ContainsSubstring("| cublasGemmEx | cublasGemmEx | 3.0000 |"));
  CHECK(bench.result(0, "rung 1")["differing"] == 0);
  CHECK(bench.result(0, "rung 2").contains("skipped"));  // no code for this GPU
}
