// Counters that FASTGEMM_STATS=1 prints at exit. Nothing is counted unless it is set.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace fastgemm::dropin {

// What became of a call.
enum class Outcome {
  kOffloaded,     // computed by the offload engine
  kRetreated,     // begun there, finished by the host BLAS
  kDeclined,      // worth it, but the engine did not take it
  kNotWorth,      // faster on the host
  kInvalid,       // arguments that netlib refuses: the caller's xerbla_ is to speak
  kNested,        // from inside a host BLAS that we are calling
  kInactive,      // merely linked, or FASTGEMM_DROPIN=off
};
inline constexpr int kOutcomes = 7;

struct OutcomeCounters {
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> nanoseconds{0};
  std::atomic<std::uint64_t> flops{0};
};

struct Statistics {
  std::array<OutcomeCounters, kOutcomes> of;      // by Outcome
  std::atomic<std::uint64_t> bytes_to_device{0};  // these two are the offload engine's to add to
  std::atomic<std::uint64_t> bytes_to_host{0};
};

// Is anything counted? Constant from the first call on.
bool statistics_wanted();
Statistics& statistics();

// The lines that are printed at exit, without a trailing newline on the last.
std::string format_statistics(const Statistics& counted);

}  // namespace fastgemm::dropin
