#include "src/dropin/engine/measure.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "src/dropin/engine/failure.h"

namespace fastgemm::dropin {

namespace {

constexpr std::int64_t kProduct = 4096;  // fills the GPU, and goes round the ring four times
// 80 MiB, two and a half rings, and room for a product's operand: a ring that is gone round once is filled otherwise.
constexpr std::int64_t kRows = 8192, kColumns = 2560;
static_assert(kRows * kColumns >= kProduct * kProduct);
constexpr std::int64_t kSmall = 256;
constexpr int kRepeats = 5;

double best_seconds(const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const Clock::time_point start = Clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

void multiply(Device& device, const HostGemm& product) {
  ShareResult outcome;
  outcome.unwritten.reserve(1);
  device.multiply(product, &outcome);
  if (outcome.failed || outcome.no_room) throw GpuFailure(outcome.error);
}

// A cube whose operands are one and the same matrix.
HostGemm cube(std::int64_t size, const std::vector<float>& operand, std::vector<float>& result) {
  return {.m = size, .n = size, .k = size, .a = operand.data(), .lda = size, .b = operand.data(), .ldb = size,
          .c = result.data(), .ldc = size};
}

// Matrices in pageable memory, and room for them on the device.
class Measurement {
 public:
  Measurement(Device& device, CopyPool& pool) : device_(device), pool_(pool), in_(kRows * kColumns), out_(in_.size()) {
    for (std::size_t index = 0; index < in_.size(); ++index) in_[index] = static_cast<float>(index % 1024) * 0x1p-10f;
  }

  int copy_threads(int max_threads);
  double in_bytes_per_s() { return bytes_per_s(Matrix::kA); }
  double out_bytes_per_s() { return bytes_per_s(Matrix::kC); }
  double product_flops_per_s();

 private:
  double bytes_per_s(Matrix moved);
  float* memory() { return device_.reserve(3 * kProduct * kProduct); }  // the same place as long as it is kept

  Device& device_;
  CopyPool& pool_;
  std::vector<float> in_, out_;
};

// By the time of a whole product: copies both ways at once, and what threads that copy take from the one that issues.
int Measurement::copy_threads(int max_threads) {
  std::vector<ThreadTime> times;
  for (int threads = std::min(1, max_threads);; threads = std::min(2 * threads, max_threads)) {
    pool_.grow(threads);
    pool_.use(threads);
    const CopyPool::Busy awake(pool_);
    times.push_back({threads, best_seconds([&] { multiply(device_, cube(kProduct, in_, out_)); })});
    if (threads == max_threads) break;
  }
  return fewest_near_best(times);
}

double Measurement::bytes_per_s(Matrix moved) {
  Block block;
  block.shape = {.m = kRows, .n = kColumns, .k = kColumns};
  block.a = {in_.data(), kRows, kRows, memory(), kRows};
  block.c = {out_.data(), kRows, kRows, memory(), kRows};
  BlockPlan plan = {{}, {Rect{}}, {}};
  // In panels of rows: columns that are broken up are the slower case.
  constexpr std::int64_t kPanel = 1024;
  for (std::int64_t row = 0; row < kRows; row += kPanel) {
    add_chunks(moved, {row, 0, kPanel, kColumns}, 0, device_.options().cut.chunk_elements,
               moved == Matrix::kA ? &plan.in : &plan.out);
  }
  return 4.0 * kRows * kColumns / best_seconds([&] { device_.run_plan(block, plan); });
}

// A product of matrices that lie on the device already: those of the last one that was copied there, since what
// FP32_TENSOR does hangs on the values.
double Measurement::product_flops_per_s() {
  Block block;
  block.shape = {.m = kProduct, .n = kProduct, .k = kProduct, .a = Route::kStay, .b = Route::kStay,
                 .c_in = Route::kStay, .c_out = Route::kStay};
  BlockMatrix* const matrices[] = {&block.a, &block.b, &block.c};
  for (int index = 0; index < 3; ++index) {
    *matrices[index] = {.rows = kProduct, .device = memory() + index * kProduct * kProduct, .device_ld = kProduct};
  }
  CutSizes whole = device_.options().cut;
  whole.panel = whole.small_panel = kProduct;
  const BlockPlan plan = plan_block(block.shape, whole);
  const double n = kProduct;
  return 2 * n * n * n / best_seconds([&] { device_.run_plan(block, plan); });
}

double latency_seconds(Device& device, const Calibration& rates) {
  const std::vector<float> operand(kSmall * kSmall, 1.0f);
  std::vector<float> result(kSmall * kSmall);
  const double seconds = best_seconds([&] { multiply(device, cube(kSmall, operand, result)); });
  const double bytes = 4.0 * kSmall * kSmall;
  return std::max(seconds - 2 * bytes / rates.in_bytes_per_s - bytes / rates.out_bytes_per_s, 0.1 * seconds);
}

}  // namespace

int fewest_near_best(const std::vector<ThreadTime>& times) {
  constexpr double kNear = 1.1;
  double best = times.front().seconds;
  for (const ThreadTime& each : times) best = std::min(best, each.seconds);
  int fewest = times.back().threads;
  for (const ThreadTime& each : times) {
    if (each.seconds <= kNear * best) fewest = std::min(fewest, each.threads);
  }
  return fewest;
}

Calibration measure_device(Device& device, CopyPool& pool, int max_threads, int sm_count) {
  Calibration result;
  result.sm_count = sm_count;
  Measurement measurement(device, pool);
  result.copy_threads = measurement.copy_threads(max_threads);
  pool.use(result.copy_threads);
  const CopyPool::Busy awake(pool);
  result.flops_per_s = measurement.product_flops_per_s();
  result.in_bytes_per_s = measurement.in_bytes_per_s();
  result.out_bytes_per_s = measurement.out_bytes_per_s();
  result.latency_s = latency_seconds(device, result);
  return result;
}

}  // namespace fastgemm::dropin
