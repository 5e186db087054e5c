// Words in device memory through which the blocks of a launch talk: what each release publishes, and who waits for it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tests/emulation/engine/knowledge.h"

namespace fastgemm::emulation {

struct Thread;

class InterBlockWords {
 public:
  void start_launch() { words_.clear(); }

  std::uint32_t load_acquire(Thread& thread, const std::uint32_t* address);
  void store_release(Thread& thread, std::uint32_t* address, std::uint32_t value);
  std::uint32_t add(Thread& thread, std::uint32_t* address, std::uint32_t value);

 private:
  struct Word {
    Knowledge published;
    std::vector<Thread*> waiting;
  };
  void write(const Thread& thread, Word& word, std::uint32_t* address, std::uint32_t value, const char* operation);

  std::map<const std::uint32_t*, Word> words_;
};

InterBlockWords& inter_block_words();

}  // namespace fastgemm::emulation
