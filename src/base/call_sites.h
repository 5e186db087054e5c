// What libraries that stand before others keep of the places that call them. Both tables only grow, and every word of
// them is written once: so readers need no lock, and a fork in the middle of an insertion leaves nothing held.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace fastgemm {

// Values that stay where they are for as long as the process lives.
template <class Value>
class GrowingList {
 public:
  template <class Predicate>
  const Value* find(const Predicate& fits) const {
    for (const Node* node = head_.load(std::memory_order_acquire); node != nullptr; node = node->next) {
      if (fits(node->value)) return &node->value;
    }
    return nullptr;
  }

  // Two threads that looked for a value may both add it; that does no harm.
  const Value& add(Value value) {
    Node* const added = new Node{std::move(value), head_.load(std::memory_order_acquire)};
    while (!head_.compare_exchange_weak(added->next, added, std::memory_order_acq_rel)) {
    }
    return added->value;
  }

 private:
  struct Node {
    Value value;
    const Node* next;
  };
  std::atomic<const Node*> head_{nullptr};
};

// From an entry point and the address that its call returns to. A call site that does not fit any more is not kept.
template <class Value, int kSlotBits>
class CallSites {
 public:
  static constexpr unsigned kMaxEntries = 32;

  // Null where nothing is kept. About as long as reading two words.
  const Value* find(unsigned entry, const void* return_address) const {
    const std::uint64_t key = key_of(entry, return_address);
    for (std::size_t probe = 0; probe < kMaxProbes; ++probe) {
      const Slot& slot = slots_[(home(key) + probe) % kSlots];
      const std::uint64_t found = slot.key.load(std::memory_order_acquire);
      if (found == 0) return nullptr;
      if (found == key) return slot.value.load(std::memory_order_acquire);  // null: another thread is about to write it
    }
    return nullptr;
  }

  // The first value of a call site stays.
  void keep(unsigned entry, const void* return_address, const Value& value) {
    const std::uint64_t key = key_of(entry, return_address);
    for (std::size_t probe = 0; probe < kMaxProbes; ++probe) {
      Slot& slot = slots_[(home(key) + probe) % kSlots];
      std::uint64_t found = 0;
      if (slot.key.compare_exchange_strong(found, key, std::memory_order_acq_rel)) {
        slot.value.store(&value, std::memory_order_release);
        return;
      }
      if (found == key) return;
    }
  }

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  static constexpr std::size_t kMaxProbes = 16;
  static constexpr int kEntryBits = 5;  // beside an address, which has at most 57 bits
  static_assert(kMaxEntries == 1u << kEntryBits);

  struct Slot {
    std::atomic<std::uint64_t> key{0};
    std::atomic<const Value*> value{nullptr};
  };

  static std::uint64_t key_of(unsigned entry, const void* return_address) {
    return reinterpret_cast<std::uint64_t>(return_address) << kEntryBits | entry;
  }
  static std::size_t home(std::uint64_t key) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: Fibonacci hashing (Knuth, volume 3, 6.4)
    return (key * kGolden) >> (64 - kSlotBits);
  }

  std::array<Slot, kSlots> slots_;
};

}  // namespace fastgemm
