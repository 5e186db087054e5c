// Counts the calls that the library makes to CUDA, to cuBLAS and to operator new, and lets one of them fail.
#pragma once

namespace fastgemm::test {

struct CountedCall {
  char function[40] = {};      // by value: the name may lie in a library that only a child process has open
  const void* site = nullptr;  // where the call came from; null where the callee cannot tell
};

inline constexpr int kMaxCalls = 4096;

struct CallCounter {
  bool armed = false;
  int calls = 0;     // while armed
  int fail_at = -1;  // number of the call that fails
  int error = 0;     // with what
  bool failed = false;
  CountedCall log[kMaxCalls];
};

CallCounter& call_counter();

// What this call has to answer: 0, or the error that the counter was set to.
int count_call(const char* function, const void* site);

// Blocks of host memory that operator new has given and not got back.
long live_host_blocks();

}  // namespace fastgemm::test
