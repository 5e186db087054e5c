// The bulk tensor copies of a block. A copy lands at any time after its issue, in any order; its bytes show when the
// phase of its mbarrier ends. A store reads shared memory and writes device memory as late as its thread's waits allow.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tests/emulation/engine/tensor_map.h"

namespace fastgemm::emulation {

class Block;
struct Thread;

class BulkCopies {
 public:
  explicit BulkCopies(Block& block) : block_(block) {}
  void start_block();

  // `entry`: of a row of arrays; kNoEntry with a map of a single one.
  static constexpr int kNoEntry = -1;
  void load(const Thread& thread, std::uint32_t destination, const CUtensorMap& map, int inner, int outer,
            std::uint32_t barrier, int entry = kNoEntry);

  // A prefetch of a box: that what lies in the array is in device memory.
  void check_prefetch(const Thread& thread, const CUtensorMap& map, int inner, int outer, int entry) const;

  void store(const Thread& thread, const CUtensorMap& map, int inner, int outer, std::uint32_t source,
             int entry = kNoEntry);
  void store_commit(const Thread& thread);
  // Until all but the latest `pending` groups have read, and, where `written`, written.
  void store_wait(const Thread& thread, int pending, bool written);
  // The thread ends: its stores may still have to write, but no longer to read.
  void store_end(const Thread& thread);

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

  struct Store {
    TensorMapContent map;
    int inner = 0;
    int outer = 0;
    std::uint32_t source = 0;
    int group = 0;
    bool read = false;
    std::vector<unsigned char> data;  // the box, packed, once it is read
  };
  struct Stores {
    std::vector<Store> stores;  // oldest first
    int groups = 0;             // closed so far
  };

  void check_map(const Thread& thread, const TensorMapContent& map, std::uint32_t address,
                 const char* operation) const;
  void check(const Thread& thread, const Load& load) const;
  void read_box(const Thread& thread, Store& store);
  void write_box(const Store& store) const;
  void read_source(Load& load) const;

  Block& block_;
  std::vector<Load> loads_;           // all of the block so far
  std::vector<std::size_t> flying_;   // those that have not landed
  std::map<int, Stores> stores_;      // by thread
  int hidden_ = 0;                    // those that do not show yet
};

}  // namespace fastgemm::emulation
