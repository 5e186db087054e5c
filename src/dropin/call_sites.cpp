// The table of call sites. It only grows, and every word of it is written once, so that readers need no lock and a fork
// in the middle of an insertion leaves nothing held.
#include <array>
#include <atomic>

#include "src/base/log.h"
#include "src/dropin/route.h"

namespace fastgemm::dropin {
namespace {

constexpr std::size_t kSlotBits = 12;  // 64 KiB, of which a program touches the pages that it uses
constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
constexpr std::size_t kMaxProbes = 16;
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: Fibonacci hashing (Knuth, volume 3, 6.4)

struct Slot {
  std::atomic<std::uint64_t> key{0};
  std::atomic<const Route*> route{nullptr};
};
std::array<Slot, kSlots> slots;

struct KnownRoute {
  const Route* route;
  const KnownRoute* next;
};
std::atomic<const KnownRoute*> known_routes{nullptr};

// An address has at most 57 bits.
std::uint64_t key_of(EntryIndex entry, const void* return_address) {
  static_assert(kEntryCount <= 16);
  return reinterpret_cast<std::uint64_t>(return_address) << 4 | entry;
}

std::size_t home(std::uint64_t key) { return (key * kGolden) >> (64 - kSlotBits); }

// One route for each entry and target, so that a table that is full costs time and no memory. Two threads may both add
// one; that does no harm.
const Route* known_route(EntryIndex entry, Target target) {
  const KnownRoute* head = known_routes.load(std::memory_order_acquire);
  for (const KnownRoute* known = head; known != nullptr; known = known->next) {
    const Target& other = known->route->target();
    if (known->route->entry() == entry && other.function == target.function && other.fallback == target.fallback) {
      return known->route;
    }
  }
  const Route* route = new Route(entry, std::move(target));
  KnownRoute* added = new KnownRoute{route, head};
  while (!known_routes.compare_exchange_weak(added->next, added, std::memory_order_acq_rel)) {
  }
  if (log_enabled(LogLevel::kInfo)) {
    const Target& to = route->target();
    log_line(LogLevel::kInfo, std::string("dropin: ") + kEntries[entry].name + " goes to " + to.library +
                                  (to.wide ? ", 64-bit integers" : "") + (to.fallback ? ", as a fallback" : "") +
                                  (route->acts() ? "" : ", and only there"));
  }
  return route;
}

[[gnu::noinline]] const Route& add(EntryIndex entry, const void* return_address, std::uint64_t key) {
  const Route* route = known_route(entry, resolve(kEntries[entry], return_address));
  for (std::size_t probe = 0; probe < kMaxProbes; ++probe) {
    Slot& slot = slots[(home(key) + probe) % kSlots];
    std::uint64_t found = 0;
    if (slot.key.compare_exchange_strong(found, key, std::memory_order_acq_rel)) {
      slot.route.store(route, std::memory_order_release);
      break;
    }
    if (found == key) break;
  }
  return *route;
}

}  // namespace

const Route& route_of(EntryIndex entry, const void* return_address) {
  const std::uint64_t key = key_of(entry, return_address);
  for (std::size_t probe = 0; probe < kMaxProbes; ++probe) {
    const Slot& slot = slots[(home(key) + probe) % kSlots];
    const std::uint64_t found = slot.key.load(std::memory_order_acquire);
    if (found == 0) break;
    if (found != key) continue;
    const Route* route = slot.route.load(std::memory_order_acquire);
    if (route == nullptr) break;  // another thread is about to write it
    return *route;
  }
  return add(entry, return_address, key);
}

}  // namespace fastgemm::dropin
