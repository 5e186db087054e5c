// One handle used by many threads: each product right, and plans kept.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/api/host_device.h"
#include "tests/api/product_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

TEST_CASE("sixteen threads share a handle", "[api][threads][replay]") {
  const auto owner = make_host_handle();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 10; ++round) {
        for (const EntryPoint& entry : entry_points()) {
          ProductCase product(entry, owner.get(), {.m = 3 + t % 4, .n = 4 + round % 3});
          if (product.run() != FG_STATUS_SUCCESS || product.wrong_elements() != 0) ++wrong;
          product.call.lda = t % 3;  // each thread sees its own error beside the others' successes
          const std::string text = "lda = " + std::to_string(t % 3) + " is less than";
          if (product.run() != FG_STATUS_INVALID_VALUE || std::string(fg_last_error()).find(text) != 0) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(host_device_counts().launches == 16 * 10 * 12);
}

namespace {

std::atomic<int> inside = 0;
std::atomic<int> met = 0;

// A launch of two passes through the slot, between which another thread has time to come.
cudaError_t pass_through_workspace(const GemmProblem&, const LaunchContext&) {
  if (inside.fetch_add(1) != 0) ++met;
  std::this_thread::sleep_for(std::chrono::microseconds(200));
  inside.fetch_sub(1);
  return cudaSuccess;
}

}  // namespace

TEST_CASE("threads that share a slot of workspace take turns in it", "[api][threads]") {
  KernelEntry packs = host_f32_kernel();
  packs.workspace = [](const GemmProblem&) { return WorkspaceNeed{.least = 256, .fastest = 4096}; };
  packs.launch = pass_through_workspace;
  fg_handle handle({.ordinal = -1, .compute_capability = 90, .sm_count = 132, .shared_bytes_per_block = 232448}, {&packs},
                   kHostWorkspaceBytes, host_runtime());
  REQUIRE(handle.workspace.add_stream(nullptr) == FG_STATUS_SUCCESS);
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        if (ProductCase(entry_points()[0], &handle).run() != FG_STATUS_SUCCESS) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == 0);
  CHECK(met == 0);
}

TEST_CASE("a repeated call is planned once", "[api][threads]") {
  const auto owner = make_host_handle();
  for (int i = 0; i < 5; ++i) CHECK(ProductCase(entry_points()[0], owner.get()).run() == FG_STATUS_SUCCESS);
  CHECK(owner->plans.size() <= 2);  // addresses may differ in alignment
  CHECK(owner->plans.size() >= 1);
}
