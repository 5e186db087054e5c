// Launches: a grid runs at once. Blocks start in an order the seed shuffles; as many are resident as the options say.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

namespace fastgemm::emulation {

struct GridShape {
  std::int64_t blocks = 0;
  int threads = 0;
  std::int64_t shared_bytes = 0;
  int cluster = 1;  // blocks that run together and reach each other's shared memory
};

// What the last launch looked like, and how many there were.
struct LaunchRecord {
  std::int64_t count = 0;
  GridShape last;
};
LaunchRecord& launch_record();

// Runs the grid. A shape the driver would refuse is answered with the driver's error; a fault of the kernel is thrown
// as a Violation.
cudaError_t run_grid(const void* kernel, const GridShape& shape, const std::function<void()>& body);

// Dynamic shared memory past 48 KiB has to be asked for before.
cudaError_t allow_shared_bytes(const void* kernel, std::int64_t shared_bytes);

}  // namespace fastgemm::emulation
