#include "src/cli/bench/timing.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "src/cli/bench/statistics.h"
#include "src/cli/device_ops.h"

namespace fastgemm::cli {
namespace {

// A heuristic this far behind the best after one try is not tried again.
constexpr double kHopeless = 1.5;

// Two events a trial, for launches that are not waited for one by one.
class EventPairs {
 public:
  explicit EventPairs(int count) : events_(static_cast<std::size_t>(2 * count)) {
    for (cudaEvent_t& event : events_) require(cudaEventCreate(&event), "cudaEventCreate");
  }
  ~EventPairs() {
    for (const cudaEvent_t event : events_) {
      if (event != nullptr) cudaEventDestroy(event);
    }
  }
  EventPairs(const EventPairs&) = delete;
  EventPairs& operator=(const EventPairs&) = delete;
  cudaEvent_t start(int i) const { return events_[static_cast<std::size_t>(2 * i)]; }
  cudaEvent_t stop(int i) const { return events_[static_cast<std::size_t>(2 * i + 1)]; }

 private:
  std::vector<cudaEvent_t> events_;
};

double elapsed_ms(cudaEvent_t start, cudaEvent_t stop) {
  float ms = 0.0f;
  require(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
  return static_cast<double>(ms);
}

constexpr int kHostCalls = 100;  // well under what the driver queues before it makes the caller wait

}  // namespace

Timer::Timer(const TimingOptions& options, cudaStream_t stream) : options_(options), stream_(stream) {
  if (options_.regime == Regime::kBackToBack || options_.regime == Regime::kHost) options_.flush = false;
  require(cudaEventCreate(&start_), "cudaEventCreate");
  require(cudaEventCreate(&stop_), "cudaEventCreate");
  scratch_ = DeviceBuffer(kFlushBytes);
}

Timer::~Timer() {
  if (start_ != nullptr) cudaEventDestroy(start_);
  if (stop_ != nullptr) cudaEventDestroy(stop_);
}

double Timer::time_one(const Launch& launch, const Launch& before, std::string* error) {
  if (options_.regime == Regime::kIdle) std::this_thread::sleep_for(std::chrono::milliseconds(options_.idle_ms));
  if (before) *error = before();
  // The flush also keeps the GPU busy while the host enqueues, so that the launch itself is not waited for.
  if (options_.flush) require(flush_l2(scratch_.data(), kFlushBytes, stream_), "flushing L2");
  require(cudaEventRecord(start_, stream_), "cudaEventRecord");
  if (error->empty()) *error = launch();
  require(cudaEventRecord(stop_, stream_), "cudaEventRecord");
  require(cudaEventSynchronize(stop_), "waiting for a product");
  return error->empty() ? elapsed_ms(start_, stop_) : -1.0;
}

Timer::Times Timer::measure(const std::vector<Launch>& launches, const Launch& before) {
  Times result;
  result.times.resize(launches.size());
  result.errors.resize(launches.size());
  if (options_.regime == Regime::kHost) {
    measure_host(launches, before, result);
  } else if (options_.regime == Regime::kBackToBack) {
    measure_back_to_back(launches, before, result);
  } else {
    measure_alternating(launches, before, result);
  }
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (!result.errors[i].empty()) result.times[i].clear();
  }
  return result;
}

void Timer::measure_alternating(const std::vector<Launch>& launches, const Launch& before, Times& result) {
  for (int trial = -options_.warm_up; trial < options_.trials; ++trial) {
    for (std::size_t step = 0; step < launches.size(); ++step) {
      // Another contender goes first each time, so that none is always the one after a heavy neighbour.
      const std::size_t i = (step + static_cast<std::size_t>(trial + options_.warm_up)) % launches.size();
      if (!result.errors[i].empty()) continue;
      const double ms = time_one(launches[i], before, &result.errors[i]);
      if (trial >= 0 && result.errors[i].empty()) result.times[i].push_back(ms);
    }
  }
}

// Contenders alternate trial by trial; a trial is kHostCalls calls, and its time that of one of them.
void Timer::measure_host(const std::vector<Launch>& launches, const Launch& before, Times& result) {
  using Clock = std::chrono::steady_clock;
  for (int trial = -options_.warm_up; trial < options_.trials; ++trial) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      std::string& error = result.errors[i];
      if (error.empty() && before) error = before();
      require(cudaStreamSynchronize(stream_), "waiting for products");
      const Clock::time_point begin = Clock::now();
      for (int call = 0; call < kHostCalls && error.empty(); ++call) error = launches[i]();
      const std::chrono::duration<double, std::milli> elapsed = Clock::now() - begin;
      require(cudaStreamSynchronize(stream_), "waiting for products");
      if (trial >= 0 && error.empty()) result.times[i].push_back(elapsed.count() / kHostCalls);
    }
  }
}

void Timer::measure_back_to_back(const std::vector<Launch>& launches, const Launch& before, Times& result) {
  const EventPairs events(options_.trials);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    std::string& error = result.errors[i];
    if (before) error = before();
    for (int trial = -options_.warm_up; trial < options_.trials && error.empty(); ++trial) {
      if (trial >= 0) require(cudaEventRecord(events.start(trial), stream_), "cudaEventRecord");
      error = launches[i]();
      if (trial >= 0) require(cudaEventRecord(events.stop(trial), stream_), "cudaEventRecord");
    }
    require(cudaStreamSynchronize(stream_), "waiting for products");
    for (int trial = 0; trial < options_.trials && error.empty(); ++trial) {
      result.times[i].push_back(elapsed_ms(events.start(trial), events.stop(trial)));
    }
  }
}

std::vector<double> Timer::quick_times(const std::vector<Launch>& launches, const Launch& before, int tries) {
  std::vector<std::vector<double>> times(launches.size());
  std::vector<std::string> errors(launches.size());
  double best = -1.0;
  for (int round = -1; round < tries; ++round) {  // round -1 warms up
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (!errors[i].empty()) continue;
      const double ms = time_one(launches[i], before, &errors[i]);
      if (round < 0 || !errors[i].empty()) continue;
      times[i].push_back(ms);
      if (best < 0.0 || ms < best) best = ms;
    }
    for (std::size_t i = 0; round == 0 && i < launches.size(); ++i) {
      if (errors[i].empty() && times[i].front() > kHopeless * best) errors[i] = "far behind";
    }
  }
  std::vector<double> medians;
  for (std::size_t i = 0; i < launches.size(); ++i) medians.push_back(errors[i].empty() ? median(times[i]) : -1.0);
  return medians;
}

}  // namespace fastgemm::cli
