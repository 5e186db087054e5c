// Bulk tensor copies: what lands where and when, and what stops.
#include <set>
#include <vector>

#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tensor_map.h"
#include "kernels/ptx/tma.cuh"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

// The first 1024-byte boundary of shared memory; barriers lie before it.
std::uint32_t stage(int offset) {
  return (ptx::shared_base() + 1023) / 1024 * 1024 + static_cast<std::uint32_t>(offset);
}
std::uint32_t barrier(int number) { return ptx::shared_base() + 8u * static_cast<std::uint32_t>(number); }

constexpr int kInner = 70;
constexpr int kOuter = 40;
constexpr int kLd = 72;
constexpr std::int64_t kShared = 16 * 1024;

// Element (i, j) is 100 j + i.
struct Source {
  DeviceArray<float> array{kLd * kOuter, Access::kRead, "source"};
  Source() {
    for (std::size_t at = 0; at < array.size(); ++at) array[at] = static_cast<float>(at / kLd * 100 + at % kLd);
  }
  ptx::TensorMap map(int box_inner, int box_outer, ptx::TensorSwizzle swizzle = ptx::TensorSwizzle::kNone) const {
    ptx::TensorMap map;
    const ptx::TensorMapShape shape{array.data(), 4, kInner, kOuter, kLd, box_inner, box_outer, swizzle};
    REQUIRE(ptx::encode_tensor_map(&map, shape) == cudaSuccess);
    return map;
  }
};

void wait(int number, int parity) {
  while (!ptx::mbarrier_try_wait(barrier(number), parity)) {
  }
}

void make(bool fence = true) {
  if (ptx::thread_index() == 0) {
    ptx::mbarrier_init(barrier(0), 1);
    ptx::mbarrier_init(barrier(1), 32);
    if (fence) ptx::mbarrier_init_fence();
  }
  ptx::barrier_sync();
}

// Copies a box and has every thread compare all of it; `place` gives the byte offset of element (i, j).
template <class Place>
Outcome run_box(const ptx::TensorMap& map, int box_inner, int box_outer, int inner, int outer, Place place) {
  return run_block_often(64, kShared, [&, box_inner, box_outer, inner, outer] {
    make();
    if (ptx::thread_index() == 0) {
      ptx::mbarrier_arrive_expect_tx(barrier(0), box_inner * box_outer * 4);
      ptx::tma_load_2d(stage(0), map, inner, outer, barrier(0));
    }
    wait(0, 0);
    for (int at = ptx::thread_index(); at < box_inner * box_outer; at += 64) {
      const int i = at % box_inner;
      const int j = at / box_inner;
      const bool in = inner + i >= 0 && inner + i < kInner && outer + j >= 0 && outer + j < kOuter;
      const float wanted = in ? static_cast<float>(100 * (outer + j) + inner + i) : 0.0f;
      if (ptx::ld_shared_f32(stage(place(i, j))) != wanted) throw Violation(Fault::kLaunch, "a copy brought else");
    }
  });
}

}  // namespace

TEST_CASE("a box lands packed, with zeros outside the array", "[emulation]") {
  const Source source;
  const ptx::TensorMap map = source.map(32, 8);
  const auto packed = [](int i, int j) { return (j * 32 + i) * 4; };
  for (const auto& [inner, outer] : {std::pair(0, 0), std::pair(8, 5), std::pair(48, 36), std::pair(-3, -2),
                                     std::pair(70, 3), std::pair(1, 40), std::pair(-32, 0)}) {
    CHECK(run_box(map, 32, 8, inner, outer, packed).text == "");
  }
}

TEST_CASE("swizzles move 16-byte chunks as the hardware does", "[emulation]") {
  const Source source;
  struct Kind {
    ptx::TensorSwizzle swizzle;
    int span;
  };
  for (const Kind kind : {Kind{ptx::TensorSwizzle::k32Bytes, 32}, Kind{ptx::TensorSwizzle::k64Bytes, 64},
                          Kind{ptx::TensorSwizzle::k128Bytes, 128}}) {
    const int columns = kind.span / 4;
    const ptx::TensorMap map = source.map(columns, 24, kind.swizzle);
    // Row j, chunk c lies in chunk c ^ phase; rows of 32, 64 and 128 bytes change phase every 4, 2 and 1 rows.
    const int rows_per_line = 128 / kind.span;
    const auto place = [=](int i, int j) {
      const int phase = j / rows_per_line % (kind.span / 16);
      return j * kind.span + ((i / 4) ^ phase) * 16 + i % 4 * 4;
    };
    CHECK(run_box(map, columns, 24, 4, 3, place).text == "");
  }
}

