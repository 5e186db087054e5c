// Threads, blocks, barriers and shuffles of the overlay.
#include <algorithm>
#include <set>
#include <vector>

#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/shared.cuh"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

std::uint32_t word(int index) { return ptx::shared_base() + 4u * static_cast<std::uint32_t>(index); }

struct Counter {
  std::vector<int>* visits;
};
__global__ void count_visit(const Counter counter) {
  const std::int64_t at = ptx::block_index() * 64 + ptx::thread_index();
  ++(*counter.visits)[static_cast<std::size_t>(at)];
}

}  // namespace

TEST_CASE("a launch visits every thread of every block once", "[emulation]") {
  std::vector<int> visits(5 * 64);
  REQUIRE(ptx::prepare_kernel(count_visit, 1024) == cudaSuccess);
  REQUIRE(ptx::launch_grid(count_visit, {5, 64, 1024}, nullptr, Counter{&visits}) == cudaSuccess);
  CHECK(std::count(visits.begin(), visits.end(), 1) == 5 * 64);
}

TEST_CASE("launches that a driver refuses are refused", "[emulation]") {
  std::vector<int> visits(5 * 64);
  const Counter counter{&visits};
  CHECK(ptx::launch_grid(count_visit, {0, 64, 0}, nullptr, counter) != cudaSuccess);
  CHECK(ptx::launch_grid(count_visit, {std::int64_t{1} << 31, 64, 0}, nullptr, counter) != cudaSuccess);
  CHECK(ptx::launch_grid(count_visit, {1, 1056, 0}, nullptr, counter) != cudaSuccess);
  CHECK(ptx::launch_grid(count_visit, {1, 64, 48 * 1024 + 16}, nullptr, counter) != cudaSuccess);
  CHECK(ptx::prepare_kernel(count_visit, 228 * 1024) != cudaSuccess);
  REQUIRE(ptx::prepare_kernel(count_visit, 64 * 1024) == cudaSuccess);
  CHECK(ptx::launch_grid(count_visit, {1, 64, 64 * 1024}, nullptr, counter) == cudaSuccess);
}

TEST_CASE("threads know their block, warp and lane", "[emulation]") {
  std::set<int> seen;
  REQUIRE(run_grid(nullptr, {3, 96, 0}, [&] {
            const int warp = ptx::warp_index();
            const bool right = ptx::grid_size() == 3 && warp == ptx::thread_index() / 32 &&
                               ptx::lane_index() == ptx::thread_index() % 32;
            if (right) seen.insert(static_cast<int>(ptx::block_index()) * 96 + ptx::thread_index());
          }) == cudaSuccess);
  CHECK(seen.size() == 3 * 96);
}

