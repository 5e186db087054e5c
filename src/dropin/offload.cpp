// The one engine of the process: when it starts, and when it must not be used any more.
#include "src/dropin/offload.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include "src/base/log.h"
#include "src/dropin/engine/engine.h"
#include "src/dropin/engine/process.h"
#include "src/dropin/engine/settings.h"

namespace fastgemm::dropin {

namespace {

// What CUDA and the engine take to start. Programs whose products would not have gained as much are left alone.
constexpr double kStartSeconds = 0.5;
// Of a BLAS that has not been timed: what a good one reaches on a CPU core.
constexpr double kAssumedFlopsPerCpu = 30e9;
constexpr double kSlowestHost = 1e9;  // FLOP/s of a plain loop

// All that outlives static objects: products may come from any destructor.
struct Process {
  std::mutex starting;             // held by the thread that starts the engine, or times a host BLAS
  CopyPool pool;
  HostRates rates;
  std::atomic<double> missed{0};  // seconds that the GPU would have saved so far
  Engine* started = nullptr;      // stays, with its threads, also when it is not used any more
};

std::atomic<Process*> process{nullptr};
std::atomic<Engine*> engine{nullptr};  // usable
std::atomic<bool> closed{false};       // no GPU, a child of fork, or the end of the process
GpuRuntime* other_runtime = nullptr;

void close_engine() {
  closed.store(true, std::memory_order_relaxed);
  engine.store(nullptr, std::memory_order_relaxed);
}

// A product that another thread has on the device is let through, for a while: CUDA is about to go.
void at_exit() {
  Engine* const running = engine.load();
  close_engine();
  for (int waited_ms = 0; running != nullptr && !running->idle() && waited_ms < 2000; ++waited_ms) {
    const timespec pause = {0, 1000000};
    nanosleep(&pause, nullptr);
  }
}

Process& the_process() {
  Process* there = process.load(std::memory_order_acquire);
  if (there != nullptr) return *there;
  auto made = std::make_unique<Process>();
  return process.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel) ? *made.release() : *there;
}

// Threads run code of this library from now on: it stays mapped, whatever dlclose says.
void stay_loaded() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&stay_loaded), &self) == 0 || self.dli_fname == nullptr) return;
  dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

const char* process_variable(const char* name) { return secure_getenv(name); }

void log_rates(const Engine& started) {
  if (!log_enabled(LogLevel::kInfo)) return;
  const Calibration& c = started.calibration();
  char text[200];
  std::snprintf(text, sizeof text,
                "drop-in: GPUs %d, GB/s to them %.1f, back %.1f, copying threads %d, TFLOP/s %.1f, latency %.0f us",
                started.usable_devices(), c.in_bytes_per_s * 1e-9, c.out_bytes_per_s * 1e-9, c.copy_threads,
                c.flops_per_s * 1e-12, c.latency_s * 1e6);
  log_line(LogLevel::kInfo, text);
}

void start_engine(Process& mine) {
  stay_loaded();
  pthread_atfork(nullptr, nullptr, close_engine);
  GpuRuntime& runtime = other_runtime != nullptr ? *other_runtime : cuda_gpu_runtime();
  std::string error;
  int count = 0;
  runtime.count_devices(&count);  // start() tells what fails
  const EngineOptions options = engine_options(environment(), process_variable, count);
  std::unique_ptr<Engine> started = Engine::start(runtime, mine.pool, options, &error);
  if (started == nullptr) {
    log_line(LogLevel::kInfo, "drop-in: products stay on the host: " + error);
    close_engine();
    return;
  }
  log_rates(*started);
  std::atexit(at_exit);  // after CUDA's own, so it runs before
  mine.started = started.release();
  engine.store(mine.started, std::memory_order_release);
}

// The rate of this BLAS. Times it where that has not been done; 0 where another thread is at that.
double host_rate(Process& mine, const HostBlas& host) {
  const double known = mine.rates.find(host);
  if (known > 0) return known;
  const std::unique_lock lock(mine.starting, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  double rate = mine.rates.find_by_name(host.name());
  if (!(rate > 0)) rate = measure_host(host);
  mine.rates.note(host, rate);
  if (log_enabled(LogLevel::kInfo)) {
    log_line(LogLevel::kInfo, "drop-in: GFLOP/s of " + host.name() + ": " + std::to_string(std::lround(rate * 1e-9)));
  }
  return rate;
}

// Has the program waited long enough for products that a GPU would have been faster at?
bool time_to_start(Process& mine, double saved_seconds) {
  if (environment().dropin == DropinMode::kOn || environment().dropin == DropinMode::kVerify) return true;
  double missed = mine.missed.load(std::memory_order_relaxed);
  while (!mine.missed.compare_exchange_weak(missed, missed + saved_seconds)) {
  }
  return missed + saved_seconds >= kStartSeconds;
}

// Of a host BLAS that has not been timed. With no lock, as environment().
double assumed_rate() {
  static constinit std::atomic<double> known = 0.0;
  double rate = known.load(std::memory_order_relaxed);
  if (rate == 0.0) known.store(rate = kAssumedFlopsPerCpu * usable_cpus(), std::memory_order_relaxed);
  return rate;
}

// Before there is an engine: is this product the reason to start it?
bool consider_start(const HostGemm& gemm, const HostBlas& host) {
  Process& mine = the_process();
  const Calibration assumed = assumed_calibration();
  const double gpu = gpu_seconds(gemm, assumed);
  const double flops = 2.0 * volume(gemm);
  const double known = mine.rates.find(host);
  const double saved = flops / (known > 0 ? known : assumed_rate()) - environment().min_speedup * gpu;
  if (saved <= 0 || !time_to_start(mine, saved)) return false;
  const std::unique_lock lock(mine.starting, std::try_to_lock);
  if (!lock.owns_lock() || closed || engine.load() != nullptr) return false;
  start_engine(mine);
  return engine.load(std::memory_order_acquire) != nullptr;
}

}  // namespace

void use_gpu_runtime(GpuRuntime& runtime) { other_runtime = &runtime; }

bool worth_offloading(const HostGemm& gemm, const HostBlas& host) noexcept {
  if (volume(gemm) < kSmallestVolume || closed.load(std::memory_order_relaxed)) return false;
  try {
    Engine* running = engine.load(std::memory_order_acquire);
    if (running == nullptr) {
      if (!consider_start(gemm, host)) return false;
      running = engine.load(std::memory_order_acquire);
      if (running == nullptr) return false;
    }
    Process& mine = the_process();
    const double rate = mine.rates.find(host);
    if (rate > 0) return running->worth(gemm, rate);
    if (!running->worth(gemm, kSlowestHost)) return false;
    return running->worth(gemm, host_rate(mine, host));
  } catch (const std::exception&) {
    return false;
  }
}

OffloadResult offload_sgemm(const HostGemm& gemm, const HostBlas& host) noexcept {
  Engine* const running = engine.load(std::memory_order_acquire);
  return running == nullptr ? OffloadResult::kDeclined : running->multiply(gemm, host);
}

bool host_can_read(const HostGemm& gemm) noexcept {
  Engine* const running = engine.load(std::memory_order_acquire);
  return running == nullptr || running->host_can_read(gemm);
}

}  // namespace fastgemm::dropin
