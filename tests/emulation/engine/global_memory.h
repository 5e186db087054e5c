// Device memory: the allocations that tests have registered, and a check of every access against them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fastgemm::emulation {

struct Thread;

enum class Access : std::uint8_t {
  kRead,
  kWrite,  // a thread may also read back what it has written itself
  kReadWrite
};

class GlobalMemory {
 public:
  // [begin, begin + bytes) may be accessed as `access` says; nothing around it may.
  void add(const void* begin, std::size_t bytes, Access access, std::string name);
  void remove(const void* begin);

  // Forgets who wrote what; called at the start of a launch.
  void start_launch();

  // Within a launch an element has one writer, and nobody else reads it after that: blocks are not ordered.
  // The address must be a multiple of `alignment`.
  void check_read(const Thread& thread, const void* address, std::size_t bytes, std::size_t alignment,
                  const char* operation);
  void check_write(const Thread& thread, void* address, std::size_t bytes, const char* operation);

 private:
  struct Region {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    Access access = Access::kReadWrite;
    std::string name;
    std::vector<std::uint32_t> owner;  // per 2 bytes: 1 + the thread of the grid that wrote them in this launch, or 0
  };

  Region& find(const Thread& thread, const void* address, std::size_t bytes, std::size_t alignment,
               const char* operation);

  std::map<std::uintptr_t, Region> regions_;  // by their last byte, so that lower_bound finds the one that may hold it
};

GlobalMemory& global_memory();

}  // namespace fastgemm::emulation
