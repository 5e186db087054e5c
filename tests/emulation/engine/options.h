// How the next launches run. A seed fixes everything that is random: the order of blocks, warps and lanes, where
// threads are switched, and whether asynchronous copies read their source early or late.
#pragma once

#include <cstdint>

namespace fastgemm::emulation {

enum class Schedule {
  kPriority,  // one warp runs ahead of the others as far as barriers let it
  kRandom     // another warp may take over after any wait
};

struct Options {
  std::uint64_t seed = 1;
  Schedule schedule = Schedule::kPriority;
  int cell_bytes = 4;     // grain of the race detector; 2 for kernels that store 2 bytes to shared memory
  int preempt_every = 0;  // mean number of memory accesses between switches of threads; 0: only at waits
  bool copies_read_late = false;  // asynchronous copies read their source when they land, not when issued

  bool loads_land_late = false;   // bulk copies land only when nothing else can run; else at any time
  int resident_blocks = 1;        // that run at once; a block starts when another one ends, as on a GPU

  bool stop_at_unwritten = false;  // a read of shared memory that nobody has written is a fault; else it gives NaN

  // An order, switches and copies that differ from seed to seed.
  static Options from_seed(std::uint64_t seed);
};

// The options of this thread's launches.
Options& options();

// Sets them for a scope.
class ScopedOptions {
 public:
  explicit ScopedOptions(const Options& scoped) : before_(options()) { options() = scoped; }
  ~ScopedOptions() { options() = before_; }
  ScopedOptions(const ScopedOptions&) = delete;
  ScopedOptions& operator=(const ScopedOptions&) = delete;

 private:
  Options before_;
};

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  template <class Iterator>
  void shuffle(Iterator begin, Iterator end) {
    for (auto count = end - begin; count > 1; --count) {
      const auto other = static_cast<decltype(count)>(below(static_cast<std::uint64_t>(count)));
      auto held = begin[count - 1];
      begin[count - 1] = begin[other];
      begin[other] = held;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace fastgemm::emulation
