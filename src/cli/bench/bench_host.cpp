// The bench on a machine without a GPU: what the dispatcher would run, and the product itself on the host.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cuda_fp16.h>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "src/cli/bench/bench.h"
#include "src/cli/bench/error_bound.h"
#include "src/cli/bench/progress.h"
#include "src/cli/bench/statistics.h"
#include "src/cli/contenders/host_blas.h"
#include "src/cli/plan.h"

namespace fastgemm::cli {
namespace {

// Larger products are planned and left at that.
constexpr double kLibraryFlops = 2e10;
constexpr double kPlainFlops = 5e8;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 28;
constexpr int kMaxTrials = 5;
constexpr std::int64_t kSampledRows = 16;  // rows and columns compared with FP64, spread over the matrix

struct HostOperands {
  std::vector<float> a, b, c, initial_c;
};

float rounded(float value, DataType type) {
  return type == DataType::kFloat32 ? value : __half2float(__float2half(value));
}

std::vector<float> random_matrix(std::int64_t count, DataType type, std::mt19937_64& generator) {
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = rounded(normal(generator), type);
  return values;
}

HostOperands make_operands(const Shape& s, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  HostOperands operands;
  operands.a = random_matrix(s.lda * s.columns_a(), s.type, generator);
  operands.b = random_matrix(s.ldb * s.columns_b(), s.type, generator);
  if (s.beta != 0.0f) operands.initial_c = random_matrix(s.ldc * s.n, s.type, generator);
  operands.c.resize(static_cast<std::size_t>(s.ldc * s.n));
  return operands;
}

void restore_c(HostOperands& operands) {
  if (operands.initial_c.empty()) {
    std::fill(operands.c.begin(), operands.c.end(), std::nanf(""));  // beta is 0: C must not be read
  } else {
    operands.c = operands.initial_c;
  }
}

std::set<std::int64_t> sample(std::int64_t extent) {
  std::set<std::int64_t> indices;
  for (std::int64_t i = 0; i < kSampledRows; ++i) indices.insert(i * (extent - 1) / (kSampledRows - 1));
  return indices;
}

// |C - ref| / (|alpha| |A||B| + |beta| |C0|) of one element.
double element_error(const Shape& s, const HostOperands& operands, std::int64_t i, std::int64_t j) {
  double sum = 0.0;
  double magnitude = 0.0;
  for (std::int64_t l = 0; l < s.k; ++l) {
    const auto at_a = static_cast<std::size_t>(s.op_a == Op::kN ? i + l * s.lda : l + i * s.lda);
    const auto at_b = static_cast<std::size_t>(s.op_b == Op::kN ? l + j * s.ldb : j + l * s.ldb);
    const double product = static_cast<double>(operands.a[at_a]) * static_cast<double>(operands.b[at_b]);
    sum += product;
    magnitude += std::abs(product);
  }
  const auto at_c = static_cast<std::size_t>(i + j * s.ldc);
  const double c0 = s.beta != 0.0f ? s.beta * static_cast<double>(operands.initial_c[at_c]) : 0.0;
  magnitude = std::abs(s.alpha) * magnitude + std::abs(c0);
  const double error = std::abs(static_cast<double>(rounded(operands.c[at_c], s.type)) - (s.alpha * sum + c0));
  return magnitude > 0.0 ? error / magnitude : error;
}

void judge(const Shape& s, const HostOperands& operands, Result& result) {
  for (const std::int64_t i : sample(s.m)) {
    for (const std::int64_t j : sample(s.n)) {
      const double error = element_error(s, operands, i, j);
      if (!(error <= result.max_error)) result.max_error = error;
    }
  }
  result.checked = true;
  result.error_bound = error_bound(s.type, MathMode::kDefault, s.k);
  if (error_is_relative(s.type, s.k) && !(result.max_error <= result.error_bound)) {
    result.wrong = "error to FP64 too large";
  }
}

double wall_ms(const HostBlas& blas, const Shape& shape, HostOperands& operands) {
  restore_c(operands);
  const auto begin = std::chrono::steady_clock::now();
  blas.multiply(shape, operands.a.data(), operands.b.data(), operands.c.data());
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

Result multiply(const HostBlas& blas, const Shape& shape, const BenchOptions& options) {
  Result result;
  result.contender = blas.name();
  result.detail = blas.where();
  const double limit = blas.is_library() ? kLibraryFlops : kPlainFlops;
  const std::int64_t largest =
      std::max({shape.lda * shape.columns_a(), shape.ldb * shape.columns_b(), shape.ldc * shape.n});
  if (shape.flops() > limit || largest > kMaxElements) {
    result.skipped = "too large for the host";
    return result;
  }
  HostOperands operands = make_operands(shape, options.seed);
  std::vector<double> times;
  wall_ms(blas, shape, operands);  // warms up
  for (int trial = 0; trial < std::min(kMaxTrials, options.timing.trials); ++trial) {
    times.push_back(wall_ms(blas, shape, operands));
  }
  result.ms = median(times);
  result.ms_min = *std::min_element(times.begin(), times.end());
  result.ms_max = *std::max_element(times.begin(), times.end());
  result.trials = static_cast<int>(times.size());
  judge(shape, operands, result);
  return result;
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

void add_plan(const BenchOptions& options, const Gpu& gpu, const std::string& kernel, Row& row) {
  const int workspace_mb = options.workspace_mb > 0 ? options.workspace_mb : kDefaultWorkspaceMb;
  const Plan plan =
      plan_for(row.shape, options.math, gpu, kernel, static_cast<std::size_t>(workspace_mb) << 20);
  row.plan_kernel = plan_name(plan);
  row.plan_us = plan.predicted_us;
  row.plan_reason = plan.reason;
}

}  // namespace

void bench_on_host(const BenchOptions& options, Report& report, MarkdownWriter& writer) {
  const HostBlas blas;
  report.host = cpu_name() + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads, " + blas.name();
  if (!blas.where().empty()) report.host += " (" + blas.where() + ")";
  report.protocol.regime = "host";
  report.protocol.trials = std::min(kMaxTrials, options.timing.trials);
  report.protocol.warm_up = 1;
  report.protocol.flush_bytes = 0;
  report.protocol.data = "N(0,1), seed " + std::to_string(options.seed);
  writer.preamble(report);
  Progress progress;
  for (const Shape& shape : options.shapes) {
    progress.show("[" + std::to_string(report.rows.size() + 1) + "/" + std::to_string(options.shapes.size()) + "] " +
                  describe(shape) + " on the host");
    Row row;
    row.shape = shape;
    row.checked_part = "a grid of " + std::to_string(kSampledRows) + " x " + std::to_string(kSampledRows) + " elements";
    add_plan(options, *report.gpu, options.kernels.front(), row);
    row.results.push_back(multiply(blas, shape, options));
    progress.clear();
    report.rows.push_back(row);
    writer.row(report, row);
  }
}

}  // namespace fastgemm::cli
