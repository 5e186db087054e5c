// How far the addresses of an operand's columns are aligned: what decides between wide and narrow copies.
#pragma once

#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm {

inline constexpr int kMaxAlignment = 16;  // bytes; no copy of ours is wider a thread

// Largest power of two, at most kMaxAlignment, that divides all of `bits`' terms: pass them joined by bitwise or.
constexpr int alignment_of(std::uint64_t bits) {
  int alignment = kMaxAlignment;
  while ((bits & static_cast<std::uint64_t>(alignment - 1)) != 0) alignment /= 2;
  return alignment;
}

// The same for an operand whose address, in bytes, is known: every column of every batch entry starts at a multiple.
constexpr int operand_alignment(std::uint64_t address, std::int64_t ld, std::int64_t batch_stride, DataType type,
                                std::int64_t batch_count) {
  const auto size = static_cast<std::uint64_t>(element_size(type));
  std::uint64_t bits = address | static_cast<std::uint64_t>(ld) * size;
  if (batch_count > 1) bits |= static_cast<std::uint64_t>(batch_stride) * size;
  return alignment_of(bits);
}

// Pointer arrays lie in device memory, out of the host's sight: only the element's own size is sure.
inline int operand_alignment(const Operand& operand, DataType type, std::int64_t batch_count) {
  if (operand.pointers != nullptr) return static_cast<int>(element_size(type));
  return operand_alignment(reinterpret_cast<std::uintptr_t>(operand.data), operand.ld, operand.batch_stride, type,
                           batch_count);
}

}  // namespace fastgemm
