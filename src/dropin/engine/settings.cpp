#include "src/dropin/engine/settings.h"

#include <charconv>
#include <cstring>

namespace fastgemm::dropin {

namespace {

// A stream. FP32_TENSOR splits a strip's operands into parts of up to 6 bytes an element: those of 1024 x 8192 x 8192
// fit, and of larger ones stretches of k so long that passing over C between them costs little. Milliseconds on an H200,
// CUDA 13.0, with 32 MiB, 128, 512 and 2048: 4096 cubed 3.92, 3.63, 3.64, 3.62; 8192 cubed 16.5, 15.4, 15.3, 15.1.
constexpr std::size_t kTensorWorkspace = std::size_t{512} << 20;

// Open MPI; MVAPICH2; Intel MPI and MPICH; Slurm's srun.
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                          "SLURM_LOCALID"};

}  // namespace

int local_rank(VariableSource source) {
  for (const char* name : kRankVariables) {
    const char* const text = source(name);
    if (text == nullptr) continue;
    int rank = -1;
    const char* const end = text + std::strlen(text);
    const auto [stopped_at, error] = std::from_chars(text, end, rank);
    if (error == std::errc() && stopped_at == end && rank >= 0) return rank;
  }
  return -1;
}

std::vector<int> devices_for(const Environment& settings, int rank, int device_count) {
  // Ranks that all used all GPUs would wait for each other; "all" asks for it.
  if (rank < 0 || settings.all_devices) return settings.devices;
  if (!settings.devices.empty()) {
    return {settings.devices[static_cast<std::size_t>(rank) % settings.devices.size()]};
  }
  return device_count > 0 ? std::vector<int>{rank % device_count} : std::vector<int>{};
}

EngineOptions engine_options(const Environment& settings, VariableSource source, int device_count) {
  EngineOptions options;
  options.devices = devices_for(settings, local_rank(source), device_count);
  options.min_speedup = settings.min_speedup;
  options.cpus = usable_cpus();
  options.cache = cache_folder(source("XDG_CACHE_HOME"), source("HOME"));
  options.math = settings.math == "fp32_tensor" ? "fp32_tensor" : "fp32_sequential";
  options.device.workspace_bytes = settings.workspace_bytes;
  const bool by_default = settings.workspace_bytes == Environment().workspace_bytes;
  if (by_default && options.math == "fp32_tensor") options.device.workspace_most = kTensorWorkspace;
  return options;
}

}  // namespace fastgemm::dropin
