#include "tests/emulation/engine/options.h"

namespace fastgemm::emulation {

Options Options::from_seed(std::uint64_t seed) {
  Random random(seed);
  Options result;
  result.seed = seed;
  result.schedule = random.below(2) == 0 ? Schedule::kPriority : Schedule::kRandom;
  result.preempt_every = random.below(4) == 0 ? 100 : 0;
  result.copies_read_late = random.below(2) == 0;
  result.loads_land_late = random.below(2) == 0;
  result.resident_blocks = random.below(2) == 0 ? 1 : 2 + static_cast<int>(random.below(3));
  return result;
}

Options& options() {
  static thread_local Options current;
  return current;
}

}  // namespace fastgemm::emulation
