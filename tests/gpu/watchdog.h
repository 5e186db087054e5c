// Ends the process with a text where nothing has moved for a while: a kernel that waits for ever would else leave only
// the time limit of whoever started the test.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace fastgemm::gpu_tests {

class Watchdog {
 public:
  // `where` is called by the watchdog's thread alone.
  Watchdog(std::chrono::milliseconds limit, std::function<std::string()> where)
      : limit_(limit), where_(std::move(where)), thread_([this] { watch(); }) {}

  ~Watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      done_ = true;
    }
    condition_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void tick() { ++ticks_; }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    std::int64_t last = -1;
    while (last != ticks_) {
      last = ticks_;
      if (condition_.wait_for(lock, limit_, [this] { return done_; })) return;
    }
    std::fprintf(stderr, "nothing has moved for %lld ms: %s\n", static_cast<long long>(limit_.count()),
                 where_().c_str());
    std::fflush(stderr);
    std::_Exit(3);
  }

  const std::chrono::milliseconds limit_;
  const std::function<std::string()> where_;
  std::atomic<std::int64_t> ticks_{0};
  std::mutex mutex_;
  std::condition_variable condition_;
  bool done_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace fastgemm::gpu_tests
