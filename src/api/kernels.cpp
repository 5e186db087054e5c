// The kernels of this build by name: listing, availability, forcing one.
#include <algorithm>

#include "src/api/guard.h"

namespace fastgemm {
namespace {

constexpr std::string_view kFallbackName = "cublas";

bool is_available(const fg_handle& handle, const KernelEntry* entry) {
  return std::find(handle.available.begin(), handle.available.end(), entry) != handle.available.end();
}

void set_forced(fg_handle& handle, const NamedKernel& kernel, bool fallback) {
  handle.forced = kernel.entry;
  handle.forced_splits = kernel.splits;
  handle.force_fallback = fallback;
}

// `name` is not known; lists what is.
Outcome unknown_kernel(std::string_view name) {
  std::string text = "there is no kernel \"" + std::string(name) + "\"; there are: ";
  for (const KernelEntry* entry : kernel_table()) text += std::string(entry->name) + " ";
  return {FG_STATUS_INVALID_VALUE, text + std::string(kFallbackName)};
}

}  // namespace

Outcome force_kernel(fg_handle& handle, std::string_view name) {
  if (name.empty()) {
    set_forced(handle, {}, false);
    return {};
  }
  if (name == kFallbackName) {
    if (handle.fallback == nullptr) return {FG_STATUS_NOT_SUPPORTED, "cublas cannot be used: " + handle.fallback_error};
    set_forced(handle, {}, true);
    return {};
  }
  const NamedKernel kernel = find_kernel(name, kernel_table());
  if (kernel.entry == nullptr) return unknown_kernel(name);
  if (!is_available(handle, kernel.entry)) {
    return {FG_STATUS_ARCH_MISMATCH, "kernel " + std::string(name) + " has no code for compute capability " +
                                         std::to_string(handle.device.compute_capability)};
  }
  if (kernel.splits > kernel.entry->max_splits) {
    return {FG_STATUS_INVALID_VALUE, std::string(kernel.entry->name) + " cuts k into at most " +
                                         std::to_string(kernel.entry->max_splits) + " parts"};
  }
  set_forced(handle, kernel, false);
  return {};
}

}  // namespace fastgemm

using namespace fastgemm;

const char* fg_kernel_name(int index) {
  const auto& table = kernel_table();
  const bool inside = index >= 0 && static_cast<std::size_t>(index) < table.size();
  return inside ? table[static_cast<std::size_t>(index)]->name : nullptr;
}

fg_status_t fg_get_kernel_available(fg_handle_t handle, const char* name, int* available) {
  return with_handle(__func__, handle, [&](fg_handle& h) -> Outcome {
    if (name == nullptr) return {FG_STATUS_INVALID_VALUE, "name is null"};
    if (available == nullptr) return {FG_STATUS_INVALID_VALUE, "available is null"};
    const KernelEntry* entry = find_kernel(name, kernel_table()).entry;
    if (entry == nullptr && name != kFallbackName) return unknown_kernel(name);
    *available = entry != nullptr ? is_available(h, entry) : h.fallback != nullptr;
    return {};
  });
}

fg_status_t fg_set_kernel(fg_handle_t handle, const char* name) {
  return with_handle(__func__, handle, [&](fg_handle& h) { return force_kernel(h, name != nullptr ? name : ""); });
}
