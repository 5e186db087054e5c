// Counters that FASTGEMM_STATS=1 prints at exit. Nothing is counted unless it is set.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "src/dropin/host_gemm.h"

namespace fastgemm::dropin {

// What became of a call.
enum class Outcome {
  kOffloaded,  // computed by the offload engine
  kRetreated,  // begun there, finished by the host BLAS
  kDeclined,   // worth it, but the engine did not take it
  kNotWorth,   // faster on the host
  kInvalid,    // arguments that netlib refuses: the caller's xerbla_ is to speak
  kNested,     // from inside a host BLAS that we are calling: part of a call that is counted already
  kInactive,   // merely linked, or FASTGEMM_DROPIN=off
};
inline constexpr int kOutcomes = 7;

struct CallCounter {
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> nanoseconds{0};
  std::atomic<double> flops{0.0};
};

// Products by size: the edge of the cube of as many multiplications, up to 16, 32, 64 ... 32768, and above.
inline constexpr int kSizeClasses = 13;
int size_class(const HostGemm& gemm);

struct SizeCounter {
  CallCounter on_device;
  CallCounter on_host;
};

struct Statistics {
  std::array<CallCounter, kOutcomes> by_outcome;
  std::array<SizeCounter, kSizeClasses> by_size;  // without invalid and nested calls
  std::atomic<std::uint64_t> bytes_to_device{0};  // these two are the offload engine's to add to
  std::atomic<std::uint64_t> bytes_to_host{0};
};

// Is anything counted? Constant from the first call on, which also arranges for the printing at exit.
bool statistics_wanted();
Statistics& statistics();
void count_call(Outcome outcome, const HostGemm& gemm, std::int64_t nanoseconds);
void count_call(Outcome outcome, const HostGemm& gemm, std::int64_t nanoseconds, Statistics* counted);

// What is printed at exit, by FASTGEMM_LOG_FILE's file or stderr. One line for the whole, one for each size that came;
// after "stats " key=value tokens as in log.h. Calls inside others are left out of the sums.
std::string format_statistics(const Statistics& counted);

}  // namespace fastgemm::dropin
