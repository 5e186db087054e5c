#include "src/cli/gpu.h"

#include <cuda_runtime_api.h>

namespace fastgemm::cli {
namespace {

// Peak rates of an architecture per SM and clock, in fused multiply-adds (CUDA programming guide, arithmetic
// throughput, and the architecture white papers). Consumer cards of 8.6, 8.9 and 12.0 reach half the tensor figure.
struct SmRate {
  int compute_capability;
  int fp32_fma;
  int fp16_tensor_fma;
};
constexpr SmRate kSmRates[] = {
    {75, 64, 512}, {80, 64, 1024}, {86, 128, 512}, {89, 128, 512}, {90, 128, 2048}, {100, 128, 4096}, {120, 128, 512},
};

// A usual card of each architecture, by its data sheet.
struct Model {
  const char* architecture;
  const char* card;
  int compute_capability;
  int sm_count;
  std::int64_t shared_bytes_per_block;
  std::int64_t l2_bytes;
  double clock_ghz;
  double memory_gbps;
  std::int64_t memory_gib;
};
constexpr Model kModels[] = {
    {"sm_75", "T4", 75, 40, 64 << 10, 4 << 20, 1.59, 320.0, 16},
    {"sm_80", "A100", 80, 108, 163 << 10, 40 << 20, 1.41, 2039.0, 80},
    {"sm_86", "A40", 86, 84, 99 << 10, 6 << 20, 1.74, 696.0, 48},
    {"sm_89", "L40S", 89, 142, 99 << 10, 96 << 20, 2.52, 864.0, 48},
    {"sm_90", "H200", 90, 132, 227 << 10, 60 << 20, 1.98, 4800.0, 141},
    {"sm_100", "B200", 100, 148, 227 << 10, 126 << 20, 1.85, 8000.0, 180},
    {"sm_120", "RTX PRO 6000", 120, 188, 99 << 10, 128 << 20, 2.6, 1792.0, 96},
};

void set_peaks(Gpu& gpu) {
  const SmRate* rate = &kSmRates[0];
  for (const SmRate& candidate : kSmRates) {
    if (candidate.compute_capability <= gpu.device.compute_capability) rate = &candidate;
  }
  const double tera_clocks = gpu.device.sm_count * gpu.device.clock_ghz * 1e-3;
  gpu.fp32_tflops = 2.0 * rate->fp32_fma * tera_clocks;
  gpu.fp16_tflops = 2.0 * rate->fp16_tensor_fma * tera_clocks;
}

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
}

Gpu read_gpu(int ordinal) {
  Gpu gpu;
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess) {
    gpu.name = properties.name;
    gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  }
  DeviceInfo& device = gpu.device;
  device.ordinal = ordinal;
  device.compute_capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, ordinal) +
                              attribute(cudaDevAttrComputeCapabilityMinor, ordinal);
  device.sm_count = attribute(cudaDevAttrMultiProcessorCount, ordinal);
  device.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
  device.l2_bytes = attribute(cudaDevAttrL2CacheSize, ordinal);
  device.clock_ghz = attribute(cudaDevAttrClockRate, ordinal) * 1e-6;  // reported in kHz
  // Two transfers a memory clock (kHz), bus width in bits.
  device.memory_gbps = 2.0 * attribute(cudaDevAttrMemoryClockRate, ordinal) *
                       attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8.0 * 1e-6;
  set_peaks(gpu);
  return gpu;
}

std::string no_gpu_reason(cudaError_t error, int count, const GpuList& list) {
  if (error == cudaErrorInsufficientDriver) {
    if (list.driver_version == 0) return "no NVIDIA driver is installed (libcuda.so.1 was not found)";
    return "the NVIDIA driver is too old: it supports CUDA " + cuda_version_text(list.driver_version) +
           ", this build needs " + cuda_version_text(list.runtime_version);
  }
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
    return "the NVIDIA driver sees no GPU (none is there, or CUDA_VISIBLE_DEVICES hides it)";
  }
  if (error == cudaErrorStubLibrary) return "the libcuda found is the toolkit's stub, not a driver";
  return std::string("CUDA cannot be used: ") + cudaGetErrorString(error);
}

}  // namespace

GpuList find_gpus() {
  GpuList list;
  if (cudaDriverGetVersion(&list.driver_version) != cudaSuccess) list.driver_version = 0;
  if (cudaRuntimeGetVersion(&list.runtime_version) != cudaSuccess) list.runtime_version = CUDART_VERSION;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    list.reason = no_gpu_reason(error, count, list);
    return list;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) list.gpus.push_back(read_gpu(ordinal));
  return list;
}

std::optional<Gpu> model_gpu(const std::string& architecture, int sm_count) {
  const std::string wanted = architecture.starts_with("sm_") ? architecture : "sm_" + architecture;
  for (const Model& model : kModels) {
    if (wanted != model.architecture) continue;
    Gpu gpu;
    gpu.name = std::string(model.card) + " (" + model.architecture + ", planned, not here)";
    gpu.memory_bytes = model.memory_gib << 30;
    gpu.device.compute_capability = model.compute_capability;
    gpu.device.sm_count = sm_count > 0 ? sm_count : model.sm_count;
    gpu.device.shared_bytes_per_block = model.shared_bytes_per_block;
    gpu.device.l2_bytes = model.l2_bytes;
    gpu.device.clock_ghz = model.clock_ghz;
    gpu.device.memory_gbps = model.memory_gbps;
    set_peaks(gpu);
    return gpu;
  }
  return std::nullopt;
}

std::string model_gpu_names() {
  std::string names;
  for (const Model& model : kModels) names += (names.empty() ? "" : ", ") + std::string(model.architecture);
  return names;
}

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace fastgemm::cli
