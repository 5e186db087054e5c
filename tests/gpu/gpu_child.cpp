// What must happen in a process of its own. The exit code is the answer: 0 right, 1 wrong, 77 no GPU.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fastgemm/fastgemm.h"

namespace {

constexpr int kN = 64;

struct Operands {
  float* a = nullptr;
  float* b = nullptr;
  float* d = nullptr;

  // A = scale * I, B = 1, 2, 3, ... modulo 17.
  explicit Operands(float scale) {
    std::vector<float> identity(kN * kN, 0.0f);
    std::vector<float> ramp(kN * kN);
    for (int i = 0; i < kN * kN; ++i) ramp[static_cast<std::size_t>(i)] = static_cast<float>(i % 17);
    for (int i = 0; i < kN; ++i) identity[static_cast<std::size_t>(i * kN + i)] = scale;
    constexpr std::size_t kBytes = sizeof(float) * kN * kN;
    cudaMalloc(reinterpret_cast<void**>(&a), kBytes);
    cudaMalloc(reinterpret_cast<void**>(&b), kBytes);
    cudaMalloc(reinterpret_cast<void**>(&d), kBytes);
    cudaMemcpy(a, identity.data(), kBytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, ramp.data(), kBytes, cudaMemcpyHostToDevice);
  }

  fg_status_t multiply(fg_handle_t handle) const {
    const float one = 1.0f;
    const float zero = 0.0f;
    return fg_sgemm(handle, FG_OP_N, FG_OP_N, kN, kN, kN, &one, a, kN, b, kN, &zero, d, kN);
  }

  bool right(float scale) const {
    std::vector<float> result(kN * kN);
    if (cudaMemcpy(result.data(), d, sizeof(float) * kN * kN, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    for (int i = 0; i < kN * kN; ++i) {
      if (result[static_cast<std::size_t>(i)] != scale * static_cast<float>(i % 17)) return false;
    }
    return true;
  }
};

bool works(fg_handle_t handle) {
  const Operands operands(3.0f);
  return operands.multiply(handle) == FG_STATUS_SUCCESS && operands.right(3.0f);
}

// 0, or 77 with the reason on stdout.
int probe() {
  fg_handle_t handle = nullptr;
  if (fg_create(&handle) != FG_STATUS_SUCCESS) {
    std::printf("skipped, no GPU to test on: %s\n", fg_last_error());
    return 77;
  }
  fg_destroy(handle);
  return 0;
}

struct StaticHandle {
  fg_handle_t handle = nullptr;
  ~StaticHandle() { fg_destroy(handle); }
};

int exit_static() {
  static StaticHandle at_exit;
  return fg_create(&at_exit.handle) == FG_STATUS_SUCCESS && works(at_exit.handle) ? 0 : 1;
}

fg_handle_t handle_for_atexit = nullptr;

int exit_atexit() {
  std::atexit([] { fg_destroy(handle_for_atexit); });
  return fg_create(&handle_for_atexit) == FG_STATUS_SUCCESS && works(handle_for_atexit) ? 0 : 1;
}

int after_fork() {
  fg_handle_t handle = nullptr;
  if (fg_create(&handle) != FG_STATUS_SUCCESS || !works(handle)) return 1;
  const Operands operands(1.0f);
  const pid_t child = fork();
  if (child == 0) _exit(operands.multiply(handle) != FG_STATUS_SUCCESS ? 0 : 1);  // a status, and no hang
  int status = 0;
  waitpid(child, &status, 0);
  const bool child_right = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const bool parent_right = works(handle);
  fg_destroy(handle);
  return child_right && parent_right ? 0 : 1;
}

int tf32() {
  fg_handle_t handle = nullptr;
  if (fg_create(&handle) != FG_STATUS_SUCCESS || fg_set_kernel(handle, "cublas") != FG_STATUS_SUCCESS) return 1;
  const Operands operands(4097.0f);  // 13 bits: TF32 would make it 4096
  const bool right = operands.multiply(handle) == FG_STATUS_SUCCESS && operands.right(4097.0f);
  fg_destroy(handle);
  return right ? 0 : 1;
}

// A crash or a hang is the failure; which status comes is CUDA's choice.
int device_reset() {
  fg_handle_t handle = nullptr;
  if (fg_create(&handle) != FG_STATUS_SUCCESS || !works(handle)) return 1;
  const Operands operands(1.0f);
  if (cudaDeviceReset() != cudaSuccess) return 1;
  const fg_status_t status = operands.multiply(handle);
  const fg_status_t destroyed = fg_destroy(handle);
  std::printf("after reset: %s, %s\n", fg_status_name(status), fg_status_name(destroyed));
  return 0;
}

// In place of this process: a program that is not linked to the library loads it, uses it and unloads it.
int unload(const char* own_path) {
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&fg_create), &library) == 0) return 1;
  std::string program(own_path);
  program.resize(program.rfind('/') + 1);
  program += "fg_gpu_unload";
  execl(program.c_str(), program.c_str(), library.dli_fname, nullptr);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "probe") return probe();
  if (mode == "exit_static") return exit_static();
  if (mode == "exit_atexit") return exit_atexit();
  if (mode == "fork") return after_fork();
  if (mode == "tf32") return tf32();
  if (mode == "device_reset") return device_reset();
  if (mode == "unload") return unload(argv[0]);
  std::fprintf(stderr, "usage: fg_gpu_child probe|exit_static|exit_atexit|fork|tf32|device_reset|unload\n");
  return 2;
}
