#include "src/dropin/statistics.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string_view>

#include "src/base/environment.h"
#include "src/base/log.h"

namespace fastgemm::dropin {
namespace {

constexpr std::array<std::string_view, kOutcomes> kOutcomeNames = {"offloaded", "retreated", "declined", "not_worth",
                                                                   "invalid",   "nested",    "inactive"};
constexpr int kSmallestEdgeLog2 = 4;

Statistics counters;

// Lines for people who asked for them are not a matter of the log's level.
void print_at_exit() {
  Environment always = environment();
  always.log = LogLevel::kTrace;
  const std::string text = format_statistics(counters);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    log_line_to(always, LogLevel::kTrace, std::string_view(text).substr(start, end - start));
    start = end + 1;
  }
}

// The child of a fork counts its own calls.
void forget_in_child() { new (&counters) Statistics; }

// Whether calls are counted; the first to ask arranges what is to be done with the counts. With no lock, as
// environment().
bool wanted() {
  if (!environment().stats) return false;
  static constinit std::atomic<bool> arranged = false;
  if (!arranged.load(std::memory_order_relaxed) && !arranged.exchange(true)) {
    pthread_atfork(nullptr, nullptr, &forget_in_child);
    std::atexit(&print_at_exit);
  }
  return true;
}

bool on_device(Outcome outcome) { return outcome == Outcome::kOffloaded || outcome == Outcome::kRetreated; }

void add(CallCounter* counter, double flops, std::int64_t nanoseconds) {
  counter->calls.fetch_add(1, std::memory_order_relaxed);
  counter->nanoseconds.fetch_add(static_cast<std::uint64_t>(nanoseconds), std::memory_order_relaxed);
  counter->flops.fetch_add(flops, std::memory_order_relaxed);
}

class Line {
 public:
  explicit Line(std::string start) : text_(std::move(start)) {}
  void add(std::string_view key, std::uint64_t value) { add(key, std::string_view(std::to_string(value))); }
  void add_real(std::string_view key, double value) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 3).ptr;
    add(key, std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }
  std::string take() { return std::move(text_) + "\n"; }

 private:
  void add(std::string_view key, std::string_view value) {
    text_ += ' ';
    text_ += key;
    text_ += '=';
    text_ += value;
  }

  std::string text_;
};

struct Sum {
  std::uint64_t calls = 0;
  double seconds = 0.0;
  double gflop = 0.0;
  void add(const CallCounter& counter) {
    calls += counter.calls;
    seconds += static_cast<double>(counter.nanoseconds) * 1e-9;
    gflop += counter.flops * 1e-9;
  }
};

std::string size_line(int index, const SizeCounter& counted) {
  Line line("stats");
  const std::uint64_t edge = std::uint64_t{1} << (kSmallestEdgeLog2 + index);
  if (index + 1 < kSizeClasses) {
    line.add("up_to", edge);
  } else {
    line.add("above", edge / 2);
  }
  line.add("calls", counted.on_device.calls + counted.on_host.calls);
  line.add("offloaded", counted.on_device.calls);
  for (const auto& [where, counter] : {std::pair{"device", &counted.on_device}, {"host", &counted.on_host}}) {
    Sum sum;
    sum.add(*counter);
    line.add_real(std::string(where) + "_s", sum.seconds);
    line.add_real(std::string(where) + "_gflop", sum.gflop);
  }
  return line.take();
}

}  // namespace

int size_class(const HostGemm& g) {
  const double products = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  int index = 0;
  for (double edge = 1 << kSmallestEdgeLog2; index + 1 < kSizeClasses && products > edge * edge * edge; edge *= 2)
    ++index;
  return index;
}

bool statistics_wanted() { return wanted(); }

Statistics& statistics() { return counters; }

void count_call(Outcome outcome, const HostGemm& gemm, std::int64_t nanoseconds) {
  if (statistics_wanted()) count_call(outcome, gemm, nanoseconds, &counters);
}

void count_call(Outcome outcome, const HostGemm& g, std::int64_t nanoseconds, Statistics* counted) {
  const double flops = 2.0 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  add(&counted->by_outcome[static_cast<std::size_t>(outcome)], flops, nanoseconds);
  if (outcome == Outcome::kInvalid || outcome == Outcome::kNested) return;
  SizeCounter& of_size = counted->by_size[static_cast<std::size_t>(size_class(g))];
  add(on_device(outcome) ? &of_size.on_device : &of_size.on_host, flops, nanoseconds);
}

std::string format_statistics(const Statistics& counted) {
  Line line("stats pid=" + std::to_string(getpid()));
  Sum device, host;
  for (int i = 0; i < kOutcomes; ++i) {
    const Outcome outcome = static_cast<Outcome>(i);
    if (outcome != Outcome::kNested) (on_device(outcome) ? device : host).add(counted.by_outcome[i]);
  }
  line.add("calls", device.calls + host.calls);
  for (int i = 0; i < kOutcomes; ++i) line.add(kOutcomeNames[i], counted.by_outcome[i].calls);
  line.add_real("device_s", device.seconds);
  line.add_real("device_gflop", device.gflop);
  line.add_real("host_s", host.seconds);
  line.add_real("host_gflop", host.gflop);
  line.add_real("to_device_mb", static_cast<double>(counted.bytes_to_device) * 1e-6);
  line.add_real("to_host_mb", static_cast<double>(counted.bytes_to_host) * 1e-6);
  std::string text = line.take();
  for (int i = 0; i < kSizeClasses; ++i) {
    const SizeCounter& of_size = counted.by_size[i];
    if (of_size.on_device.calls + of_size.on_host.calls != 0) text += size_line(i, of_size);
  }
  return text;
}

}  // namespace fastgemm::dropin
