// `fastgemm info`: the library, the GPUs, the kernels, and where cuBLAS was found.
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "fastgemm/fastgemm.h"
#include "src/cli/commands.h"
#include "src/cli/contenders/cublas_library.h"
#include "src/cli/gpu.h"
#include "src/cli/library_path.h"

namespace fastgemm::cli {
namespace {

using Json = nlohmann::ordered_json;

struct KernelLine {
  std::string name;
  int available = -1;  // -1: not known without a GPU
};

struct Info {
  int version = 0;
  std::string library_path;
  GpuList list;
  std::string handle_error;  // why fg_create refused a GPU that is there
  std::vector<KernelLine> kernels;
  std::shared_ptr<const CublasLibrary> cublas;
  std::string cublas_error;
};

Info collect() {
  Info info;
  fg_get_version(&info.version);
  info.library_path = library_path();
  info.list = find_gpus();
  fg_handle_t handle = nullptr;
  if (!info.list.gpus.empty() && fg_create(&handle) != FG_STATUS_SUCCESS) {
    info.handle_error = fg_last_error();
    handle = nullptr;
  }
  for (int i = 0; fg_kernel_name(i) != nullptr; ++i) {
    KernelLine line{fg_kernel_name(i)};
    if (handle != nullptr) fg_get_kernel_available(handle, line.name.c_str(), &line.available);
    info.kernels.push_back(line);
  }
  if (handle != nullptr) fg_destroy(handle);
  info.cublas = CublasLibrary::open(&info.cublas_error);
  return info;
}

void print_gpu(const Gpu& gpu) {
  const DeviceInfo& device = gpu.device;
  std::printf("GPU %d:     %s\n", device.ordinal, gpu.name.c_str());
  std::printf("           compute capability %d.%d, %d SMs at %.0f MHz, %.1f MiB L2, %lld KiB shared memory a block\n",
              device.compute_capability / 10, device.compute_capability % 10, device.sm_count, device.clock_ghz * 1e3,
              static_cast<double>(device.l2_bytes) / (1 << 20),
              static_cast<long long>(device.shared_bytes_per_block >> 10));
  std::printf(
      "           %.1f GiB memory at %.0f GB/s; peaks at that clock: FP32 %.1f, FP16 tensor cores %.0f TFLOP/s\n",
      static_cast<double>(gpu.memory_bytes) / (1 << 30), device.memory_gbps, gpu.fp32_tflops, gpu.fp16_tflops);
}

void print_kernels(const Info& info) {
  int available = 0;
  for (const KernelLine& kernel : info.kernels) available += kernel.available == 1;
  std::printf("kernels:   %zu in this build", info.kernels.size());
  if (!info.list.gpus.empty() && info.handle_error.empty()) {
    std::printf(", %d with code for GPU %d\n", available, info.list.gpus.front().device.ordinal);
  } else {
    std::printf("%s\n", info.kernels.empty() ? " (it was made with FASTGEMM_ARCHITECTURES=none)" : "");
  }
  for (const KernelLine& kernel : info.kernels) {
    const char* note = kernel.available == 1 ? "  available" : kernel.available == 0 ? "  not on this GPU" : "";
    std::printf("           %s%s\n", kernel.name.c_str(), note);
  }
}

void print(const Info& info) {
  std::printf("fastgemm:  %d.%d.%d, %s\n", info.version / 10000, info.version / 100 % 100, info.version % 100,
              info.library_path.c_str());
  std::printf("CUDA:      runtime %s, driver %s\n", cuda_version_text(info.list.runtime_version).c_str(),
              info.list.driver_version == 0 ? "none" : ("for " + cuda_version_text(info.list.driver_version)).c_str());
  if (info.cublas != nullptr) {
    std::printf("cuBLAS:    %s, %s\n", info.cublas->version.c_str(), info.cublas->path.c_str());
  } else {
    std::printf("cuBLAS:    not found (%s)\n", info.cublas_error.c_str());
  }
  if (info.list.gpus.empty()) std::printf("GPU:       none: %s\n", info.list.reason.c_str());
  for (const Gpu& gpu : info.list.gpus) print_gpu(gpu);
  if (!info.handle_error.empty()) std::printf("           cannot be used: %s\n", info.handle_error.c_str());
  print_kernels(info);
}

Json gpu_json(const Gpu& gpu) {
  return {{"ordinal", gpu.device.ordinal},
          {"name", gpu.name},
          {"compute_capability", gpu.device.compute_capability},
          {"sm_count", gpu.device.sm_count},
          {"clock_ghz", gpu.device.clock_ghz},
          {"memory_bytes", gpu.memory_bytes},
          {"memory_gbps", gpu.device.memory_gbps},
          {"l2_bytes", gpu.device.l2_bytes},
          {"shared_bytes_per_block", gpu.device.shared_bytes_per_block},
          {"fp32_tflops", gpu.fp32_tflops},
          {"fp16_tflops", gpu.fp16_tflops}};
}

void print_json(const Info& info) {
  Json json{{"version", info.version}, {"library", info.library_path}};
  json["cuda"] = {{"runtime", info.list.runtime_version}, {"driver", info.list.driver_version}};
  json["cublas"] = info.cublas != nullptr ? Json{{"version", info.cublas->version}, {"path", info.cublas->path}}
                                          : Json{{"reason", info.cublas_error}};
  json["gpus"] = Json::array();
  for (const Gpu& gpu : info.list.gpus) json["gpus"].push_back(gpu_json(gpu));
  if (info.list.gpus.empty()) json["no_gpu_reason"] = info.list.reason;
  if (!info.handle_error.empty()) json["handle_error"] = info.handle_error;
  json["kernels"] = Json::array();
  for (const KernelLine& kernel : info.kernels) {
    Json line{{"name", kernel.name}, {"available", nullptr}};
    if (kernel.available >= 0) line["available"] = kernel.available == 1;
    json["kernels"].push_back(line);
  }
  std::cout << json.dump(2) << "\n";
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("info", "The library, the GPUs, the kernels, and where cuBLAS was found");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON instead of text");
  command->callback([&action, json] {
    action = [json] {
      const Info info = collect();
      if (*json) {
        print_json(info);
      } else {
        print(info);
      }
      return kExitOk;
    };
  });
}

}  // namespace fastgemm::cli
