// A GPU played by the host: device memory is host memory, launches run at once, and a clock that each of them moves by
// a set time stands in for the device's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fastgemm::test {

struct FakeGpu {
  double clock_ms = 0.0;
  double fastgemm_ms = 1.0;  // what a launch of ours takes; cuBLAS's take 4, 3 and from 2 up
  std::int64_t memory_limit = std::int64_t{1} << 31;
  std::int64_t live_bytes = 0;
  int flushes = 0;
  int own_launches = 0;
  std::size_t own_workspace = 0;     // that our handle was last given, and cuBLAS's
  std::size_t cublas_workspace = 0;
  float first_c = 0.0f;          // C(0,0) that our first launch with beta != 0 found
  bool c_moved = false;          // a later one found another
  bool wrong_element = false;    // our product gets one element wrong
  bool reads_old_c = false;      // our product adds C even where beta is 0
  bool fails_on_device = false;  // our launch breaks the device
  bool broken = false;           // it has
};

FakeGpu& fake_gpu();

}  // namespace fastgemm::test

// For the fake libraries.
extern "C" __attribute__((visibility("default"))) void fake_gpu_advance(double ms);
extern "C" __attribute__((visibility("default"))) void fake_gpu_cublas_workspace(std::size_t bytes);
