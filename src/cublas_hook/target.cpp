// The search for a target, and the table of call sites. The table only grows, and each word of it is written once:
// readers need no lock, and a fork in the middle of an insertion leaves nothing held.
#include "src/cublas_hook/target.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

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

constexpr std::size_t kSlotBits = 10;
constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
constexpr std::size_t kMaxProbes = 16;
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: Fibonacci hashing (Knuth, volume 3, 6.4)

struct Slot {
  std::atomic<std::uint64_t> key{0};
  std::atomic<const Target*> target{nullptr};
};
std::array<Slot, kSlots> slots;

struct KnownTarget {
  Target target;
  const KnownTarget* next;
};
std::atomic<const KnownTarget*> known_targets{nullptr};

// An address has at most 57 bits.
std::uint64_t key_of(Entry entry, const void* return_address) {
  static_assert(kEntries <= 32);
  return reinterpret_cast<std::uint64_t>(return_address) << 5 | static_cast<std::uint64_t>(entry);
}

std::size_t home(std::uint64_t key) { return (key * kGolden) >> (64 - kSlotBits); }

// One for each function, so that a table that is full costs time and no memory. Two threads may both add one; that does
// no harm.
const Target* known_target(const Target& target) {
  const KnownTarget* head = known_targets.load(std::memory_order_acquire);
  for (const KnownTarget* known = head; known != nullptr; known = known->next) {
    if (known->target.function == target.function) return &known->target;
  }
  auto* added = new KnownTarget{target, head};
  while (!known_targets.compare_exchange_weak(added->next, added, std::memory_order_acq_rel)) {}
  return &added->target;
}

[[gnu::noinline]] const Target& add(Entry entry, const void* return_address, std::uint64_t key) {
  const Target* target = known_target(resolve(entry, return_address));
  if (target->function == nullptr) return *target;  // not kept: a libcublas may yet be loaded
  for (std::size_t probe = 0; probe < kMaxProbes; ++probe) {
    Slot& slot = slots[(home(key) + probe) % kSlots];
    std::uint64_t found = 0;
    if (slot.key.compare_exchange_strong(found, key, std::memory_order_acq_rel)) {
      slot.target.store(target, std::memory_order_release);
      break;
    }
    if (found == key) break;
  }
  return *target;
}

}  // namespace

const Target& target_of(Entry entry, const void* return_address) {
  const std::uint64_t key = key_of(entry, return_address);
  for (std::size_t probe = 0; probe < kMaxProbes; ++probe) {
    const Slot& slot = slots[(home(key) + probe) % kSlots];
    const std::uint64_t found = slot.key.load(std::memory_order_acquire);
    if (found == 0) break;
    if (found != key) continue;
    const Target* target = slot.target.load(std::memory_order_acquire);
    if (target == nullptr) break;  // another thread is about to write it
    return *target;
  }
  return add(entry, return_address, key);
}

}  // namespace fastgemm::hook
