// The counter, and the replaced operator new. Nothing here allocates.
#include "tests/faults/call_counter.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace fastgemm::test {
namespace {

long host_blocks = 0;

}  // namespace

CallCounter& call_counter() {
  static CallCounter counter;
  return counter;
}

int count_call(const char* function, const void* site) {
  CallCounter& counter = call_counter();
  if (!counter.armed) return 0;
  const int number = counter.calls++;
  if (number >= kMaxCalls) std::abort();
  std::strncpy(counter.log[number].function, function, sizeof counter.log[number].function - 1);
  counter.log[number].site = site;
  if (number != counter.fail_at) return 0;
  counter.failed = true;
  return counter.error;
}

long live_host_blocks() { return host_blocks; }

}  // namespace fastgemm::test

void* operator new(std::size_t bytes) {
  using namespace fastgemm::test;
  if (count_call("operator new", __builtin_return_address(0)) != 0) throw std::bad_alloc();
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  ++host_blocks;
  return memory;
}

// Replaced as well: AddressSanitizer's own would not go with the operator delete below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  --fastgemm::test::host_blocks;
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

void operator delete(void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }
