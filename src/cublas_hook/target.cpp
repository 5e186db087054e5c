// The search for a target, and which one each call site has.
#include "src/cublas_hook/target.h"

#include <dlfcn.h>
#include <link.h>

#include <string>

#include "src/base/call_sites.h"
#include "src/base/log.h"

namespace fastgemm::hook {
namespace {

// ---- search ------------------------------------------------------------------------------------------------------

// Null where the function is one of ours.
void* not_ours(void* function) {
  Dl_info ours{}, theirs{};
  if (function == nullptr || dladdr(function, &theirs) == 0) return function;
  dladdr(reinterpret_cast<const void*>(&target_of), &ours);
  return ours.dli_fbase != theirs.dli_fbase ? function : nullptr;
}

// Handles are never closed: what they hold must stay loaded as long as the target is kept.
void* open_loaded(const char* file) { return dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD); }

// Among what the library that holds `address` was linked to. The main program is linked to what is global.
void* find_in_scope_of(const void* address, const char* name) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return nullptr;
  if (map->l_name == nullptr || *map->l_name == '\0') return nullptr;
  void* library = open_loaded(map->l_name);
  return library != nullptr ? not_ours(dlsym(library, name)) : nullptr;
}

void* find_loaded(Entry entry) {
  constexpr const char* kCublas[] = {"libcublas.so.13", "libcublas.so.12"};
  constexpr const char* kCublasLt[] = {"libcublasLt.so.13", "libcublasLt.so.12"};
  for (const char* file : entry == kLtMatmul ? kCublasLt : kCublas) {
    void* library = open_loaded(file);
    void* function = library != nullptr ? not_ours(dlsym(library, kEntryNames[entry])) : nullptr;
    if (function != nullptr) return function;
  }
  return nullptr;
}

template <class Function>
void bind(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(not_ours(dlsym(library, name)));
}

Target resolve(Entry entry, const void* return_address) {
  Target target;
  const char* name = kEntryNames[entry];
  target.function = find_in_scope_of(return_address, name);
  if (target.function == nullptr) target.function = not_ours(dlsym(RTLD_NEXT, name));
  if (target.function == nullptr) target.function = find_loaded(entry);
  Dl_info info{};
  if (target.function == nullptr || dladdr(target.function, &info) == 0) return target;
  log_line(LogLevel::kInfo, std::string("cublas: ") + name + " is that of " + info.dli_fname);
  void* library = open_loaded(info.dli_fname);
  if (library == nullptr) return target;
  if (entry == kLtMatmul) {
    bind(library, "cublasLtMatmulDescGetAttribute", &target.get_matmul_attribute);
    bind(library, "cublasLtMatrixLayoutGetAttribute", &target.get_layout_attribute);
  } else {
    bind(library, "cublasGetStream_v2", &target.get_stream);
    bind(library, "cublasGetPointerMode_v2", &target.get_pointer_mode);
    bind(library, "cublasGetMathMode", &target.get_math_mode);
    bind(library, "cublasGetSmCountTarget", &target.get_sm_count_target);
  }
  return target;
}

// ---- call sites --------------------------------------------------------------------------------------------------

constinit CallSites<Target, 10> call_sites;
constinit GrowingList<Target> targets;
static_assert(kEntries <= decltype(call_sites)::kMaxEntries);

// One for each function, so that a table that is full costs time and no memory.
const Target& known_target(const Target& target) {
  const Target* const known = targets.find([&](const Target& other) { return other.function == target.function; });
  return known != nullptr ? *known : targets.add(target);
}

[[gnu::noinline]] const Target& add(Entry entry, const void* return_address) {
  const Target& target = known_target(resolve(entry, return_address));
  // Without a function it is not kept: a libcublas may yet be loaded.
  if (target.function != nullptr) call_sites.keep(entry, return_address, target);
  return target;
}

}  // namespace

const Target& target_of(Entry entry, const void* return_address) {
  const Target* const known = call_sites.find(entry, return_address);
  return known != nullptr ? *known : add(entry, return_address);
}

}  // namespace fastgemm::hook
