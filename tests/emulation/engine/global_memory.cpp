#include "tests/emulation/engine/global_memory.h"

#include <algorithm>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

namespace {

constexpr std::uintptr_t kCell = 2;  // bytes of device memory with one owner

std::string offset_text(const std::string& name, std::uintptr_t address, std::uintptr_t begin) {
  return name + " + " + std::to_string(address - begin) + " bytes";
}

std::uint32_t grid_thread(const Thread& thread) {
  const auto linear = thread.block->index() * thread.block->threads() + thread.index;
  return static_cast<std::uint32_t>(linear) + 1u;
}

}  // namespace

GlobalMemory& global_memory() {
  static GlobalMemory memory;
  return memory;
}

void GlobalMemory::add(const void* begin, std::size_t bytes, Access access, std::string name) {
  Region region;
  region.begin = reinterpret_cast<std::uintptr_t>(begin);
  region.end = region.begin + bytes;
  region.access = access;
  region.name = std::move(name);
  if (access != Access::kRead) region.owner.resize(bytes / kCell + 1);
  if (bytes > 0) regions_[region.end - 1] = std::move(region);
}

void GlobalMemory::remove(const void* begin) {
  const auto found = regions_.lower_bound(reinterpret_cast<std::uintptr_t>(begin));
  if (found != regions_.end() && found->second.begin == reinterpret_cast<std::uintptr_t>(begin)) regions_.erase(found);
}

void GlobalMemory::start_launch() {
  for (auto& [last, region] : regions_) std::fill(region.owner.begin(), region.owner.end(), 0u);
}

GlobalMemory::Region& GlobalMemory::find(const Thread& thread, const void* pointer, std::size_t bytes,
                                         std::size_t alignment, const char* operation) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address % alignment != 0) {
    fail(thread, Fault::kAlignment, operation, "device address " + hex(address) + " is not aligned to " +
                                                   std::to_string(alignment) + " bytes");
  }
  const auto found = regions_.lower_bound(address);
  if (found == regions_.end() || address < found->second.begin) {
    std::string text = "device address " + hex(address) + " is in no allocation";
    if (found != regions_.begin()) {
      const Region& before = std::prev(found)->second;
      text += "; it is " + std::to_string(address - before.end) + " bytes past the end of " + before.name;
    }
    if (found != regions_.end()) {
      text += "; it is " + std::to_string(found->second.begin - address) + " bytes before " + found->second.name;
    }
    fail(thread, Fault::kBounds, operation, text);
  }
  if (address + bytes > found->second.end) {
    fail(thread, Fault::kBounds, operation, "runs past the end of " + found->second.name + " at " +
                                                offset_text(found->second.name, address, found->second.begin));
  }
  return found->second;
}

void GlobalMemory::check_read(const Thread& thread, const void* pointer, std::size_t bytes, std::size_t alignment,
                              const char* operation) {
  Region& region = find(thread, pointer, bytes, alignment, operation);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (region.owner.empty()) return;
  for (auto at = address - region.begin; at < address - region.begin + bytes; at += kCell) {
    const std::uint32_t owner = region.owner[at / kCell];
    if (owner == 0 && region.access == Access::kWrite) {
      fail(thread, Fault::kPermission, operation,
           "reads " + offset_text(region.name, address, region.begin) + ", which must not be read");
    }
    if (owner != 0 && owner != grid_thread(thread)) {
      fail(thread, Fault::kRace, operation,
           "reads " + offset_text(region.name, address, region.begin) + ", which another thread wrote in this launch");
    }
  }
}

void GlobalMemory::check_write(const Thread& thread, void* pointer, std::size_t bytes, const char* operation) {
  Region& region = find(thread, pointer, bytes, bytes, operation);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (region.access == Access::kRead) {
    fail(thread, Fault::kPermission, operation,
         "writes " + offset_text(region.name, address, region.begin) + ", which must not be written");
  }
  for (auto at = address - region.begin; at < address - region.begin + bytes; at += kCell) {
    std::uint32_t& owner = region.owner[at / kCell];
    if (owner != 0 && owner != grid_thread(thread)) {
      fail(thread, Fault::kRace, operation,
           "writes " + offset_text(region.name, address, region.begin) + ", which another thread wrote in this launch");
    }
    owner = grid_thread(thread);
  }
}

}  // namespace fastgemm::emulation
