// Counters that FASTGEMM_STATS=1 prints at exit. Nothing is counted unless it is set.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "src/cublas_hook/entries.h"

namespace fastgemm::hook {

struct EntryCounter {
  std::atomic<std::uint64_t> served{0};  // by this library's kernels
  std::atomic<std::uint64_t> passed{0};  // on to cuBLAS
};
using Statistics = std::array<EntryCounter, kEntries>;

// Calls that come from inside a cuBLAS call passed on are part of it and are not counted.
void count_call(Entry entry, bool served);

// What is printed at exit, to FASTGEMM_LOG_FILE's file or stderr. One line for the whole, one for each entry that was
// called; after "stats " key=value tokens as in log.h.
std::string format_statistics(const Statistics& counted);

}  // namespace fastgemm::hook
