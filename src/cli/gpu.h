// The GPU this process would run on, or why there is none; and models of GPUs that are not here, for planning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/contract.h"

namespace fastgemm::cli {

struct Gpu {
  std::string name;
  DeviceInfo device;
  std::int64_t memory_bytes = 0;
  double fp32_tflops = 0.0;  // FMA pipes at the reported clock
  double fp16_tflops = 0.0;  // dense tensor cores with FP32 accumulation, at the reported clock
};

struct GpuList {
  std::vector<Gpu> gpus;
  std::string reason;       // set where gpus is empty: one line
  int driver_version = 0;   // CUDA version the driver supports, 13000 for 13.0; 0: no driver
  int runtime_version = 0;  // CUDA runtime this command was built with
};

GpuList find_gpus();

// A GPU by name of its architecture: sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120 (the prefix may be left out).
// `sm_count` 0 takes that of a usual card. Empty where the name is not known.
std::optional<Gpu> model_gpu(const std::string& architecture, int sm_count);
std::string model_gpu_names();  // "sm_75, sm_80, ..."

std::string cuda_version_text(int version);  // 13010 -> "13.1"

}  // namespace fastgemm::cli
