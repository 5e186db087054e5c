// A CUDA runtime without a GPU: two devices, device memory that nobody follows, launches that only count. Each of its
// functions can be made to fail (call_counter.h), and keeps the rules that a careless caller breaks: what failed stays
// for cudaGetLastError to find, the current device and the capture mode stay as they were left.
#pragma once

#include <cuda_runtime_api.h>

namespace fastgemm::test {

inline constexpr int kFakeSmCount = 132;
inline constexpr int kMaxFakeAllocations = 64;

struct FakeCuda {
  int device_count = 2;
  int compute_capability = 90;
  int device = 0;                                            // current
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;  // of the one thread
  cudaError_t pending = cudaSuccess;                         // for cudaGetLastError
  int launches = 0;
  int streams = 0;  // made and not destroyed
  int faults = 0;  // calls that were wrong in themselves: an unknown address freed, a bad launch, the wrong device
  const void* live[kMaxFakeAllocations] = {};
  // As they were when the call that was made to fail came in.
  int device_at_failure = 0;
  cudaStreamCaptureMode mode_at_failure = cudaStreamCaptureModeGlobal;

  int allocations() const;
};

FakeCuda& fake_cuda();

}  // namespace fastgemm::test
