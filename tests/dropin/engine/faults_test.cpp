// Every call to CUDA, and every operation on the device, fails once. C must be right all the same: written by the
// device where it says so, and everywhere else as it was, so that the host can finish.
#include "src/dropin/engine/device.h"
#include "src/dropin/engine/engine.h"
#include "src/dropin/engine/failure.h"
#include "tests/dropin/engine/fake_gpu.h"
#include "tests/dropin/engine/shared_pool.h"
#include "tests/dropin/engine/test_product.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;
using namespace fastgemm::dropin::test;

namespace {

// Device memory is given back after each product, so that this fails as well.
DeviceOptions small_options() {
  return {.cut = {.panel = 128, .max_panels = 4, .chunk_elements = 6000},
          .lane = {.slots = 2, .slot_elements = 6000, .compute_streams = 2},
          .keep_bytes = 0};
}

// Finishes on the host what the device left.
void finish(const ShareResult& result, const TestProduct& product, const PlainHost& host) {
  for (const Rect& rect : result.unwritten) host.sgemm(part_of(product.gemm(), rect));
}

enum class Kind { kOnce, kLasting, kOperation };

// Lets number 1, 2, ... fail, until a product needs fewer. How often the device had written part of C by then.
int fail_each(Kind kind, const ProductCase& described, const FakeGpuOptions& gpu_options, bool pinned = false) {
  int partly_written = 0;
  for (int number = 1;; ++number) {
    CAPTURE(static_cast<int>(kind), number);
    FakeGpu gpu(gpu_options);
    Device device(gpu, shared_pool(), 0, small_options());
    device.open();
    TestProduct product(described);
    if (pinned) gpu.add_memory(product.c().data(), product.c().size() * sizeof(float), {Place::kPinned, -1, true});
    if (kind == Kind::kOperation) {
      gpu.fail_operation(number);
    } else {
      gpu.fail_call(number, cudaErrorLaunchFailure, kind == Kind::kLasting);
    }
    ShareResult result;
    result.unwritten.reserve(1);
    device.multiply(product.gemm(), &result);
    if (!gpu.failed()) return partly_written;
    CHECK(result.failed);
    CHECK(result.error != "");
    const PlainHost host;
    finish(result, product, host);
    const double whole = static_cast<double>(described.m * described.n * described.k);
    if (host.volume < whole) ++partly_written;
    REQUIRE(product.wrong_element() == "");
    REQUIRE(gpu.faults() == 0);
  }
}

}  // namespace

TEST_CASE("Faults: any call, once or for good", "[engine_faults]") {
  const CopyPool::Busy awake(shared_pool());
  for (const Kind kind : {Kind::kOnce, Kind::kLasting}) {
    for (const float beta : {0.0f, 2.0f}) {
      CAPTURE(beta);
      const int partly = fail_each(kind, {.m = 280, .n = 150, .k = 30, .beta = beta, .gap_c = 3}, {});
      CHECK(partly > 0);
    }
  }
}

TEST_CASE("Faults: any operation on the device", "[engine_faults]") {
  const CopyPool::Busy awake(shared_pool());
  for (const float beta : {0.0f, 2.0f}) {
    CAPTURE(beta);
    CHECK(fail_each(Kind::kOperation, {.transa = 'T', .m = 280, .n = 150, .k = 30, .beta = beta}, {}) > 0);
  }
}

TEST_CASE("Faults: while results go straight to pinned memory", "[engine_faults]") {
  const CopyPool::Busy awake(shared_pool());
  for (const float beta : {0.0f, 2.0f}) {
    CAPTURE(beta);
    fail_each(Kind::kOperation, {.m = 280, .n = 150, .k = 10, .beta = beta}, {}, true);
  }
}

TEST_CASE("Faults: in any block of a product larger than memory", "[engine_faults]") {
  const CopyPool::Busy awake(shared_pool());
  const FakeGpuOptions small_memory = {.free_bytes = 200'000};
  CHECK(fail_each(Kind::kOnce, {.m = 280, .n = 260, .k = 20, .beta = 1.0f}, small_memory) > 0);
  CHECK(fail_each(Kind::kOperation, {.m = 280, .n = 260, .k = 20, .beta = 1.0f}, small_memory) > 0);
}

TEST_CASE("Faults: while the device is opened", "[engine_faults]") {
  for (int number = 1;; ++number) {
    CAPTURE(number);
    FakeGpu gpu;
    gpu.fail_call(number, cudaErrorMemoryAllocation, false);
    Device device(gpu, shared_pool(), 0, small_options());
    if (number > 200) FAIL("opening makes too many calls");
    try {
      device.open();
    } catch (const GpuFailure& failure) {
      CHECK(std::string(failure.what()) != "");
      continue;
    }
    CHECK_FALSE(gpu.failed());
    break;
  }
}

TEST_CASE("Faults: memory that is less than it seems", "[engine_faults]") {
  const CopyPool::Busy awake(shared_pool());
  FakeGpu gpu;
  Device device(gpu, shared_pool(), 0, small_options());
  device.open();
  gpu.fail_call(5, cudaErrorMemoryAllocation, false);  // three locations, the free memory, the allocation
  TestProduct product({.m = 400, .n = 400, .k = 30, .beta = 1.0f});
  ShareResult result;
  result.unwritten.reserve(1);
  device.multiply(product.gemm(), &result);
  CHECK(gpu.failed());
  CHECK_FALSE(result.failed);
  CHECK(result.unwritten.empty());
  CHECK(product.wrong_element() == "");
}
