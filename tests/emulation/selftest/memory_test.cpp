// Loads and stores of the overlay, and the checks behind them.
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/shared.cuh"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

std::uint32_t byte(int offset) { return ptx::shared_base() + static_cast<std::uint32_t>(offset); }

Options fine_grained() {
  Options options;
  options.cell_bytes = 2;
  return options;
}

}  // namespace

TEST_CASE("shared memory keeps what each store wrote", "[emulation]") {
  const ScopedOptions scope(fine_grained());
  const Outcome outcome = run_block(32, 64, [] {
    if (ptx::lane_index() != 0) return;
    ptx::st_shared_f32x4(byte(0), float4{1, 2, 3, 4});
    ptx::st_shared_u32x4(byte(16), uint4{5, 6, 7, 0x80008});
    ptx::st_shared_f32x2(byte(32), float2{9, 10});
    ptx::st_shared_f32(byte(40), 11);
    ptx::st_shared_u32(byte(44), 12);
    ptx::st_shared_u16(byte(48), 13);
    const float4 floats = ptx::ld_shared_f32x4(byte(0));
    const uint4 words = ptx::ld_shared_u32x4(byte(16));
    const bool right = floats.x == 1 && floats.y == 2 && floats.z == 3 && floats.w == 4 && words.x == 5 &&
                       words.y == 6 && words.z == 7 && words.w == 0x80008 && ptx::ld_shared_f32(byte(36)) == 10 &&
                       ptx::ld_shared_f32(byte(40)) == 11 && ptx::ld_shared_u32(byte(44)) == 12 &&
                       ptx::ld_shared_u16(byte(48)) == 13 && ptx::ld_shared_u16(byte(30)) == 8;
    if (!right) throw Violation(Fault::kLaunch, "a load gave something else");
  });
  CHECK(outcome.text == "");
}

TEST_CASE("shared accesses out of bounds or misaligned stop", "[emulation]") {
  CHECK(run_block(32, 64, [] { ptx::st_shared_f32(byte(64), 1); }).fault == Fault::kBounds);
  CHECK(run_block(32, 64, [] { ptx::ld_shared_f32(byte(-4)); }).fault == Fault::kBounds);
  CHECK(run_block(32, 72, [] { ptx::ld_shared_f32x4(byte(64)); }).fault == Fault::kBounds);
  CHECK(run_block(32, 64, [] { ptx::ld_shared_f32(0); }).fault == Fault::kBounds);
  CHECK(run_block(32, 64, [] { ptx::ld_shared_f32(byte(2)); }).fault == Fault::kAlignment);
  CHECK(run_block(32, 64, [] { ptx::st_shared_u32x4(byte(8), uint4{}); }).fault == Fault::kAlignment);
  const Outcome outcome = run_block(32, 64, [] {
    if (ptx::lane_index() == 5) ptx::st_shared_f32(byte(68), 1);
  });
  CHECK_THAT(outcome.text, ContainsSubstring("block 0, thread 5 (warp 0, lane 5), st_shared_f32: "));
  CHECK_THAT(outcome.text, ContainsSubstring("shared address base + 68 is outside the block's 64 bytes"));
}

TEST_CASE("shared memory that nobody wrote is NaN, or a fault when asked", "[emulation]") {
  bool is_nan = false;
  const auto body = [&] { is_nan = std::isnan(ptx::ld_shared_f32(byte(8))); };
  CHECK(run_block(32, 64, body).text == "");
  CHECK(is_nan);
  Options options;
  options.stop_at_unwritten = true;
  const ScopedOptions scope(options);
  CHECK(run_block(32, 64, body).fault == Fault::kUninitialised);
}

TEST_CASE("accesses of two threads with no barrier between them are races", "[emulation]") {
  const auto between = [](auto first, auto second) {
    return run_block_often(64, 64, [&] {
      if (ptx::thread_index() == 3) ptx::st_shared_f32(byte(0), 0);
      ptx::barrier_sync();
      if (ptx::thread_index() == 3) first();
      if (ptx::thread_index() == 40) second();
    });
  };
  const auto read = [] { ptx::ld_shared_f32(byte(0)); };
  const auto write = [] { ptx::st_shared_f32(byte(0), 1); };
  const auto write_beside = [] { ptx::st_shared_f32(byte(4), 1); };
  CHECK(between(read, read).text == "");
  CHECK(between(read, write_beside).text == "");
  CHECK(between(read, write).fault == Fault::kRace);
  CHECK(between(write, read).fault == Fault::kRace);
  CHECK(between(write, write).fault == Fault::kRace);
}

TEST_CASE("a write after reads of many threads needs all of them at the barrier", "[emulation]") {
  // All 96 threads read; then thread 0 writes, having met either all the others or only one other warp.
  const auto run = [](int met) {
    return run_block_often(96, 64, [met] {
      if (ptx::thread_index() == 0) ptx::st_shared_f32(byte(0), 1);
      ptx::barrier_sync();
      ptx::ld_shared_f32(byte(0));
      if (ptx::thread_index() < met) ptx::barrier_sync(1, met);
      if (ptx::thread_index() == 0) ptx::st_shared_f32(byte(0), 2);
    });
  };
  CHECK(run(96).text == "");
  CHECK(run(64).fault == Fault::kRace);
}

