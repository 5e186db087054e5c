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

  // Within a launch, an access must be ordered after the latest write of its bytes, and a write also after their latest
  // read: by barriers in the same block, by words of kernels/ptx/inter_block.cuh between blocks. The address must be a
  // multiple of `alignment`.
  void check_read(const Thread& thread, const void* address, std::size_t bytes, std::size_t alignment,
                  const char* operation);
  void check_write(const Thread& thread, void* address, std::size_t bytes, const char* operation);
  // The same for a word of kernels/ptx/inter_block.cuh: accesses to it by such operations may come in any order.
  void check_strong(const Thread& thread, const std::uint32_t* address, bool write, const char* operation);
  // A prefetch, which reads nothing: only that the address is in an allocation.
  void check_hint(const Thread& thread, const void* address, const char* operation) {
    find(thread, address, 1, 1, operation);
  }

 private:
  // An access in this launch: 1 + the thread of the grid, or 0, and its clock.
  struct Stamp {
    std::uint32_t thread = 0;
    std::uint32_t clock = 0;
  };
  struct Cell {  // 2 bytes of device memory
    Stamp write;
    Stamp read;
    bool strong = false;  // the write was one of kernels/ptx/inter_block.cuh
  };
  struct Region {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    Access access = Access::kReadWrite;
    std::string name;
    std::vector<Cell> cells;  // none where nobody may write
  };

  Region& find(const Thread& thread, const void* address, std::size_t bytes, std::size_t alignment,
               const char* operation);
  static Stamp stamp(const Thread& thread);
  static bool ordered(const Thread& thread, const Stamp& earlier);

  std::map<std::uintptr_t, Region> regions_;  // by their last byte, so that lower_bound finds the one that may hold it
};

GlobalMemory& global_memory();

}  // namespace fastgemm::emulation