TEST_CASE("seeds shuffle warps and lanes, and the same seed repeats", "[emulation]") {
  const auto order_of = [](std::uint64_t seed) {
    std::vector<int> order;
    Options options;
    options.seed = seed;
    const ScopedOptions scope(options);
    run_block(128, 0, [&] { order.push_back(ptx::thread_index()); });
    return order;
  };
  CHECK(order_of(1) == order_of(1));
  CHECK(order_of(1) != order_of(2));
  const std::vector<int> order = order_of(3);
  CHECK(order.size() == 128);
  CHECK(!std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("a block's barrier orders writes before reads", "[emulation]") {
  int wrong = 0;
  const Outcome outcome = run_block_often(128, 512, [&] {
    const int thread = ptx::thread_index();
    for (int round = 0; round < 3; ++round) {
      ptx::st_shared_u32(word(thread), static_cast<std::uint32_t>(thread + round));
      ptx::barrier_sync();
      wrong += ptx::ld_shared_u32(word(127 - thread)) != static_cast<std::uint32_t>(127 - thread + round);
      ptx::barrier_sync();
    }
  });
  CHECK(outcome.text == "");
  CHECK(wrong == 0);
}

TEST_CASE("threads that have left do not hold up the block's barrier", "[emulation]") {
  const Outcome outcome = run_block_often(96, 512, [] {
    if (ptx::thread_index() >= 64) return;
    ptx::barrier_sync();
  });
  CHECK(outcome.text == "");
}

TEST_CASE("named barriers order the threads that meet there, and no others", "[emulation]") {
  const auto neighbour_read = [](bool across) {
    const int thread = ptx::thread_index();
    const int half = thread / 64;
    ptx::st_shared_u32(word(thread), 1);
    ptx::barrier_sync(1 + half, 64);
    ptx::ld_shared_u32(word(across ? (thread + 64) % 128 : thread ^ 32));
  };
  CHECK(run_block_often(128, 512, [&] { neighbour_read(false); }).text == "");
  CHECK(run_block_often(128, 512, [&] { neighbour_read(true); }).fault == Fault::kRace);
}

TEST_CASE("an arrival releases without waiting, and acquires nothing", "[emulation]") {
  // Warp 0 produces and arrives; warp 1 waits and consumes.
  const auto handover = [](bool producer_reads_back) {
    if (ptx::warp_index() == 0) {
      ptx::st_shared_u32(word(ptx::lane_index()), 7);
      ptx::barrier_arrive(3, 64);
      if (producer_reads_back) ptx::ld_shared_u32(word(32 + ptx::lane_index()));
    } else {
      ptx::st_shared_u32(word(32 + ptx::lane_index()), 8);
      ptx::barrier_sync(3, 64);
      ptx::ld_shared_u32(word(31 - ptx::lane_index()));
    }
  };
  CHECK(run_block_often(64, 256, [&] { handover(false); }).text == "");
  // The producer may read before the consumer writes, so what goes wrong depends on the order; something always does.
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Options options = Options::from_seed(seed);
    options.stop_at_unwritten = true;
    const ScopedOptions scope(options);
    const Outcome outcome = run_block(64, 256, [&] { handover(true); });
    CHECK((outcome.fault == Fault::kRace || outcome.fault == Fault::kUninitialised));
  }
}

TEST_CASE("warp_sync orders the lanes of a warp, shuffles do not", "[emulation]") {
  const auto exchange = [](bool sync) {
    const int thread = ptx::thread_index();
    ptx::st_shared_u32(word(thread), 1);
    if (sync) {
      ptx::warp_sync();
    } else {
      ptx::shuffle(1.0f, 0);
    }
    ptx::ld_shared_u32(word(thread ^ 1));
  };
  CHECK(run_block_often(64, 256, [&] { exchange(true); }).text == "");
  CHECK(run_block_often(64, 256, [&] { exchange(false); }).fault == Fault::kRace);
}

TEST_CASE("shuffles give the value of the lane that is named", "[emulation]") {
  int wrong = 0;
  const Outcome outcome = run_block_often(64, 0, [&] {
    const int lane = ptx::lane_index();
    const int source = (lane * 5 + 3) % 32;
    wrong += ptx::shuffle(static_cast<std::uint32_t>(ptx::thread_index()), source) !=
             static_cast<std::uint32_t>(ptx::thread_index() / 32 * 32 + source);
    wrong += ptx::shuffle(static_cast<float>(lane), 9) != 9.0f;
  });
  CHECK(outcome.text == "");
  CHECK(wrong == 0);
}

TEST_CASE("barriers used wrongly stop with the place", "[emulation]") {
  CHECK(run_block(64, 0, [] { ptx::barrier_sync(16, 64); }).fault == Fault::kBarrier);
  CHECK(run_block(64, 0, [] { ptx::barrier_sync(0, 64); }).fault == Fault::kBarrier);
  CHECK(run_block(64, 0, [] { ptx::barrier_sync(1, 48); }).fault == Fault::kBarrier);
  CHECK(run_block(64, 0, [] { ptx::barrier_sync(1, 96); }).fault == Fault::kBarrier);
  CHECK(run_block(64, 0, [] { ptx::barrier_arrive(1, 0); }).fault == Fault::kBarrier);
  CHECK(run_block(96, 0, [] { ptx::barrier_sync(1, ptx::thread_index() < 32 ? 64 : 96); }).fault == Fault::kBarrier);
}

TEST_CASE("a deadlock names who waits where", "[emulation]") {
  const Outcome outcome = run_block_often(64, 0, [] {
    if (ptx::thread_index() < 32) {
      ptx::barrier_sync(5, 64);
    } else {
      ptx::barrier_sync(6, 64);
    }
  });
  CHECK(outcome.fault == Fault::kDeadlock);
  CHECK_THAT(outcome.text, ContainsSubstring("warp 0 from lane 0 in barrier_sync(id, threads) at barrier 5"));
  CHECK_THAT(outcome.text, ContainsSubstring("at barrier 6, where 32 have come of 64"));
}

TEST_CASE("lanes in different warp-wide operations stop, and so does a missing lane", "[emulation]") {
  const Outcome differing = run_block_often(32, 0, [] {
    if (ptx::lane_index() < 16) {
      ptx::warp_sync();
    } else {
      ptx::shuffle(1.0f, 0);
    }
  });
  CHECK(differing.fault == Fault::kDivergence);
  const Outcome missing = run_block_often(32, 0, [] {
    if (ptx::lane_index() != 7) ptx::warp_sync();
  });
  CHECK(missing.fault == Fault::kDeadlock);
}

TEST_CASE("device functions work only inside a kernel", "[emulation]") {
  CHECK_THROWS_AS(ptx::thread_index(), Violation);
}
