#include "src/dropin/resolve.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

#include "src/base/environment.h"

namespace fastgemm::dropin {
namespace {

constexpr const char* kSystemBlas = "libblas.so.3";

Dl_info where_is(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0) info = {};
  return info;
}

// Null where the function is one of ours.
void* not_ours(void* function) {
  const void* const our_base = where_is(reinterpret_cast<const void*>(&resolve)).dli_fbase;
  return function != nullptr && where_is(function).dli_fbase != our_base ? function : nullptr;
}

// Among what the library that holds `address` was linked to; null for the main program, for code outside any file, and
// where there is none.
void* find_in_scope_of(const void* address, const char* name) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return nullptr;
  if (map->l_name == nullptr || *map->l_name == '\0') return nullptr;
  void* library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);  // never closed: see resolve.h
  return library != nullptr ? not_ours(dlsym(library, name)) : nullptr;
}

Target describe(void* function, const Entry& entry, bool fallback) {
  Target target{function, entry.convention, entry.wide, fallback, {}};
  if (const char* file = where_is(function).dli_fname; file != nullptr) target.library = file;
  if (!entry.wide) target.wide = wide_library(target.library);
  return target;
}

// The name that was called, else one that any product can be handed to.
Target find_in_file(const char* file, const Entry& called) {
  void* library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {};
  for (const Entry& entry : {called, kEntries[kSgemm_], kEntries[kSgemm64_], kEntries[kCblasSgemm]}) {
    if (void* function = not_ours(dlsym(library, entry.name)); function != nullptr)
      return describe(function, entry, true);
  }
  return {};
}

Target find_fallback(const Entry& entry) {
  Target target;
  const std::string& asked_for = environment().host_blas;
  if (!asked_for.empty()) target = find_in_file(asked_for.c_str(), entry);
  if (target.function == nullptr) target = find_in_file(kSystemBlas, entry);
  if (target.function == nullptr) target.library = "built-in";
  return target;
}

}  // namespace

bool wide_library(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  if (name.find("libmkl_rt") != std::string::npos) {  // one file for both sizes
    const char* layer = std::getenv("MKL_INTERFACE_LAYER");
    return layer != nullptr && std::string(layer).find("ILP64") != std::string::npos;
  }
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  return has("blas64") || has("blis64") || has("ilp64");
}

void* next_function(const char* name, const void* return_address) {
  void* next = not_ours(dlsym(RTLD_NEXT, name));
  return next != nullptr ? next : find_in_scope_of(return_address, name);
}

Target resolve(const Entry& entry, const void* return_address) {
  void* next = not_ours(dlsym(RTLD_NEXT, entry.name));
  void* own = find_in_scope_of(return_address, entry.name);
  if (own == nullptr) own = next;
  if (next == nullptr) next = own;
  if (own == nullptr) return find_fallback(entry);
  Target theirs = describe(next, entry, false);
  Target callers = describe(own, entry, false);
  return theirs.wide == callers.wide ? theirs : callers;
}

}  // namespace fastgemm::dropin
