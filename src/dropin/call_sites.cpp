// Which route each call site has.
#include "src/base/call_sites.h"

#include "src/base/log.h"
#include "src/dropin/route.h"

namespace fastgemm::dropin {
namespace {

constinit CallSites<Route, 12> call_sites;  // 64 KiB, of which a program touches the pages that it uses
constinit GrowingList<Route> routes;
static_assert(kEntryCount <= decltype(call_sites)::kMaxEntries);

void tell(const Route& route) {
  if (!log_enabled(LogLevel::kInfo)) return;
  const Target& to = route.target();
  log_line(LogLevel::kInfo, std::string("dropin: ") + kEntries[route.entry()].name + " goes to " + to.library +
                                (to.wide ? ", 64-bit integers" : "") + (to.fallback ? ", as a fallback" : "") +
                                (route.acts() ? "" : ", and only there"));
}

// One for each entry and target, so that a table that is full costs time and no memory.
const Route& known_route(EntryIndex entry, Target target) {
  const Route* const known = routes.find([&](const Route& route) {
    const Target& other = route.target();
    return route.entry() == entry && other.function == target.function && other.fallback == target.fallback;
  });
  if (known != nullptr) return *known;
  const Route& route = routes.add(Route(entry, std::move(target)));
  tell(route);
  return route;
}

[[gnu::noinline]] const Route& add(EntryIndex entry, const void* return_address) {
  const Route& route = known_route(entry, resolve(kEntries[entry], return_address));
  call_sites.keep(entry, return_address, route);
  return route;
}

}  // namespace

const Route& route_of(EntryIndex entry, const void* return_address) {
  const Route* const known = call_sites.find(entry, return_address);
  return known != nullptr ? *known : add(entry, return_address);
}

}  // namespace fastgemm::dropin
