// A program that has no cuBLAS itself, as Python has none.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace {

int call_plugins(int count, char** files) {
  for (int i = 0; i < count; ++i) {
    void* plugin = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) return std::puts(dlerror()), 1;
    const auto multiplies = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_multiplies"));
    std::printf("%d\n", multiplies());
  }
  return 0;
}

int call_by_name() {
  using Function = int (*)(void*, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*,
                           void*, int);
  const auto sgemm = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "cublasSgemm_v2"));
  if (sgemm == nullptr) return std::puts("no cublasSgemm_v2"), 1;
  const float one = 1.0f;
  float c = 0.0f;
  void* handle = reinterpret_cast<void*>(std::uintptr_t{0x4000});
  std::printf("status %d\n", sgemm(handle, 0, 0, 1, 1, 1, &one, &one, 1, &one, 1, &one, &c, 1));
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libcublas") != std::string::npos) return std::puts("a libcublas is loaded"), 0;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  if (mode == "plugins") return call_plugins(count - 2, arguments + 2);
  if (mode == "handle" && dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL) == nullptr) return std::puts(dlerror()), 1;
  return call_by_name();
}
