// Clusters: blocks that meet, arrive at each other's barriers, and copy into each other's shared memory.
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tensor_map.h"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

constexpr int kThreads = 32;
constexpr std::int64_t kShared = 8 * 1024;

Outcome run_pairs(int blocks, const std::function<void()>& body) {
  Outcome first;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const ScopedOptions scope(Options::from_seed(seed));
    Outcome outcome;
    try {
      if (run_grid(nullptr, {blocks, kThreads, kShared, 2}, body) != cudaSuccess) outcome = {Fault::kLaunch, "refused"};
    } catch (const Violation& violation) {
      outcome = {violation.fault, violation.what()};
    }
    if (seed == 1) first = outcome;
    if (outcome.fault != first.fault) return {Fault::kLaunch, "seeds differ: " + first.text + " / " + outcome.text};
  }
  return first;
}

void meet() {
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

std::uint32_t barrier() { return ptx::shared_base(); }
std::uint32_t stage() { return (ptx::shared_base() + 1023) / 1024 * 1024; }

void make_barrier(int arrivals) {
  if (ptx::thread_index() == 0) {
    ptx::mbarrier_init(barrier(), arrivals);
    ptx::mbarrier_init_fence();
  }
}

void wait() {
  while (!ptx::mbarrier_try_wait(barrier(), 0)) {
  }
}

void require(bool condition, const char* what) {
  if (!condition) throw Violation(Fault::kLaunch, what);
}

}  // namespace

TEST_CASE("blocks of a cluster know their places, and have named barriers of their own", "[emulation]") {
  CHECK(run_pairs(6, [] {
          require(ptx::cluster_rank() == ptx::block_index() % 2, "another rank");
          require(ptx::grid_size() == 6 && ptx::thread_index() < kThreads && ptx::warp_index() == 0, "another place");
          if (ptx::cluster_rank() == 0) ptx::barrier_sync(1, kThreads);
          ptx::barrier_sync();
        }).text == "");
  CHECK(run_grid(nullptr, {3, kThreads, kShared, 2}, [] {}) == cudaErrorInvalidValue);
}

TEST_CASE("a phase counts arrivals from the other block", "[emulation]") {
  CHECK(run_pairs(4, [] {
          make_barrier(2);
          meet();
          if (ptx::thread_index() < 2) {
            ptx::mbarrier_arrive_cluster(ptx::cluster_address(barrier(), ptx::thread_index()));
          }
          wait();
          meet();
        }).text == "");
}

TEST_CASE("a barrier of the other block takes a meeting after it was made", "[emulation]") {
  const Outcome outcome = run_pairs(2, [] {
    make_barrier(2);
    ptx::barrier_sync();
    if (ptx::thread_index() < 2) {
      ptx::mbarrier_arrive_cluster(ptx::cluster_address(barrier(), ptx::thread_index()));
    }
    wait();
    meet();
  });
  CHECK(outcome.text != "");
}

TEST_CASE("a block that has ended cannot be reached", "[emulation]") {
  const Outcome outcome = run_pairs(2, [] {
    make_barrier(1);
    meet();
    if (ptx::cluster_rank() == 1) return;
    for (int turn = 0; turn < 1000; ++turn) ptx::warp_sync();
    if (ptx::thread_index() == 0) ptx::mbarrier_arrive_cluster(ptx::cluster_address(barrier(), 1));
  });
  CHECK(outcome.fault == Fault::kBarrier);
}

TEST_CASE("plain accesses reach no other block's shared memory, and ranks end with the cluster", "[emulation]") {
  CHECK(run_pairs(2, [] {
          ptx::st_shared_u32(ptx::cluster_address(stage(), 1 - ptx::cluster_rank()), 1);
        }).fault == Fault::kBounds);
  CHECK(run_pairs(2, [] { ptx::cluster_address(stage(), 2); }).fault == Fault::kBounds);
}

TEST_CASE("a multicast brings a box to every block it names", "[emulation]") {
  DeviceArray<float> source(32 * 16, Access::kRead, "source");
  for (std::size_t at = 0; at < source.size(); ++at) source[at] = static_cast<float>(at);
  ptx::TensorMapShape shape{.base = source.data(),
                            .element_bytes = 4,
                            .inner = 32,
                            .outer = 16,
                            .ld = 32,
                            .box_inner = 32,
                            .box_outer = 8};
  ptx::TensorMap map_2d;
  REQUIRE(ptx::encode_tensor_map(&map_2d, shape) == cudaSuccess);
  shape.entries = 1;
  ptx::TensorMap map;
  REQUIRE(ptx::encode_tensor_map(&map, shape) == cudaSuccess);
  const auto copy_halves = [&](bool of_row) {
    make_barrier(1);
    meet();
    const int rank = ptx::cluster_rank();
    if (ptx::thread_index() == 0) {
      ptx::mbarrier_arrive_expect_tx(barrier(), 2 * 32 * 8 * 4);
      if (of_row) ptx::tma_load_3d_multicast(stage() + rank * 1024, map, 0, 8 * rank, 0, barrier(), 3);
      else ptx::tma_load_2d_multicast(stage() + rank * 1024, map_2d, 0, 8 * rank, barrier(), 3);
    }
    wait();
    for (int at = ptx::thread_index(); at < 32 * 16; at += kThreads) {
      require(ptx::ld_shared_f32(stage() + at * 4) == static_cast<float>(at), "a copy brought else");
    }
    meet();
  };
  CHECK(run_pairs(4, [&] { copy_halves(true); }).text == "");
  CHECK(run_pairs(4, [&] { copy_halves(false); }).text == "");
  CHECK(run_pairs(2, [&] {
          make_barrier(1);
          meet();
          if (ptx::thread_index() == 0) ptx::tma_load_3d_multicast(stage(), map, 0, 0, 0, barrier(), 4);
        }).fault == Fault::kBounds);
}
