// Measures a device and the copies to and from it.
#pragma once

#include "src/dropin/engine/calibration.h"
#include "src/dropin/engine/copy_pool.h"
#include "src/dropin/engine/device.h"

namespace fastgemm::dropin {

// Takes about a fifth of a second. On the device's thread; throws GpuFailure, or std::bad_alloc. Grows the pool to
// `max_threads` at most and leaves it at the best number.
Calibration measure_device(Device& device, CopyPool& pool, int max_threads, int sm_count);

}  // namespace fastgemm::dropin
