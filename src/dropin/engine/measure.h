// Measures a device and the copies to and from it.
#pragma once

#include <vector>

#include "src/dropin/engine/calibration.h"
#include "src/dropin/engine/copy_pool.h"
#include "src/dropin/engine/device.h"

namespace fastgemm::dropin {

// How long a product takes with so many threads that copy.
struct ThreadTime {
  int threads = 0;
  double seconds = 0;
};

// The fewest threads of those with which it takes at most a tenth longer than with the best number. More of them take
// time from the one that issues copies; and one time that is out leads to no number far from the best.
// Milliseconds on an H200 with 16 CPUs, 4, 8 and 14 threads: 1024 cubed 0.41, 0.46, 0.49; 2048 1.21, 1.25, 1.32; 4096
// 5.45, 4.58, 4.71; 8192 26.2, 24.3, 24.5.
int fewest_near_best(const std::vector<ThreadTime>& times);

// Takes about a third of a second beside an H200 with 16 CPUs. On the device's thread; throws GpuFailure, or
// std::bad_alloc. Grows the pool to `max_threads` at most and leaves it at the chosen number.
Calibration measure_device(Device& device, CopyPool& pool, int max_threads, int sm_count);

}  // namespace fastgemm::dropin
