// Loads the library named by the argument, makes and destroys a handle, unloads the library, and ends with exit code 0.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  using Create = int (*)(void**);
  using Destroy = int (*)(void*);
  const auto create = reinterpret_cast<Create>(dlsym(library, "fg_create"));
  const auto destroy = reinterpret_cast<Destroy>(dlsym(library, "fg_destroy"));
  void* handle = nullptr;
  if (create == nullptr || destroy == nullptr || create(&handle) != 0 || destroy(handle) != 0) return 1;
  return dlclose(library) == 0 ? 0 : 1;
}
