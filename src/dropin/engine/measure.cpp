#include "src/dropin/engine/measure.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "src/dropin/engine/failure.h"

namespace fastgemm::dropin {

namespace {

// 80 MiB, two and a half rings: so buffers are filled as for large products, which threads matter most to.
constexpr std::int64_t kRows = 8192, kColumns = 2560;
constexpr std::int64_t kProduct = 4096;                // fills the GPU
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

struct CopyTimes {
  double in = 0, out = 0, both = 0;
};

class CopyMeasurement {
 public:
  explicit CopyMeasurement(Device& device)
      : device_(device), host_in_(kRows * kColumns, 1.0f), host_out_(kRows * kColumns) {
    float* const memory = device.reserve(2 * kRows * kColumns);
    block_.shape = {.m = kRows, .n = kColumns, .k = kColumns};
    block_.a = {host_in_.data(), kRows, kRows, memory, kRows};
    block_.c = {host_out_.data(), kRows, kRows, memory + kRows * kColumns, kRows};
    // In panels of rows: columns that are broken up are the slower case.
    constexpr std::int64_t kPanel = 1024;
    for (std::int64_t row = 0; row < kRows; row += kPanel) {
      add_chunks(Matrix::kA, {row, 0, kPanel, kColumns}, 0, device.options().cut.chunk_elements, &in_);
      add_chunks(Matrix::kC, {row, 0, kPanel, kColumns}, 0, device.options().cut.chunk_elements, &out_);
    }
  }

  CopyTimes run() {
    const std::vector<Rect> none(1);
    return {.in = best_seconds([&] { device_.run_plan(block_, {in_, none, {}}); }),
            .out = best_seconds([&] { device_.run_plan(block_, {{}, none, out_}); }),
            .both = best_seconds([&] { device_.run_plan(block_, {in_, none, out_}); })};
  }

 private:
  Device& device_;
  std::vector<float> host_in_, host_out_;
  Block block_;
  std::vector<Chunk> in_, out_;
};

// Twice the threads only where copies gain 10 %: in a product they take time from those that issue its copies.
// Milliseconds on an H200 with 16 CPUs, 4, 8 and 14 threads: 1024 cubed 0.41, 0.46, 0.49; 2048 1.21, 1.25, 1.32; 4096
// 5.45, 4.58, 4.71; 8192 26.2, 24.3, 24.5.
void measure_copies(Device& device, CopyPool& pool, int max_threads, Calibration* result) {
  CopyMeasurement measurement(device);
  const double bytes = 4.0 * kRows * kColumns;
  double best = 1e9;
  for (int threads = std::min(1, max_threads);; threads = std::min(2 * threads, max_threads)) {
    pool.grow(threads);
    pool.use(threads);
    const CopyPool::Busy awake(pool);
    const CopyTimes times = measurement.run();
    if (times.both < 0.9 * best) {
      best = times.both;
      result->copy_threads = threads;
      result->in_bytes_per_s = bytes / times.in;
      result->out_bytes_per_s = bytes / times.out;
    }
    if (threads == max_threads) break;
  }
  pool.use(result->copy_threads);
}

// A product of matrices that lie on the device already.
double product_flops_per_s(Device& device) {
  float* const memory = device.reserve(3 * kProduct * kProduct);
  Block block;
  block.shape = {.m = kProduct, .n = kProduct, .k = kProduct, .a = Route::kStay, .b = Route::kStay,
                 .c_in = Route::kStay, .c_out = Route::kStay};
  BlockMatrix* const matrices[] = {&block.a, &block.b, &block.c};
  for (int index = 0; index < 3; ++index) {
    *matrices[index] = {.rows = kProduct, .device = memory + index * kProduct * kProduct, .device_ld = kProduct};
  }
  CutSizes whole = device.options().cut;
  whole.panel = whole.small_panel = kProduct;
  const BlockPlan plan = plan_block(block.shape, whole);
  const double n = kProduct;
  return 2 * n * n * n / best_seconds([&] { device.run_plan(block, plan); });
}

double latency_seconds(Device& device, const Calibration& rates) {
  std::vector<float> operand(kSmall * kSmall, 1.0f), result(kSmall * kSmall);
  const double seconds = best_seconds([&] {
    ShareResult outcome;
    outcome.unwritten.reserve(1);
    device.multiply({.m = kSmall, .n = kSmall, .k = kSmall, .a = operand.data(), .lda = kSmall, .b = operand.data(),
                     .ldb = kSmall, .c = result.data(), .ldc = kSmall},
                    &outcome);
    if (outcome.failed) throw GpuFailure(outcome.error);
  });
  const double bytes = 4.0 * kSmall * kSmall;
  return std::max(seconds - 2 * bytes / rates.in_bytes_per_s - bytes / rates.out_bytes_per_s, 0.1 * seconds);
}

}  // namespace

Calibration measure_device(Device& device, CopyPool& pool, int max_threads, int sm_count) {
  Calibration result;
  result.sm_count = sm_count;
  measure_copies(device, pool, max_threads, &result);
  result.flops_per_s = product_flops_per_s(device);
  const CopyPool::Busy awake(pool);
  result.latency_s = latency_seconds(device, result);
  return result;
}

}  // namespace fastgemm::dropin
