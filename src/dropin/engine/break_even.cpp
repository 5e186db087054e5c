#include "src/dropin/engine/break_even.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace fastgemm::dropin {

double gpu_seconds(const HostGemm& gemm, const Calibration& c) {
  const double m = static_cast<double>(gemm.m), n = static_cast<double>(gemm.n), k = static_cast<double>(gemm.k);
  const double in = 4.0 * (m * k + k * n + (gemm.beta != 0.0f ? m * n : 0.0));
  const double out = 4.0 * m * n;
  // k is one chain, so a product of few tiles fills few SMs however long k is.
  const double tiles = std::ceil(m * (1.0 / 128)) * std::ceil(n * (1.0 / 128));
  const double filled = std::min(1.0, tiles / c.sm_count);
  return c.latency_s + in / c.in_bytes_per_s + out / c.out_bytes_per_s + 2.0 * m * n * k / (c.flops_per_s * filled);
}

std::size_t HostRates::slot(const HostBlas& host, std::size_t probe) {
  const auto hash = (reinterpret_cast<std::uintptr_t>(&host) >> 4) * 0x9e3779b97f4a7c15u;  // Fibonacci hashing
  return ((hash >> 32) + probe) % kCapacity;
}

double HostRates::find(const HostBlas& host) const {
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    const Entry& entry = entries_[slot(host, probe)];
    const HostBlas* const candidate = entry.host.load(std::memory_order_acquire);
    if (candidate == &host) return entry.flops_per_s.load(std::memory_order_relaxed);
    if (candidate == nullptr) break;
  }
  return 0;
}

double HostRates::find_by_name(const std::string& name) const {
  for (const Entry& entry : entries_) {
    const HostBlas* const candidate = entry.host.load(std::memory_order_acquire);
    if (candidate != nullptr && candidate->name() == name) return entry.flops_per_s.load(std::memory_order_relaxed);
  }
  return 0;
}

void HostRates::note(const HostBlas& host, double flops_per_s) {
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    Entry& entry = entries_[slot(host, probe)];
    const HostBlas* expected = nullptr;
    if (!entry.host.compare_exchange_strong(expected, &host, std::memory_order_acq_rel) && expected != &host) continue;
    double unknown = 0;
    entry.flops_per_s.compare_exchange_strong(unknown, flops_per_s);
    return;
  }
}

double measure_host(const HostBlas& host) {
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t kLargest = 1024;
  constexpr double kEnough = 4e-3;  // seconds: what runs so long runs at its rate
  std::vector<float> operand(kLargest * kLargest, 0.75f), result(kLargest * kLargest);
  double best = 0;
  for (std::int64_t size = 256; size <= kLargest; size *= 2) {
    double seconds = 0;
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Clock::time_point start = Clock::now();
      host.sgemm({.m = size, .n = size, .k = size, .a = operand.data(), .lda = size, .b = operand.data(), .ldb = size,
                  .c = result.data(), .ldc = size});
      seconds = std::chrono::duration<double>(Clock::now() - start).count();
      best = std::max(best, 2.0 * static_cast<double>(size * size * size) / seconds);
      if (seconds > kEnough) break;
    }
    if (seconds > kEnough) break;
  }
  return best;
}

}  // namespace fastgemm::dropin