TEST_CASE("a box is not there before its phase ends, however early it lands", "[emulation]") {
  const Source source;
  const ptx::TensorMap map = source.map(32, 8);
  const auto fault = [&](auto between) {
    return run_block_often(64, kShared, [&] {
             make();
             if (ptx::thread_index() == 0) {
               ptx::mbarrier_arrive_expect_tx(barrier(0), 1024);
               ptx::tma_load_2d(stage(0), map, 0, 0, barrier(0));
               between();
             }
             wait(0, 0);
           }).fault;
  };
  CHECK(fault([] {}) == std::nullopt);
  CHECK(fault([] { ptx::ld_shared_f32(stage(1020)); }) == Fault::kCopyInFlight);
  CHECK(fault([] { ptx::st_shared_f32(stage(512), 1); }) == Fault::kCopyInFlight);
  CHECK(fault([] { ptx::ld_shared_f32(stage(1024)); }) == std::nullopt);
}

TEST_CASE("a thread that has not waited itself may not read", "[emulation]") {
  const Source source;
  const ptx::TensorMap map = source.map(32, 8);
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Options options = Options::from_seed(seed);
    options.stop_at_unwritten = true;  // the read may come before the copy begins
    const ScopedOptions scope(options);
    const Outcome outcome = run_block(64, kShared, [&] {
      make();
      if (ptx::thread_index() == 0) {
        ptx::mbarrier_arrive_expect_tx(barrier(0), 1024);
        ptx::tma_load_2d(stage(0), map, 0, 0, barrier(0));
        wait(0, 0);
      }
      if (ptx::thread_index() == 40) ptx::ld_shared_f32(stage(0));
      if (ptx::thread_index() != 0) wait(0, 0);
    });
    CHECK(outcome.fault.has_value());
  }
}

TEST_CASE("the bytes that are expected must be those that land", "[emulation]") {
  const Source source;
  const ptx::TensorMap map = source.map(32, 8);
  const auto run = [&](int bytes, int copies) {
    return run_block_often(32, kShared, [&, bytes, copies] {
      make();
      if (ptx::thread_index() == 0) {
        ptx::mbarrier_arrive_expect_tx(barrier(0), bytes);
        for (int at = 0; at < copies; ++at) ptx::tma_load_2d(stage(1024 * at), map, 0, 0, barrier(0));
      }
      wait(0, 0);
      ptx::ld_shared_f32(stage(1024 * (copies - 1)));
      ptx::ld_shared_f32(stage(0));
    });
  };
  CHECK(run(2048, 2).text == "");
  CHECK(run(2048 + 16, 2).fault == Fault::kDeadlock);
  CHECK(run(1024, 2).fault == Fault::kCopyInFlight);
}

TEST_CASE("a stage may be filled again only when its readers have arrived", "[emulation]") {
  const Source source;
  const ptx::TensorMap map = source.map(32, 8);
  const auto run = [&](bool waits_empty, bool arrives_late) {
    return run_block_often(64, kShared, [&, waits_empty, arrives_late] {
      make();
      const auto fill = [&] {
        ptx::mbarrier_arrive_expect_tx(barrier(0), 1024);
        ptx::tma_load_2d(stage(0), map, 0, 0, barrier(0));
      };
      if (ptx::thread_index() == 0) fill();
      wait(0, 0);
      if (ptx::warp_index() == 1) {
        if (!arrives_late) ptx::mbarrier_arrive(barrier(1));
        ptx::ld_shared_f32(stage(4 * ptx::lane_index()));
        if (arrives_late) ptx::mbarrier_arrive(barrier(1));
      }
      if (ptx::thread_index() == 0) {
        if (waits_empty) wait(1, 0);
        fill();
        wait(0, 1);
      }
    });
  };
  CHECK(run(true, true).text == "");
  const auto always_stops = [&](bool waits_empty, bool arrives_late) {
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      const ScopedOptions scope(Options::from_seed(seed));
      const Outcome outcome = run(waits_empty, arrives_late);
      if (!outcome.fault) return false;
    }
    return true;
  };
  CHECK(always_stops(false, true));
  CHECK(always_stops(true, false));
}

