// Whole products through one device: every layout, edge, place of memory and amount of it.
#include "src/dropin/engine/device.h"

#include "tests/dropin/engine/fake_gpu.h"
#include "tests/dropin/engine/shared_pool.h"
#include "tests/dropin/engine/test_product.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;
using namespace fastgemm::dropin::test;

namespace {

// Small enough that small products meet every edge: panels of 128, rings of a few short chunks.
DeviceOptions small_options(int slots = 3, std::int64_t chunk = 2000) {
  return {.cut = {.panel = 128, .max_panels = 4, .chunk_elements = chunk},
          .lane = {.slots = slots, .slot_elements = chunk, .compute_streams = 2}};
}

struct Setup {
  explicit Setup(const DeviceOptions& options = small_options(), const FakeGpuOptions& gpu_options = {})
      : gpu(gpu_options), device(gpu, shared_pool(), 0, options), awake(shared_pool()) {
    device.open();
  }
  ShareResult run(const TestProduct& product) {
    ShareResult result;
    result.unwritten.reserve(1);
    device.multiply(product.gemm(), &result);
    return result;
  }
  FakeGpu gpu;
  Device device;
  CopyPool::Busy awake;
};

void check_done(Setup& setup, TestProduct& product) {
  const ShareResult result = setup.run(product);
  CHECK(result.error == "");
  CHECK_FALSE(result.failed);
  CHECK(result.unwritten.empty());
  CHECK(product.wrong_element() == "");
  CHECK(setup.gpu.faults() == 0);
}

}  // namespace

TEST_CASE("Device: every layout, size and scalar", "[device]") {
  unsigned seed = 0;
  for (const char transa : {'N', 'T'}) {
    for (const char transb : {'N', 'T'}) {
      for (const float beta : {0.0f, 1.0f, -2.0f}) {
        for (const std::int64_t gap : {0, 5}) {
          ++seed;
          Setup setup(small_options(), {.seed = seed});
          for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
                   {1, 1, 1}, {127, 129, 3}, {128, 128, 32}, {300, 200, 17}, {5, 400, 40}, {400, 5, 1}, {257, 1, 9}}) {
            CAPTURE(transa, transb, beta, gap, m, n, k);
            TestProduct product({.transa = transa, .transb = transb, .m = m, .n = n, .k = k,
                                 .alpha = seed % 2 == 0 ? 1.0f : -3.0f, .beta = beta, .gap_a = gap, .gap_b = gap + 1,
                                 .gap_c = gap, .seed = seed});
            check_done(setup, product);
          }
        }
      }
    }
  }
}

TEST_CASE("Device: rings of any size and chunks of any size", "[device]") {
  unsigned seed = 100;
  for (const int slots : {1, 2, 7}) {
    for (const std::int64_t chunk : {1, 31, 33, 640, 100000}) {
      for (const char trans : {'N', 'T'}) {
        CAPTURE(slots, chunk, trans);
        Setup setup(small_options(slots, chunk), {.seed = ++seed});
        const bool tiny = chunk < 100;  // so many chunks take their time
        TestProduct product({.transa = trans, .transb = trans, .m = tiny ? 20 : 270, .n = tiny ? 9 : 140, .k = 37,
                             .beta = 2.0f, .gap_a = 1, .gap_c = 3, .seed = seed});
        check_done(setup, product);
      }
    }
  }
}

