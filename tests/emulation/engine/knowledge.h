// What a thread knows of other blocks: how far each of their threads had come when they last released a word in device
// memory that this thread, or one it met at a barrier, has acquired since.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace fastgemm::emulation {

using BlockClock = std::shared_ptr<const std::vector<std::uint32_t>>;  // one entry a thread of the block
using BlockClocks = std::map<std::int64_t, BlockClock>;                // by the block's index
using Knowledge = std::shared_ptr<const BlockClocks>;                  // null: nothing

// All that either knows.
Knowledge join(const Knowledge& x, const Knowledge& y);

}  // namespace fastgemm::emulation
