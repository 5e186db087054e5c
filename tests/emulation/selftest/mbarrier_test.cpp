// Phases, arrivals and misuse of mbarriers.
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/shared.cuh"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

std::uint32_t byte(int offset) { return ptx::shared_base() + static_cast<std::uint32_t>(offset); }

void wait(int offset, int parity) {
  while (!ptx::mbarrier_try_wait(byte(offset), parity)) {
  }
}

// Thread 0 makes a barrier for `arrivals` at offset 0, and all meet.
void make(int arrivals) {
  if (ptx::thread_index() == 0) {
    ptx::mbarrier_init(byte(0), arrivals);
    ptx::mbarrier_init_fence();
  }
  ptx::barrier_sync();
}

}  // namespace

TEST_CASE("a phase ends with its last arrival and orders what came before", "[emulation]") {
  // Warp 0 writes and arrives; warp 1 waits and reads; three rounds, with an empty barrier on the way back.
  const auto run = [](bool waits_full, bool waits_empty) {
    return run_block_often(64, 256, [=] {
      if (ptx::thread_index() == 0) {
        ptx::mbarrier_init(byte(0), 32);
        ptx::mbarrier_init(byte(8), 32);
        ptx::mbarrier_init_fence();
      }
      ptx::barrier_sync();
      const int at = 64 + 4 * ptx::lane_index();
      for (int round = 0; round < 3; ++round) {
        if (ptx::warp_index() == 0) {
          if (waits_empty) wait(8, (round & 1) ^ 1);
          ptx::st_shared_u32(byte(at), static_cast<std::uint32_t>(round + at));
          ptx::mbarrier_arrive(byte(0));
        } else {
          if (waits_full) wait(0, round & 1);
          const auto other = 64 + 4 * (31 - ptx::lane_index());
          const bool right = ptx::ld_shared_u32(byte(other)) == static_cast<std::uint32_t>(round + other);
          if (!right && waits_full) throw Violation(Fault::kLaunch, "read something else");
          ptx::mbarrier_arrive(byte(8));
        }
      }
    });
  };
  CHECK(run(true, true).text == "");
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Options options = Options::from_seed(seed);
    options.stop_at_unwritten = true;
    const ScopedOptions scope(options);
    CHECK(run(false, true).fault.has_value());
    CHECK(run(true, false).fault.has_value());
  }
}

TEST_CASE("a fresh mbarrier has parity 1 behind it and parity 0 ahead", "[emulation]") {
  CHECK(run_block_often(32, 64, [] {
          make(1);
          wait(0, 1);
        }).text == "");
  const Outcome outcome = run_block_often(32, 64, [] {
    make(2);
    if (ptx::lane_index() == 3) ptx::mbarrier_arrive(byte(0));
    wait(0, 0);
  });
  CHECK(outcome.fault == Fault::kDeadlock);
  CHECK_THAT(outcome.text, ContainsSubstring("in mbarrier_try_wait for the mbarrier at base + 0, in whose phase 0 1 "
                                             "have come of 2 and 0 bytes are missing"));
}

TEST_CASE("a wait that is not repeated comes to nothing under some seed", "[emulation]") {
  int faults = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    Options options = Options::from_seed(seed);
    options.stop_at_unwritten = true;
    const ScopedOptions scope(options);
    faults += run_block(64, 64, [] {
                make(1);
                if (ptx::warp_index() == 0) {
                  if (ptx::lane_index() == 0) ptx::st_shared_u32(byte(16), 5);
                  if (ptx::lane_index() == 0) ptx::mbarrier_arrive(byte(0));
                } else {
                  ptx::mbarrier_try_wait(byte(0), 0);
                  ptx::ld_shared_u32(byte(16));
                }
              }).fault.has_value();
  }
  CHECK(faults > 0);
  CHECK(faults < 24);
}

TEST_CASE("mbarrier_test_wait answers at once, and orders what came before where the phase has ended", "[emulation]") {
  // The one thread that could end the phase asks first: a wait would be for ever.
  const auto outcome = run_block_often(64, 64, [] {
    make(1);
    if (ptx::thread_index() == 0) {
      if (ptx::mbarrier_test_wait(byte(0), 0)) throw Violation(Fault::kLaunch, "ended before its arrival");
      ptx::st_shared_u32(byte(16), 5);
      ptx::mbarrier_arrive(byte(0));
      if (!ptx::mbarrier_test_wait(byte(0), 0)) throw Violation(Fault::kLaunch, "not ended by its arrival");
    } else {
      if (!ptx::mbarrier_test_wait(byte(0), 0)) wait(0, 0);
      if (ptx::ld_shared_u32(byte(16)) != 5) throw Violation(Fault::kLaunch, "read something else");
    }
  });
  CHECK(outcome.text == "");
}

TEST_CASE("mbarriers used wrongly stop with the place", "[emulation]") {
  const auto fault = [](auto body) {
    return run_block_often(64, 64, [&] {
             make(2);
             if (ptx::thread_index() == 40) body();
           }).fault;
  };
  CHECK(fault([] { ptx::mbarrier_arrive(byte(0)); }) == std::nullopt);
  CHECK(fault([] { ptx::mbarrier_arrive(byte(8)); }) == Fault::kBarrier);
  CHECK(fault([] { ptx::mbarrier_try_wait(byte(16), 0); }) == Fault::kBarrier);
  CHECK(fault([] { ptx::mbarrier_try_wait(byte(0), 2); }) == Fault::kBarrier);
  CHECK(fault([] { ptx::mbarrier_test_wait(byte(16), 0); }) == Fault::kBarrier);
  CHECK(fault([] { ptx::mbarrier_arrive(byte(4)); }) == Fault::kAlignment);
  CHECK(fault([] { ptx::mbarrier_init(byte(0), 1); }) == Fault::kBarrier);
  CHECK(fault([] { ptx::mbarrier_init(byte(8), 0); }) == Fault::kBarrier);
  CHECK(fault([] { ptx::mbarrier_init(byte(64), 1); }) == Fault::kBounds);
  CHECK(fault([] { ptx::mbarrier_arrive_expect_tx(byte(0), 1 << 20); }) == Fault::kBarrier);
  CHECK(fault([] { ptx::ld_shared_u32(byte(4)); }) == Fault::kBarrier);
  CHECK(fault([] { ptx::st_shared_u32(byte(0), 1); }) == Fault::kBarrier);
  // Two arrivals make the phase, but the bytes that the first expects never come, and so the third has no phase.
  CHECK(fault([] {
          ptx::mbarrier_arrive_expect_tx(byte(0), 16);
          ptx::mbarrier_arrive(byte(0));
          ptx::mbarrier_arrive(byte(0));
        }) == Fault::kBarrier);
}

TEST_CASE("an mbarrier is for others only after a barrier", "[emulation]") {
  int faults = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const ScopedOptions scope(Options::from_seed(seed));
    const Outcome outcome = run_block(64, 64, [] {
      if (ptx::thread_index() == 0) ptx::mbarrier_init(byte(0), 1);
      if (ptx::thread_index() == 40) ptx::mbarrier_arrive(byte(0));
    });
    CHECK((outcome.fault == Fault::kRace || outcome.fault == Fault::kBarrier));
    faults += outcome.fault == Fault::kRace;
  }
  CHECK(faults > 0);
}
