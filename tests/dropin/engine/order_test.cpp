// What is under way on a device when a product begins, and when one ends that failed.
#include <algorithm>
#include <limits>

#include "src/dropin/engine/device.h"
#include "tests/dropin/engine/fake_gpu.h"
#include "tests/dropin/engine/shared_pool.h"
#include "tests/dropin/engine/test_product.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;
using namespace fastgemm::dropin::test;

namespace {

DeviceOptions small_options() {
  return {.cut = {.panel = 128, .max_panels = 4, .chunk_elements = 6000},
          .lane = {.slots = 2, .slot_elements = 6000, .compute_streams = 2}};
}

ShareResult multiply(Device& device, const HostGemm& gemm) {
  ShareResult result;
  result.unwritten.reserve(1);
  device.multiply(gemm, &result);
  return result;
}

}  // namespace

TEST_CASE("Order: a matrix that is used in place is as the program's own work leaves it", "[device]") {
  const CopyPool::Busy awake(shared_pool());
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    FakeGpu gpu({.seed = seed});
    Device device(gpu, shared_pool(), 0, small_options());
    device.open();
    TestProduct product({.m = 60, .n = 50, .k = 20, .beta = 2.0f, .seed = seed});
    std::vector<float>& c = product.c();
    const std::vector<float> right = c, wrong(c.size(), std::numeric_limits<float>::quiet_NaN());
    gpu.add_memory(c.data(), c.size() * sizeof(float), {Place::kDevice, 0, false});
    for (const std::vector<float>* const pinned : {&right, &wrong}) {
      gpu.add_memory(pinned->data(), pinned->size() * sizeof(float), {Place::kPinned, -1, true});
    }
    cudaStream_t stream = nullptr;
    REQUIRE(gpu.enter_device(0) == cudaSuccess);
    REQUIRE(gpu.create_stream(&stream) == cudaSuccess);
    // Long work: C is written over and over before it holds what it is to hold.
    const auto size = static_cast<std::int64_t>(c.size());
    for (int turn = 0; turn < 100; ++turn) {
      const float* const from = turn < 99 ? wrong.data() : right.data();
      REQUIRE(gpu.copy_in({c.data(), size, from, size, size, 1, false}, stream) == cudaSuccess);
    }
    CHECK_FALSE(multiply(device, product.gemm()).failed);
    CHECK(product.wrong_element() == "");
    CHECK(gpu.faults() == 0);
  }
}

TEST_CASE("Order: a product that failed leaves nothing behind that would still write", "[engine_faults]") {
  const CopyPool::Busy awake(shared_pool());
  for (int number = 1;; ++number) {
    CAPTURE(number);
    FakeGpu gpu;
    Device device(gpu, shared_pool(), 0, small_options());
    device.open();
    TestProduct product({.m = 280, .n = 150, .k = 30});
    std::vector<float>& c = product.c();
    gpu.add_memory(c.data(), c.size() * sizeof(float), {Place::kPinned, -1, true});  // results come straight to it
    gpu.fail_call(number, cudaErrorLaunchFailure, false);
    multiply(device, product.gemm());
    if (!gpu.failed()) break;
    std::fill(c.begin(), c.end(), 77.0f);  // the program's again
    REQUIRE(gpu.enter_device(0) == cudaSuccess);
    gpu.synchronize();
    CHECK(std::count(c.begin(), c.end(), 77.0f) == static_cast<std::ptrdiff_t>(c.size()));
  }
}
