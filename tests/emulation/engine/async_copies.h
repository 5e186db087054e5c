// One thread's cp.async copies: issued, committed in groups, landed by a wait.
#pragma once

#include <cstdint>
#include <vector>

namespace fastgemm::emulation {

struct Thread;

class AsyncCopies {
 public:
  void clear();
  void issue(const Thread& thread, std::uint32_t destination, const void* source, int width, int valid,
             const char* operation);
  void commit();
  // Lands the oldest groups until at most `pending` are left.
  void wait(const Thread& thread, int pending);

 private:
  struct Copy {
    std::uint32_t destination = 0;
    int width = 0;
    int valid = 0;
    const void* source = nullptr;
    unsigned char data[16] = {};
  };

  std::vector<Copy> copies_;        // oldest first
  std::vector<std::size_t> groups_;  // number of copies in each committed group, oldest first
  std::size_t open_ = 0;            // copies of the group not committed yet
};

}  // namespace fastgemm::emulation