TEST_CASE("copies out of bounds, misaligned or on a barrier without its fence stop", "[emulation]") {
  const Source source;
  const ptx::TensorMap map = source.map(32, 8);
  const ptx::TensorMap swizzled_map = source.map(32, 8, ptx::TensorSwizzle::k128Bytes);
  const auto fault = [&](bool fence, auto body) {
    return run_block_often(32, kShared, [&, fence] {
             make(fence);
             if (ptx::thread_index() != 0) return;
             ptx::mbarrier_arrive_expect_tx(barrier(0), 1024);
             body();
             wait(0, 0);
           }).fault;
  };
  CHECK(fault(true, [&] { ptx::tma_load_2d(stage(0), map, 0, 0, barrier(0)); }) == std::nullopt);
  CHECK(fault(false, [&] { ptx::tma_load_2d(stage(0), map, 0, 0, barrier(0)); }) == Fault::kProxy);
  CHECK(fault(true, [&] { ptx::tma_load_2d(stage(64), map, 0, 0, barrier(0)); }) == Fault::kAlignment);
  CHECK(fault(true, [&] { ptx::tma_load_2d(stage(128), swizzled_map, 0, 0, barrier(0)); }) == Fault::kAlignment);
  CHECK(fault(true, [&] { ptx::tma_load_2d(stage(15 * 1024), map, 0, 0, barrier(0)); }) == Fault::kBounds);
  CHECK(fault(true, [&] { ptx::tma_load_2d(stage(0), map, 0, 0, barrier(5)); }) == Fault::kBarrier);
  CHECK(fault(true, [&] { ptx::tma_load_2d(stage(0), ptx::TensorMap{}, 0, 0, barrier(0)); }) == Fault::kLaunch);
  // What threads have written is theirs until a proxy fence.
  CHECK(fault(true, [&] {
          ptx::st_shared_f32(stage(0), 1);
          ptx::tma_load_2d(stage(0), map, 0, 0, barrier(0));
        }) == Fault::kProxy);
  // A copy that nobody waits for must not outlive its block.
  CHECK(run_block_often(32, kShared, [&] {
          make();
          if (ptx::thread_index() == 0) ptx::tma_load_2d(stage(0), map, 0, 0, barrier(0));
        }).fault == Fault::kCopyInFlight);
}

TEST_CASE("an array that is longer than its memory stops the copy that reads past it", "[emulation]") {
  const Source source;
  ptx::TensorMap map;
  const ptx::TensorMapShape shape{source.array.data(), 4, kInner, kOuter + 1, kLd, 32, 8, ptx::TensorSwizzle::kNone};
  REQUIRE(ptx::encode_tensor_map(&map, shape) == cudaSuccess);
  const Outcome outcome = run_block_often(32, kShared, [&] {
    make();
    if (ptx::thread_index() != 0) return;
    ptx::mbarrier_arrive_expect_tx(barrier(0), 1024);
    ptx::tma_load_2d(stage(0), map, 0, kOuter - 7, barrier(0));
    wait(0, 0);
  });
  CHECK(outcome.fault == Fault::kBounds);
}

TEST_CASE("the encoder refuses what the driver refuses", "[emulation]") {
  const Source source;
  const ptx::TensorMapShape good{source.array.data(), 4, kInner, kOuter, kLd, 32, 8, ptx::TensorSwizzle::k128Bytes};
  const auto encodes = [&](auto change) {
    ptx::TensorMapShape shape = good;
    change(shape);
    ptx::TensorMap map;
    return ptx::encode_tensor_map(&map, shape) == cudaSuccess;
  };
  CHECK(encodes([](ptx::TensorMapShape&) {}));
  CHECK(!encodes([](ptx::TensorMapShape& shape) { shape.base = static_cast<const float*>(shape.base) + 2; }));
  CHECK(!encodes([](ptx::TensorMapShape& shape) { shape.ld = 71; }));
  CHECK(!encodes([](ptx::TensorMapShape& shape) { shape.outer = 0; }));
  CHECK(!encodes([](ptx::TensorMapShape& shape) { shape.box_inner = 64; }));  // past the swizzle's width
  CHECK(!encodes([](ptx::TensorMapShape& shape) { shape.box_outer = 257; }));
  CHECK(!encodes([](ptx::TensorMapShape& shape) {
    shape.swizzle = ptx::TensorSwizzle::kNone;
    shape.box_inner = 30;
  }));
  CHECK(!encodes([](ptx::TensorMapShape& shape) { shape.element_bytes = 8; }));
}
