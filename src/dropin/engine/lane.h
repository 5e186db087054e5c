// What a product needs on its device beside the matrices: streams, events and the pinned ring. Made once.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "src/dropin/engine/gpu_runtime.h"

namespace fastgemm::dropin {

struct LaneSizes {
  int slots = 32;                           // buffers a direction
  std::int64_t slot_elements = 1 << 18;     // 1 MiB each: small enough that the ring stays in the CPU's cache
  int compute_streams = 3;                  // strips are narrow: several fill the GPU together
};

struct Slot {
  float* buffer = nullptr;
  cudaEvent_t event = nullptr;    // the device is done with the buffer
  std::atomic<bool> ready{true};  // the pool is done with it
};

class Lane {
 public:
  // Throws GpuFailure. Nothing is given back then or ever: a lane lives as long as its process.
  void open(GpuRuntime& runtime, const LaneSizes& sizes);

  // The event behind the product of a step.
  cudaEvent_t computed(GpuRuntime& runtime, std::size_t step);

  cudaStream_t in = nullptr;
  cudaStream_t out = nullptr;
  std::vector<cudaStream_t> compute;
  cudaEvent_t arrived = nullptr;
  std::deque<Slot> in_slots;
  std::deque<Slot> out_slots;

 private:
  std::vector<cudaEvent_t> computed_;
};

}  // namespace fastgemm::dropin
