#include "tests/emulation/engine/bulk_copies.h"

#include <algorithm>
#include <cstring>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

namespace {

constexpr const char* kLoad = "tma_load_2d";
constexpr const char* kStore = "tma_store_2d";
constexpr std::uint32_t kChunk = 16;

// The part of row `row` of a box that lies inside the array: first element and count.
struct Inside {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

Inside inside(const TensorMapContent& map, int inner, std::int64_t outer) {
  if (outer < 0 || outer >= map.outer) return {};
  const std::int64_t first = std::max<std::int64_t>(inner, 0);
  const std::int64_t end = std::min<std::int64_t>(std::int64_t{inner} + map.box_inner, map.inner);
  return {first, std::max<std::int64_t>(end - first, 0)};
}

// What a store writes of a row: chunks of 16 bytes, whole also where the array's edge cuts one (seen on an H200).
Inside written_by_store(const TensorMapContent& map, int inner, std::int64_t outer) {
  Inside part = inside(map, inner, outer);
  if (part.count == 0) return part;
  const std::int64_t chunk = kChunk / map.element_bytes;
  const std::int64_t end = (part.first + part.count + chunk - 1) / chunk * chunk;
  part.count = std::min<std::int64_t>(end, std::int64_t{inner} + map.box_inner) - part.first;
  return part;
}

const unsigned char* element(const TensorMapContent& map, std::int64_t inner, std::int64_t outer) {
  return reinterpret_cast<const unsigned char*>(map.base) + outer * map.pitch + inner * map.element_bytes;
}

// The map of entry `entry` alone; one outside the row has no elements.
TensorMapContent content_of_entry(const Thread& thread, const CUtensorMap& map, int entry, const char* operation) {
  TensorMapContent content = content_of(map);
  if (content.mark != TensorMapContent::kMark) return content;
  if ((entry == BulkCopies::kNoEntry) != (content.entries == 0)) {
    fail(thread, Fault::kLaunch, operation, "the tensor map has another number of dimensions");
  }
  if (content.entries == 0) return content;
  if (entry < 0 || entry >= content.entries) content.outer = 0;
  content.base += static_cast<std::uintptr_t>(entry * content.entry_pitch);
  return content;
}

}  // namespace

void BulkCopies::start_block() {
  loads_.clear();
  flying_.clear();
  stores_.clear();
  hidden_ = 0;
}

void BulkCopies::check_map(const Thread& thread, const TensorMapContent& map, std::uint32_t address,
                           const char* operation) const {
  if (map.mark != TensorMapContent::kMark) {
    fail(thread, Fault::kLaunch, operation, "the tensor map has not been made by encode_tensor_map");
  }
  // Swizzles work on address bits, so a box must begin where their pattern does.
  const auto alignment = static_cast<std::uint32_t>(std::max(128, 8 * map.swizzle_bytes));
  if (address % alignment != 0) {
    fail(thread, Fault::kAlignment, operation, "shared address base + " +
                                                   std::to_string(address - SharedMemory::kBase) +
                                                   " is not aligned to " + std::to_string(alignment) + " bytes");
  }
}

void BulkCopies::check(const Thread& thread, const Load& load) const {
  check_map(thread, load.map, load.destination, kLoad);
  for (int row = 0; row < load.map.box_outer; ++row) {
    const Inside part = inside(load.map, load.inner, std::int64_t{load.outer} + row);
    if (part.count == 0) continue;
    global_memory().check_read(thread, element(load.map, part.first, std::int64_t{load.outer} + row),
                               static_cast<std::size_t>(part.count * load.map.element_bytes),
                               static_cast<std::size_t>(load.map.element_bytes), kLoad);
  }
}

void BulkCopies::load(const Thread& thread, std::uint32_t destination, const CUtensorMap& map, int inner, int outer,
                      std::uint32_t barrier, int entry) {
  Load load{content_of_entry(thread, map, entry, kLoad), destination, inner, outer, barrier, {}};
  check(thread, load);
  const Mbarrier& counted_on = block_.mbarriers().for_copy(thread, barrier, kLoad);
  const int agent = block_.threads() + counted_on.number;
  for (std::uint32_t at = 0; at < load.map.box_bytes(); at += kChunk) {
    block_.shared().start_bulk_write(thread, destination + at, kChunk, agent, kLoad);
  }
  if (!block_.options().copies_read_late) read_source(load);
  flying_.push_back(loads_.size());
  ++hidden_;
  loads_.push_back(std::move(load));
}

void BulkCopies::check_prefetch(const Thread& thread, const CUtensorMap& map, int inner, int outer, int entry) const {
  constexpr const char* kPrefetch = "tma_prefetch_3d";
  const TensorMapContent content = content_of_entry(thread, map, entry, kPrefetch);
  check_map(thread, content, SharedMemory::kBase, kPrefetch);
  for (int row = 0; row < content.box_outer; ++row) {
    const Inside part = inside(content, inner, std::int64_t{outer} + row);
    if (part.count == 0) continue;
    for (const std::int64_t at : {part.first, part.first + part.count - 1}) {
      global_memory().check_hint(thread, element(content, at, std::int64_t{outer} + row), kPrefetch);
    }
  }
}

void BulkCopies::read_source(Load& load) const {
  load.data.assign(load.map.box_bytes(), 0);
  for (int row = 0; row < load.map.box_outer; ++row) {
    const std::int64_t outer = std::int64_t{load.outer} + row;
    const Inside part = inside(load.map, load.inner, outer);
    if (part.count == 0) continue;
    const auto skipped = static_cast<std::size_t>((part.first - load.inner) * load.map.element_bytes);
    std::memcpy(load.data.data() + static_cast<std::size_t>(row) * load.map.row_bytes() + skipped,
                element(load.map, part.first, outer), static_cast<std::size_t>(part.count * load.map.element_bytes));
  }
}

void BulkCopies::land_one(std::uint64_t choice) {
  const auto chosen = flying_.begin() + static_cast<std::ptrdiff_t>(choice % flying_.size());
  const std::size_t copy = *chosen;
  flying_.erase(chosen);
  if (loads_[copy].data.empty()) read_source(loads_[copy]);
  Mbarrier& barrier = *block_.mbarriers().at(loads_[copy].barrier);
  block_.mbarriers().land(barrier, copy, loads_[copy].map.box_bytes());
}

void BulkCopies::show(std::size_t copy, int agent, std::uint32_t stamp) {
  Load& load = loads_[copy];
  for (std::uint32_t at = 0; at < load.map.box_bytes(); at += kChunk) {
    block_.shared().land_bulk_write(swizzled(load.destination + at, load.map.swizzle_bytes), kChunk, agent, stamp,
                                    load.data.data() + at);
  }
  load.data = {};
  --hidden_;
}

void BulkCopies::store(const Thread& thread, const CUtensorMap& map, int inner, int outer, std::uint32_t source,
                       int entry) {
  Stores& mine = stores_[thread.index];
  Store store{content_of_entry(thread, map, entry, kStore), inner, outer, source, mine.groups, false, {}};
  check_map(thread, store.map, source, kStore);
  for (int row = 0; row < store.map.box_outer; ++row) {
    const Inside part = written_by_store(store.map, inner, std::int64_t{outer} + row);
    for (std::int64_t at = part.first; at < part.first + part.count; ++at) {
      auto* address = const_cast<unsigned char*>(element(store.map, at, std::int64_t{outer} + row));
      global_memory().check_write(thread, address, static_cast<std::size_t>(store.map.element_bytes), kStore);
    }
  }
  for (std::uint32_t at = 0; at < store.map.box_bytes(); at += kChunk) {
    block_.shared().start_bulk_read(thread, swizzled(source + at, store.map.swizzle_bytes), kChunk, kStore);
  }
  mine.stores.push_back(std::move(store));
}

void BulkCopies::store_commit(const Thread& thread) { ++stores_[thread.index].groups; }

void BulkCopies::store_wait(const Thread& thread, int pending, bool written) {
  Stores& mine = stores_[thread.index];
  const auto is_done = [&](const Store& store) { return store.group < mine.groups - pending; };
  for (Store& store : mine.stores) {
    if (is_done(store) && !store.read) read_box(thread, store);
    if (is_done(store) && written) write_box(store);
  }
  if (written) mine.stores.erase(std::remove_if(mine.stores.begin(), mine.stores.end(), is_done), mine.stores.end());
}

void BulkCopies::store_end(const Thread& thread) {
  const auto found = stores_.find(thread.index);
  if (found == stores_.end()) return;
  for (const Store& store : found->second.stores) {
    if (!store.read) fail(thread, Fault::kCopyInFlight, "the end of the thread", "tma_store_2d may still read");
    write_box(store);
  }
  stores_.erase(found);
}

void BulkCopies::read_box(const Thread& thread, Store& store) {
  store.data.resize(store.map.box_bytes());
  for (std::uint32_t at = 0; at < store.map.box_bytes(); at += kChunk) {
    const std::uint32_t address = swizzled(store.source + at, store.map.swizzle_bytes);
    std::memcpy(store.data.data() + at, block_.shared().end_bulk_read(thread, address, kChunk), kChunk);
  }
  store.read = true;
}

void BulkCopies::write_box(const Store& store) const {
  for (int row = 0; row < store.map.box_outer; ++row) {
    const std::int64_t outer = std::int64_t{store.outer} + row;
    const Inside part = written_by_store(store.map, store.inner, outer);
    if (part.count == 0) continue;
    const auto skipped = static_cast<std::size_t>((part.first - store.inner) * store.map.element_bytes);
    std::memcpy(const_cast<unsigned char*>(element(store.map, part.first, outer)),
                store.data.data() + static_cast<std::size_t>(row) * store.map.row_bytes() + skipped,
                static_cast<std::size_t>(part.count * store.map.element_bytes));
  }
}

}  // namespace fastgemm::emulation
