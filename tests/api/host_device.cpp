#include "tests/api/host_device.h"

#include <cuda_fp16.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "src/base/half.h"

namespace fastgemm::test {
namespace {

std::mutex counts_mutex;

float load(const void* data, DataType type, std::int64_t index) {
  if (type == DataType::kFloat32) return static_cast<const float*>(data)[index];
  return half_to_float(static_cast<const std::uint16_t*>(data)[index]);
}

void store(void* data, DataType type, std::int64_t index, float value) {
  if (type == DataType::kFloat32) {
    static_cast<float*>(data)[index] = value;
  } else {
    static_cast<__half*>(data)[index] = __float2half_rn(value);
  }
}

float value_of(const Scalar& scalar) {
  return scalar.device != nullptr ? load(scalar.device, scalar.device_type, 0) : scalar.value;
}

const void* entry_of(const Operand& x, DataType type, std::int64_t entry) {
  if (x.pointers != nullptr) return x.pointers[entry];
  if (x.data == nullptr) return nullptr;
  return static_cast<const char*>(x.data) + entry * x.batch_stride * element_size(type);
}

struct Entry {
  const void* a;
  const void* b;
  const void* c;
  void* d;
  const void* bias;
};

float element(const GemmProblem& p, const Entry& x, std::int64_t i, std::int64_t j) {
  const float alpha = value_of(p.alpha);
  const float beta = value_of(p.beta);
  float value = 0.0f;
  if (p.k > 0 && alpha != 0.0f) {
    for (std::int64_t l = 0; l < p.k; ++l) {
      value += load(x.a, p.type_ab, p.op_a == Op::kN ? i + l * p.a.ld : l + i * p.a.ld) *
               load(x.b, p.type_ab, p.op_b == Op::kN ? l + j * p.b.ld : j + l * p.b.ld);
    }
    value *= alpha;
  }
  if (beta != 0.0f) value += beta * load(x.c, p.type_cd, i + j * p.c.ld);
  if (x.bias != nullptr) value += load(x.bias, p.type_cd, i);
  return p.activation == Activation::kRelu && value < 0.0f ? 0.0f : value;
}

cudaError_t multiply(const GemmProblem& p, const LaunchContext& context) {
  {
    const std::lock_guard lock(counts_mutex);
    HostDeviceCounts& counts = host_device_counts();
    ++counts.launches;
    counts.last_context = context;
    counts.last_problem = p;
  }
  const Operand d = {.data = p.d.data, .pointers = p.d.pointers, .ld = p.d.ld, .batch_stride = p.d.batch_stride};
  const Operand bias = {.data = p.bias, .batch_stride = p.bias_stride};
  for (std::int64_t entry = 0; entry < p.batch_count; ++entry) {
    const Entry x = {entry_of(p.a, p.type_ab, entry), entry_of(p.b, p.type_ab, entry), entry_of(p.c, p.type_cd, entry),
                     const_cast<void*>(entry_of(d, p.type_cd, entry)), entry_of(bias, p.type_cd, entry)};
    for (std::int64_t j = 0; j < p.n; ++j) {
      for (std::int64_t i = 0; i < p.m; ++i) store(x.d, p.type_cd, i + j * p.d.ld, element(p, x, i, j));
    }
  }
  return cudaSuccess;
}

bool supports_all(const GemmProblem&) { return true; }

KernelEntry make_kernel(const char* name, DataType type) {
  return {.name = name,
          .type_ab = type,
          .min_compute_capability = 75,
          .tile = {16, 16, 8},
          .stages = 1,
          .threads = 128,
          .sequential = true,
          .flops_per_clock_sm = 256.0,
          .supports = supports_all,
          .prepare = [] { return cudaSuccess; },
          .launch = multiply};
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  if (host_device_counts().out_of_memory) return cudaErrorMemoryAllocation;
  ++host_device_counts().allocated;
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaSuccess;
}

cudaError_t release(void* memory) {
  ++host_device_counts().released;
  std::free(memory);
  return cudaSuccess;
}

cudaError_t zero(void* memory, std::size_t bytes) {
  std::memset(memory, 0, bytes);
  return cudaSuccess;
}


}  // namespace

const RuntimeCalls& host_runtime() {
  static const RuntimeCalls calls = {.allocate = allocate,
                                     .release = release,
                                     .zero = zero,
                                     .mark_context = [] { return ContextMark{}; },
                                     .context_alive = [](const ContextMark&) { return true; },
                                     .exchange_capture_mode = [](cudaStreamCaptureMode*) { return true; }};
  return calls;
}

HostDeviceCounts& host_device_counts() {
  static HostDeviceCounts counts;
  return counts;
}

const KernelEntry& host_f32_kernel() {
  static const KernelEntry kernel = make_kernel("host_f32", DataType::kFloat32);
  return kernel;
}

const KernelEntry& host_f16_kernel() {
  static const KernelEntry kernel = make_kernel("host_f16", DataType::kFloat16);
  return kernel;
}

std::unique_ptr<fg_handle> make_host_handle() {
  const DeviceInfo device = {.ordinal = -1,
                             .compute_capability = 90,
                             .sm_count = kHostSmCount,
                             .shared_bytes_per_block = 232448,
                             .l2_bytes = 50 << 20,
                             .clock_ghz = 1.98,
                             .memory_gbps = 4800.0};
  const std::vector<const KernelEntry*> kernels = {&host_f32_kernel(), &host_f16_kernel()};
  host_device_counts() = {};
  auto handle = std::make_unique<fg_handle>(device, kernels, kHostWorkspaceBytes, host_runtime());
  handle->fallback_error = "none on the host device";
  handle->workspace.add_stream(nullptr);
  return handle;
}

}  // namespace fastgemm::test
