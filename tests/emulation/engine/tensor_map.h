// What the emulation keeps in the 128 bytes of a CUtensorMap, and how a box lies in shared memory.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <cstring>

namespace fastgemm::emulation {

struct TensorMapContent {
  static constexpr std::uint64_t kMark = 0x70616d20726f736eu;  // no other bytes are taken for a map

  std::uint64_t mark = kMark;
  std::uintptr_t base = 0;
  std::int64_t inner = 0;
  std::int64_t outer = 0;
  std::int64_t pitch = 0;        // bytes
  std::int64_t entries = 0;      // 0: one two-dimensional array
  std::int64_t entry_pitch = 0;  // bytes
  std::int32_t element_bytes = 0;
  std::int32_t box_inner = 0;
  std::int32_t box_outer = 0;
  std::int32_t swizzle_bytes = 0;  // 0, 32, 64 or 128

  std::uint32_t row_bytes() const { return static_cast<std::uint32_t>(box_inner * element_bytes); }
  std::uint32_t box_bytes() const { return row_bytes() * static_cast<std::uint32_t>(box_outer); }
};
static_assert(sizeof(TensorMapContent) <= sizeof(CUtensorMap));

inline void store_content(CUtensorMap& map, const TensorMapContent& content) {
  std::memset(&map, 0, sizeof map);
  std::memcpy(&map, &content, sizeof content);
}

inline TensorMapContent content_of(const CUtensorMap& map) {
  TensorMapContent content;
  std::memcpy(static_cast<void*>(&content), &map, sizeof content);
  return content;
}

// Where the hardware puts the byte that a packed box would have at `address`: the number of the 16-byte chunk in a row
// of `span` bytes is XORed with the number of the 128-byte line, as far as it has bits.
constexpr std::uint32_t swizzled(std::uint32_t address, int span) {
  const auto mask = static_cast<std::uint32_t>(span / 16 - 1);
  return span == 0 ? address : address ^ (address >> 7 & mask) << 4;
}

}  // namespace fastgemm::emulation
