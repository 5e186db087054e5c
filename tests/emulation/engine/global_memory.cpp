#include "tests/emulation/engine/global_memory.h"

#include <algorithm>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

namespace {

constexpr std::uintptr_t kCell = 2;  // bytes

std::string offset_text(const std::string& name, std::uintptr_t address, std::uintptr_t begin) {
  return name + " + " + std::to_string(address - begin) + " bytes";
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
  if (access != Access::kRead) region.cells.resize(bytes / kCell + 1);
  if (bytes > 0) regions_[region.end - 1] = std::move(region);
}

void GlobalMemory::remove(const void* begin) {
  const auto found = regions_.lower_bound(reinterpret_cast<std::uintptr_t>(begin));
  if (found != regions_.end() && found->second.begin == reinterpret_cast<std::uintptr_t>(begin)) regions_.erase(found);
}

void GlobalMemory::start_launch() {
  for (auto& [last, region] : regions_) std::fill(region.cells.begin(), region.cells.end(), Cell{});
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

GlobalMemory::Stamp GlobalMemory::stamp(const Thread& thread) {
  const auto linear = thread.block->index() * thread.block->threads() + thread.index;
  return {static_cast<std::uint32_t>(linear) + 1u, thread.clock[thread.index]};
}

bool GlobalMemory::ordered(const Thread& thread, const Stamp& earlier) {
  if (earlier.thread == 0) return true;
  const std::int64_t block = (earlier.thread - 1) / static_cast<unsigned>(thread.block->threads());
  const auto index = (earlier.thread - 1) % static_cast<unsigned>(thread.block->threads());
  if (block == thread.block->index()) return thread.clock[index] >= earlier.clock;
  if (!thread.knowledge) return false;
  const auto known = thread.knowledge->find(block);
  return known != thread.knowledge->end() && (*known->second)[index] >= earlier.clock;
}

void GlobalMemory::check_read(const Thread& thread, const void* pointer, std::size_t bytes, std::size_t alignment,
                              const char* operation) {
  Region& region = find(thread, pointer, bytes, alignment, operation);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (region.cells.empty()) return;
  for (auto at = address - region.begin; at < address - region.begin + bytes; at += kCell) {
    Cell& cell = region.cells[at / kCell];
    if (cell.write.thread == 0 && region.access == Access::kWrite) {
      fail(thread, Fault::kPermission, operation,
           "reads " + offset_text(region.name, address, region.begin) + ", which must not be read");
    }
    if (!ordered(thread, cell.write)) {
      fail(thread, Fault::kRace, operation, "reads " + offset_text(region.name, address, region.begin) +
                                                ", which another thread wrote, with no order between them");
    }
    cell.read = stamp(thread);
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
    Cell& cell = region.cells[at / kCell];
    if (!ordered(thread, cell.write) || !ordered(thread, cell.read)) {
      fail(thread, Fault::kRace, operation, "writes " + offset_text(region.name, address, region.begin) +
                                                ", which another thread " +
                                                (ordered(thread, cell.write) ? "read" : "wrote") +
                                                ", with no order between them");
    }
    cell.write = stamp(thread);
    cell.strong = false;
  }
}

void GlobalMemory::check_strong(const Thread& thread, const std::uint32_t* pointer, bool write,
                                const char* operation) {
  Region& region = find(thread, pointer, sizeof *pointer, sizeof *pointer, operation);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (region.access != Access::kReadWrite) {
    fail(thread, Fault::kPermission, operation,
         offset_text(region.name, address, region.begin) + " must not be both read and written");
  }
  for (auto at = address - region.begin; at < address - region.begin + sizeof *pointer; at += kCell) {
    Cell& cell = region.cells[at / kCell];
    if (!cell.strong && !ordered(thread, cell.write)) {
      fail(thread, Fault::kRace, operation, offset_text(region.name, address, region.begin) +
                                                " was written by a plain store of another thread, with no order");
    }
    if (write && !ordered(thread, cell.read)) {
      fail(thread, Fault::kRace, operation, offset_text(region.name, address, region.begin) +
                                                " was read by a plain load of another thread, with no order");
    }
    if (!write) continue;
    cell.write = stamp(thread);
    cell.strong = true;
  }
}

}  // namespace fastgemm::emulation
