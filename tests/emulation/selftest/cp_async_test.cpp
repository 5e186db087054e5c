// Asynchronous copies land only when waited for.
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/shared.cuh"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

std::uint32_t byte(int offset) { return ptx::shared_base() + static_cast<std::uint32_t>(offset); }

// 16 numbers 1 to 16 in device memory.
struct Source {
  DeviceArray<float> array{16, Access::kRead, "source"};
  Source() {
    for (std::size_t i = 0; i < 16; ++i) array[i] = static_cast<float>(i + 1);
  }
};

template <class Body>
Outcome run_lane(Body body) {
  return run_block_often(32, 256, [&] {
    if (ptx::lane_index() == 0) body();
  });
}

void expect(int offset, float value) {
  if (ptx::ld_shared_f32(byte(offset)) != value) throw Violation(Fault::kLaunch, "a copy brought something else");
}

}  // namespace

TEST_CASE("copies bring their bytes and fill the rest with zeros", "[emulation]") {
  const Source source;
  const float* from = source.array.data();
  const Outcome outcome = run_lane([&] {
    for (int at = 0; at < 64; at += 4) ptx::st_shared_f32(byte(at), -1);
    ptx::cp_async_16(byte(0), from, 16);
    ptx::cp_async_16(byte(16), from + 4, 8);
    ptx::cp_async_8(byte(32), from + 8, 8);
    ptx::cp_async_4(byte(40), from + 10, 4);
    ptx::cp_async_4(byte(44), from + 10, 2);
    ptx::cp_async_16(byte(48), nullptr, 0);  // reads nothing
    ptx::cp_async_commit();
    ptx::cp_async_wait<0>();
    const float wanted[] = {1, 2, 3, 4, 5, 6, 0, 0, 9, 10, 11, 0, 0, 0, 0, 0};
    for (int i = 0; i < 16; ++i) expect(4 * i, wanted[i]);
  });
  CHECK(outcome.text == "");
}

TEST_CASE("a wait covers all but the latest groups", "[emulation]") {
  const Source source;
  const auto run = [&](int read_from) {
    return run_lane([&, read_from] {
      for (int group = 0; group < 3; ++group) {
        ptx::cp_async_4(byte(4 * group), source.array.data() + group, 4);
        ptx::cp_async_commit();
      }
      ptx::cp_async_wait<1>();
      expect(4 * read_from, static_cast<float>(read_from + 1));
    });
  };
  CHECK(run(0).text == "");
  CHECK(run(1).text == "");
  CHECK(run(2).fault == Fault::kCopyInFlight);
}

TEST_CASE("a copy that is in no group is not waited for", "[emulation]") {
  const Source source;
  const Outcome outcome = run_lane([&] {
    ptx::cp_async_4(byte(0), source.array.data(), 4);
    ptx::cp_async_wait<0>();
    ptx::ld_shared_f32(byte(0));
  });
  CHECK(outcome.fault == Fault::kCopyInFlight);
}

TEST_CASE("a landed copy is its thread's write: others need a barrier", "[emulation]") {
  const Source source;
  const auto run = [&](bool barrier_after) {
    return run_block_often(64, 256, [&, barrier_after] {
      if (ptx::thread_index() == 0) ptx::cp_async_4(byte(0), source.array.data(), 4);
      ptx::cp_async_commit();
      if (!barrier_after) ptx::barrier_sync();
      ptx::cp_async_wait<0>();
      if (barrier_after) ptx::barrier_sync();
      ptx::ld_shared_f32(byte(0));
    });
  };
  CHECK(run(true).text == "");
  // Whether the copy had landed when it was read too early depends on the order.
  const auto fault_of = [&](std::uint64_t seed) {
    const ScopedOptions scope(Options::from_seed(seed));
    return run_block(64, 256, [&] {
             if (ptx::thread_index() == 0) ptx::cp_async_4(byte(0), source.array.data(), 4);
             ptx::cp_async_commit();
             ptx::barrier_sync();
             ptx::cp_async_wait<0>();
             ptx::ld_shared_f32(byte(0));
           }).fault;
  };
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CHECK((fault_of(seed) == Fault::kRace || fault_of(seed) == Fault::kCopyInFlight));
  }
}

TEST_CASE("a copy over what another warp still reads is a race", "[emulation]") {
  const Source source;
  const Outcome outcome = run_block_often(64, 256, [&] {
    if (ptx::thread_index() == 0) ptx::st_shared_f32(byte(0), 1);
    ptx::barrier_sync();
    if (ptx::thread_index() == 40) ptx::ld_shared_f32(byte(0));
    if (ptx::thread_index() == 0) {
      ptx::cp_async_4(byte(0), source.array.data(), 4);
      ptx::cp_async_commit();
      ptx::cp_async_wait<0>();
    }
  });
  CHECK(outcome.fault.has_value());
}

TEST_CASE("a store under a copy in flight stops", "[emulation]") {
  const Source source;
  const Outcome outcome = run_lane([&] {
    ptx::cp_async_16(byte(0), source.array.data(), 16);
    ptx::st_shared_f32(byte(8), 1);
  });
  CHECK(outcome.fault == Fault::kCopyInFlight);
}

TEST_CASE("copies out of bounds or misaligned stop", "[emulation]") {
  const Source source;
  const float* from = source.array.data();
  CHECK(run_lane([&] { ptx::cp_async_16(byte(256), from, 16); }).fault == Fault::kBounds);
  CHECK(run_lane([&] { ptx::cp_async_16(byte(8), from, 16); }).fault == Fault::kAlignment);
  CHECK(run_lane([&] { ptx::cp_async_16(byte(0), from + 2, 16); }).fault == Fault::kAlignment);
  CHECK(run_lane([&] { ptx::cp_async_16(byte(0), from + 16, 4); }).fault == Fault::kBounds);
  CHECK(run_lane([&] { ptx::cp_async_8(byte(0), from, 12); }).fault == Fault::kBounds);
  CHECK(run_lane([&] { ptx::cp_async_4(byte(0), from, -4); }).fault == Fault::kBounds);
}
