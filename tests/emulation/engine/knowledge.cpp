#include "tests/emulation/engine/knowledge.h"

#include <algorithm>

namespace fastgemm::emulation {

namespace {

BlockClock later(const BlockClock& x, const BlockClock& y) {
  if (x == y || !y) return x;
  if (!x) return y;
  auto joined = std::make_shared<std::vector<std::uint32_t>>(*x);
  for (std::size_t at = 0; at < joined->size(); ++at) (*joined)[at] = std::max((*joined)[at], (*y)[at]);
  return joined;
}

}  // namespace

Knowledge join(const Knowledge& x, const Knowledge& y) {
  if (x == y || !y) return x;
  if (!x) return y;
  auto joined = std::make_shared<BlockClocks>(*x);
  for (const auto& [block, clock] : *y) {
    BlockClock& known = (*joined)[block];
    known = later(known, clock);
  }
  return joined;
}

}  // namespace fastgemm::emulation
