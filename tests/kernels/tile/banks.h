// Counts shared memory bank conflicts: 32 banks of 4 bytes, one word of each an access phase.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

namespace fastgemm::tests {

// How many phases a group of lanes needs beyond the first when lane i touches `bytes` bytes from offsets[i] on. Lanes
// that touch the same word share it.
inline int extra_phases(const std::vector<int>& offsets, int bytes) {
  std::set<int> words[32];
  for (const int offset : offsets) {
    for (int word = offset / 4; word < (offset + bytes + 3) / 4; ++word) words[word % 32].insert(word);
  }
  std::size_t most = 1;
  for (const auto& bank : words) most = std::max(most, bank.size());
  return static_cast<int>(most) - 1;
}

// The extra phases of a whole warp. Hardware serves 16 bytes a lane for 8 lanes at a time, 8 bytes for 16, 4 for 32.
template <class OffsetOfLane>
int warp_conflicts(int bytes, OffsetOfLane offset_of_lane) {
  const int group = 128 / bytes;
  int conflicts = 0;
  for (int first = 0; first < 32; first += group) {
    std::vector<int> offsets;
    for (int lane = first; lane < first + group; ++lane) offsets.push_back(offset_of_lane(lane));
    conflicts += extra_phases(offsets, bytes);
  }
  return conflicts;
}

}  // namespace fastgemm::tests
