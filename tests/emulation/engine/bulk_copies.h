// The bulk tensor copies of a block. A copy lands at any time after its issue, in any order; its bytes show when the
// phase of its mbarrier ends.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/emulation/engine/tensor_map.h"

namespace fastgemm::emulation {

class Block;
struct Thread;

class BulkCopies {
 public:
  explicit BulkCopies(Block& block) : block_(block) {}
  void start_block();

  void load(const Thread& thread, std::uint32_t destination, const CUtensorMap& map, int inner, int outer,
            std::uint32_t barrier);

  bool in_flight() const { return !flying_.empty(); }
  // Whether there are copies that have not landed or whose phase has not ended.
  bool unfinished() const { return hidden_ > 0; }
  // Lands one of the copies in flight; `choice` says which.
  void land_one(std::uint64_t choice);
  // Puts a landed copy's bytes into shared memory, as written by `agent`.
  void show(std::size_t copy, int agent, std::uint32_t stamp);

 private:
  struct Load {
    TensorMapContent map;
    std::uint32_t destination = 0;
    int inner = 0;
    int outer = 0;
    std::uint32_t barrier = 0;
    std::vector<unsigned char> data;  // the box, packed; empty until it is read
  };

  void check(const Thread& thread, const Load& load) const;
  void read_source(Load& load) const;

  Block& block_;
  std::vector<Load> loads_;           // all of the block so far
  std::vector<std::size_t> flying_;   // those that have not landed
  int hidden_ = 0;                    // those that do not show yet
};

}  // namespace fastgemm::emulation