TEST_CASE("Device: memory that is smaller than the product", "[device]") {
  unsigned seed = 200;
  for (const std::size_t free_bytes : {200'000u, 400'000u, 900'000u}) {
    for (const float beta : {0.0f, 1.0f}) {
      for (const char trans : {'N', 'T'}) {
        CAPTURE(free_bytes, beta, trans);
        Setup setup(small_options(), {.free_bytes = free_bytes, .seed = ++seed});
        TestProduct product({.transa = trans, .transb = trans, .m = 500, .n = 420, .k = 70, .beta = beta, .gap_c = 2,
                             .seed = seed});
        check_done(setup, product);
        CHECK(setup.gpu.largest_allocation() <= free_bytes);
        CHECK(device_elements({.m = 500, .n = 420, .k = 70}) * sizeof(float) > free_bytes);
      }
    }
  }
}

TEST_CASE("Device: no room at all is no failure of the device", "[device]") {
  Setup setup(small_options(), {.free_bytes = 50'000});
  TestProduct product({.m = 300, .n = 300, .k = 300, .beta = 1.0f});
  const ShareResult result = setup.run(product);
  CHECK(result.no_room);
  CHECK_FALSE(result.failed);
  REQUIRE(result.unwritten.size() == 1);
  CHECK(result.unwritten[0].rows == 300);
  CHECK(result.unwritten[0].columns == 300);
  CHECK(product.untouched());
}

TEST_CASE("Device: pinned memory is copied directly", "[device]") {
  for (const float beta : {0.0f, 3.0f}) {
    Setup setup;
    TestProduct product({.transa = 'T', .m = 300, .n = 200, .k = 40, .beta = beta, .gap_a = 2, .gap_b = 3, .gap_c = 4});
    for (const std::vector<float>* matrix : {&product.a(), &product.b(), &std::as_const(product.c())}) {
      setup.gpu.add_memory(matrix->data(), matrix->size() * sizeof(float), {Place::kPinned, -1, true});
    }
    check_done(setup, product);
  }
}

TEST_CASE("Device: matrices in device memory are used where they lie", "[device]") {
  for (int where = 1; where < 8; ++where) {
    for (const float beta : {0.0f, 3.0f}) {
      CAPTURE(where, beta);
      Setup setup;
      TestProduct product({.transb = 'T', .m = 300, .n = 200, .k = 40, .beta = beta, .gap_a = 2, .gap_c = 4});
      const std::vector<float>* const matrices[] = {&product.a(), &product.b(), &std::as_const(product.c())};
      for (int bit = 0; bit < 3; ++bit) {
        if ((where >> bit & 1) == 0) continue;
        setup.gpu.add_memory(matrices[bit]->data(), matrices[bit]->size() * sizeof(float),
                             {Place::kDevice, bit == 0 ? -1 : 0, bit == 0});
      }
      const ShareResult result = setup.run(product);
      CHECK_FALSE(result.failed);
      CHECK(result.host_can_finish == (where == 1));
      CHECK(product.wrong_element() == "");
      CHECK(setup.gpu.faults() == 0);
      if (where == 7) CHECK(result.bytes_in + result.bytes_out == 0);
    }
  }
}

TEST_CASE("Device: in blocks, with a matrix in device memory", "[device]") {
  for (int where = 0; where < 3; ++where) {
    for (const char trans : {'N', 'T'}) {
      CAPTURE(where, trans);
      Setup setup(small_options(), {.free_bytes = 250'000});
      TestProduct product({.transa = trans, .transb = trans, .m = 500, .n = 420, .k = 70, .beta = 1.0f, .gap_a = 2,
                           .gap_b = 1, .gap_c = 3});
      const std::vector<float>* const matrices[] = {&product.a(), &product.b(), &std::as_const(product.c())};
      setup.gpu.add_memory(matrices[where]->data(), matrices[where]->size() * sizeof(float),
                           {Place::kDevice, 0, false});
      check_done(setup, product);
      CHECK(setup.gpu.largest_allocation() <= 250'000);
    }
  }
}

TEST_CASE("Device: another device's memory is left to that one", "[device]") {
  Setup setup(small_options(), {.devices = 2});
  TestProduct product({.m = 200, .n = 200, .k = 40});
  setup.gpu.add_memory(product.a().data(), product.a().size() * sizeof(float), {Place::kDevice, 1, false});
  const ShareResult result = setup.run(product);
  CHECK(result.lies_on == 1);
  CHECK_FALSE(result.failed);
  CHECK(product.untouched());
}

TEST_CASE("Device: bytes moved are those of the matrices", "[device]") {
  Setup setup;
  TestProduct product({.m = 300, .n = 200, .k = 40, .beta = 1.0f});
  const ShareResult result = setup.run(product);
  CHECK(result.bytes_in == 4 * (300 * 40 + 40 * 200 + 300 * 200));
  CHECK(result.bytes_out == 4 * 300 * 200);
}

TEST_CASE("Device: large memory is given back after a product", "[device]") {
  DeviceOptions options = small_options();
  options.keep_bytes = 0;
  Setup setup(options);
  TestProduct first({.m = 100, .n = 100, .k = 10}), second({.m = 90, .n = 100, .k = 10});
  check_done(setup, first);
  check_done(setup, second);
}

TEST_CASE("Device: products get more workspace where memory is plenty", "[device]") {
  constexpr std::size_t kMb = std::size_t{1} << 20;
  const auto opened_with = [](std::size_t least, std::size_t most, std::size_t free_bytes) {
    DeviceOptions options = small_options();
    options.workspace_bytes = least;
    options.workspace_most = most;
    const Setup setup(options, {.free_bytes = free_bytes});
    return setup.gpu.workspace_bytes();
  };
  CHECK(opened_with(32 * kMb, 0, 140'000 * kMb) == 32 * kMb);
  CHECK(opened_with(32 * kMb, 512 * kMb, 140'000 * kMb) == 512 * kMb);
  CHECK(opened_with(32 * kMb, 512 * kMb, 6'400 * kMb) == 100 * kMb);
  CHECK(opened_with(32 * kMb, 512 * kMb, 500 * kMb) == 32 * kMb);
}
