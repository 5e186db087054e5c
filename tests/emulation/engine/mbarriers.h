// The mbarriers of a block: phases that end when all arrivals have come and all expected bytes of bulk copies landed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/emulation/engine/knowledge.h"

namespace fastgemm::emulation {

class Block;
struct Thread;

constexpr int kMaxMbarriers = 64;

struct Mbarrier {
  int number = 0;  // in order of initialisation
  std::uint32_t address = 0;
  int arrivals = 0;          // a phase needs
  int pending = 0;           // arrivals still to come in this phase
  std::int64_t bytes = 0;    // expected and not landed yet; less than 0 where they landed before they were expected
  std::uint32_t phase = 0;   // the phase under way
  int owner = 0;             // the rank of its block
  int maker = 0;             // the thread that made it, and when
  std::uint32_t made = 0;
  bool fenced = false;       // bulk copies may know of it
  std::vector<std::uint32_t> arriving;  // what the threads that have come in this phase had seen
  std::vector<std::uint32_t> done;      // the same for all phases that have ended
  Knowledge arriving_knowledge, done_knowledge;
  std::vector<std::size_t> landed;      // bulk copies to show when this phase ends
};

class Mbarriers {
 public:
  explicit Mbarriers(Block& block) : block_(block) {}
  void start_block() { barriers_.clear(); }

  void init(Thread& thread, std::uint32_t address, int arrivals);
  void init_fence(const Thread& thread);
  // Arrives once and adds `bytes` to what must land in this phase.
  void arrive(Thread& thread, std::uint32_t address, std::int64_t bytes, const char* operation);
  // Whether the phase of `parity` has ended; with `suspends`, waits a while first.
  bool wait(Thread& thread, std::uint32_t address, int parity, bool suspends, const char* operation);

  // For bulk copies: the barrier they count on, and that one has landed.
  Mbarrier& for_copy(const Thread& thread, std::uint32_t address, const char* operation);
  void land(Mbarrier& barrier, std::size_t copy, std::int64_t bytes);
  Mbarrier* at(std::uint32_t address);

  int count() const { return static_cast<int>(barriers_.size()); }
  std::string state_text(std::uint32_t address) const;

 private:
  Mbarrier& find(const Thread& thread, std::uint32_t address, const char* operation);
  void end_phase_if_complete(Mbarrier& barrier);

  Block& block_;
  std::map<std::uint32_t, Mbarrier> barriers_;
};

}  // namespace fastgemm::emulation
