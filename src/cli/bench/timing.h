// Times launches with events, under one of several regimes. Power history changes figures by 20 %, so a figure is worth
// little without its regime.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "src/cli/bench/device_buffer.h"
#include "src/cli/contenders/contender.h"

namespace fastgemm::cli {

enum class Regime {
  kInterleaved,  // contenders alternate launch by launch
  kIdle,         // as interleaved, with a pause before each launch
  kBackToBack,   // all launches of one contender without pause or flush, then the next contender's
  kHost          // the host's time of a call, not the GPU's: calls in a row, as many as the driver queues
};

struct TimingOptions {
  Regime regime = Regime::kInterleaved;
  int idle_ms = 0;
  int trials = 21;
  int warm_up = 3;
  bool flush = true;  // not in kBackToBack
};

// Bytes written before a launch so that L2 holds nothing of the operands: twice the largest L2 in use.
inline constexpr std::int64_t kFlushBytes = std::int64_t{256} * 1000 * 1000;

class Timer {
 public:
  Timer(const TimingOptions& options, cudaStream_t stream);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // times[i] holds the milliseconds of launch i, a trial each; empty where it failed, with errors[i] set. `before`
  // runs, untimed, ahead of each launch (null: nothing). Throws CudaFailure where the device has failed.
  struct Times {
    std::vector<std::vector<double>> times;
    std::vector<std::string> errors;
  };
  Times measure(const std::vector<Launch>& launches, const Launch& before);

  // Medians of a few alternating tries after one warm-up. Negative: the launch failed, or was so far behind after one
  // try that it was dropped.
  std::vector<double> quick_times(const std::vector<Launch>& launches, const Launch& before, int tries);

 private:
  // One launch between two events; the time, or a negative one with *error set.
  double time_one(const Launch& launch, const Launch& before, std::string* error);
  void measure_alternating(const std::vector<Launch>& launches, const Launch& before, Times& result);
  void measure_host(const std::vector<Launch>& launches, const Launch& before, Times& result);
  void measure_back_to_back(const std::vector<Launch>& launches, const Launch& before, Times& result);

  TimingOptions options_;
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
  DeviceBuffer scratch_;
};

}  // namespace fastgemm::cli