TEST_CASE("halves of a word are separate where the grain is two bytes", "[emulation]") {
  const auto body = [] {
    if (ptx::thread_index() < 2) ptx::st_shared_u16(byte(2 * ptx::thread_index()), 1);
  };
  CHECK(run_block(32, 64, body).fault == Fault::kLaunch);
  const ScopedOptions scope(fine_grained());
  CHECK(run_block(32, 64, body).text == "");
}

TEST_CASE("races of one block do not leak into the next", "[emulation]") {
  const auto body = [] {
    const int writer = ptx::block_index() % 2 == 0 ? 3 : 40;
    if (ptx::thread_index() == writer) ptx::st_shared_f32(byte(0), 0);
    ptx::barrier_sync();
    ptx::ld_shared_f32(byte(0));
  };
  CHECK(run_grid(nullptr, {6, 64, 64}, body) == cudaSuccess);
  CHECK(run_block(64, 64, body).text == "");
}

TEST_CASE("device memory is read and written through every function", "[emulation]") {
  DeviceArray<float> source(12, Access::kRead, "source");
  DeviceArray<float> target(16, Access::kWrite, "target");
  DeviceArray<const void*> pointers(1, Access::kRead, "pointers");
  for (std::size_t i = 0; i < 12; ++i) source[i] = static_cast<float>(i);
  pointers[0] = &source[5];
  const Outcome outcome = run_block(32, 0, [&] {
    if (ptx::lane_index() != 0) return;
    ptx::st_global_f32x4(&target[0], ptx::ld_global_f32x4(&source[4]));
    ptx::st_global_u32x4(&target[4], ptx::ld_global_u32x4(&source[8]));
    ptx::st_global_wt_f32x4(&target[8], ptx::ld_global_f32x4(&source[0]));
    const auto* pointed = static_cast<const float*>(ptx::ld_global_pointer(&pointers[0]));
    ptx::st_global_f32(&target[12], ptx::ld_global_f32(pointed));
    ptx::st_global_wt_f32(&target[13], ptx::ld_global_f32(&source[6]));
    ptx::st_global_u16(&target[14], ptx::ld_global_u16(&source[1]));
    ptx::st_global_u16(reinterpret_cast<char*>(&target[14]) + 2,
                       static_cast<std::uint16_t>(ptx::ld_global_u32(&source[1]) >> 16));
  });
  CHECK(outcome.text == "");
  const float wanted[] = {4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 5, 6, 1};
  for (std::size_t i = 0; i < 15; ++i) CHECK(target[i] == wanted[i]);
  CHECK(std::isnan(target[15]));
  CHECK(target.canaries_intact());
}

TEST_CASE("device accesses outside an allocation, misaligned or not allowed stop", "[emulation]") {
  DeviceArray<float> readable(8, Access::kRead, "readable", 1);
  DeviceArray<float> writable(8, Access::kWrite, "writable");
  DeviceArray<float> both(8, Access::kReadWrite, "both");
  const auto fault = [](auto access) {
    return run_block(32, 0, [&] {
             if (ptx::lane_index() == 0) access();
           }).fault;
  };
  CHECK(fault([&] { ptx::ld_global_f32(readable.data() + 8); }) == Fault::kBounds);
  CHECK(fault([&] { ptx::ld_global_f32(readable.data() - 1); }) == Fault::kBounds);
  CHECK(fault([&] { ptx::ld_global_f32x4(readable.data() + 7); }) == Fault::kBounds);
  CHECK(fault([&] { ptx::ld_global_f32x4(readable.data()); }) == Fault::kAlignment);
  CHECK(fault([&] { ptx::ld_global_u16(reinterpret_cast<char*>(readable.data()) + 1); }) == Fault::kAlignment);
  CHECK(fault([&] { ptx::st_global_f32(writable.data() + 8, 1); }) == Fault::kBounds);
  CHECK(fault([&] { ptx::st_global_f32(const_cast<float*>(readable.data()), 1); }) == Fault::kPermission);
  CHECK(fault([&] { ptx::ld_global_f32(writable.data()); }) == Fault::kPermission);
  CHECK(fault([&] { ptx::ld_global_f32(both.data()); }) == std::nullopt);
  CHECK(fault([&] {
          ptx::st_global_f32(writable.data(), 1);
          ptx::ld_global_f32(writable.data());
        }) == std::nullopt);
}

TEST_CASE("no element has two writers in a launch, and no reader but its writer", "[emulation]") {
  DeviceArray<float> array(64, Access::kReadWrite, "array");
  const auto run = [&](auto body) -> std::optional<Fault> {
    try {
      run_grid(nullptr, {2, 32, 0}, body);
    } catch (const Violation& violation) {
      return violation.fault;
    }
    return std::nullopt;
  };
  const auto own = [&] { return &array[static_cast<std::size_t>(ptx::block_index() * 32 + ptx::lane_index())]; };
  CHECK(run([&] { ptx::st_global_f32(own(), ptx::ld_global_f32(own())); }) == std::nullopt);
  CHECK(run([&] { ptx::st_global_f32(&array[static_cast<std::size_t>(ptx::lane_index())], 1); }) == Fault::kRace);
  CHECK(run([&] {
          ptx::st_global_f32(own(), 1);
          ptx::ld_global_f32(&array[0]);
          ptx::ld_global_f32(&array[32]);
        }) == Fault::kRace);
}
