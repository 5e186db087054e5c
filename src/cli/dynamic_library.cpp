#include "src/cli/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>

namespace fastgemm::cli {
namespace {

std::string loaded_path(void* handle) {
  link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr ? map->l_name : "";
}

}  // namespace

DynamicLibrary DynamicLibrary::open(const std::vector<std::string>& names, std::string* reason) {
  DynamicLibrary library;
  for (const int extra : {RTLD_NOLOAD, 0}) {
    for (const std::string& name : names) {
      library.handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | extra);
      if (library.handle_ != nullptr) {
        library.path_ = loaded_path(library.handle_);
        return library;
      }
      if (extra == 0 && reason != nullptr) *reason = dlerror();
    }
  }
  return library;
}

void* DynamicLibrary::address(const char* name) const { return handle_ != nullptr ? dlsym(handle_, name) : nullptr; }

}  // namespace fastgemm::cli
