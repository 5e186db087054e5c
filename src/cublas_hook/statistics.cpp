#include "src/cublas_hook/statistics.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "src/base/environment.h"
#include "src/base/log.h"

namespace fastgemm::hook {
namespace {

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
void forget_in_child() {
  for (EntryCounter& counter : counters) {
    counter.served = 0;
    counter.passed = 0;
  }
}

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

std::string counts(std::uint64_t served, std::uint64_t passed) {
  return " served=" + std::to_string(served) + " passed=" + std::to_string(passed) + "\n";
}

}  // namespace

void count_call(Entry entry, bool served) {
  if (!wanted()) return;
  EntryCounter& counter = counters[entry];
  (served ? counter.served : counter.passed).fetch_add(1, std::memory_order_relaxed);
}

std::string format_statistics(const Statistics& counted) {
  std::uint64_t served = 0;
  std::uint64_t passed = 0;
  std::string entries;
  for (int i = 0; i < kEntries; ++i) {
    const std::uint64_t entry_served = counted[i].served;
    const std::uint64_t entry_passed = counted[i].passed;
    served += entry_served;
    passed += entry_passed;
    if (entry_served + entry_passed == 0) continue;
    entries += std::string("stats entry=") + kEntryNames[i] + counts(entry_served, entry_passed);
  }
  return "stats cublas pid=" + std::to_string(getpid()) + counts(served, passed) + entries;
}

}  // namespace fastgemm::hook
