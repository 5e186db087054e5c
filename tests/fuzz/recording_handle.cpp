#include "tests/fuzz/recording_handle.h"

#include <cstdlib>
#include <cstring>

namespace fastgemm::test {
namespace {

cudaError_t record(const GemmProblem& problem, const LaunchContext&) {
  ++recording().launches;
  recording().problem = problem;
  return cudaSuccess;
}

KernelEntry kernel(const char* name, DataType type) {
  return {.name = name,
          .type_ab = type,
          .min_compute_capability = 75,
          .tile = {128, 128, 8},
          .stages = 4,
          .threads = 256,
          .sequential = true,
          .flops_per_clock_sm = 256.0,
          .prepare = [] { return cudaSuccess; },
          .launch = record};
}

const RuntimeCalls& no_device() {
  static const RuntimeCalls calls = {
      .allocate = [](void** memory, std::size_t bytes) {
        *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
        return cudaSuccess;
      },
      .release = [](void* memory) {
        std::free(memory);
        return cudaSuccess;
      },
      .zero = [](void* memory, std::size_t bytes) {
        std::memset(memory, 0, bytes);
        return cudaSuccess;
      },
      .mark_context = [] { return ContextMark{}; },
      .context_alive = [](const ContextMark&) { return true; },
      .exchange_capture_mode = [](cudaStreamCaptureMode*) { return true; }};
  return calls;
}

}  // namespace

Recording& recording() {
  static Recording last;
  return last;
}

std::unique_ptr<fg_handle> make_recording_handle() {
  static const KernelEntry f32 = kernel("recorded_f32", DataType::kFloat32);
  static const KernelEntry f16 = kernel("recorded_f16", DataType::kFloat16);
  const DeviceInfo device = {.ordinal = -1,
                             .compute_capability = 90,
                             .sm_count = 132,
                             .shared_bytes_per_block = 232448,
                             .l2_bytes = 50 << 20,
                             .clock_ghz = 1.98,
                             .memory_gbps = 4800.0};
  auto handle = std::make_unique<fg_handle>(device, std::vector<const KernelEntry*>{&f32, &f16}, std::size_t{1} << 20,
                                            no_device());
  handle->fallback_error = "none on this device";
  handle->workspace.add_stream(nullptr);
  return handle;
}

}  // namespace fastgemm::test
