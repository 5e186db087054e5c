// Bulk tensor copies to device memory, and the matrix stores that feed them.
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/stmatrix.cuh"
#include "kernels/ptx/tensor_map.h"
#include "kernels/ptx/tma_store.cuh"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

constexpr int kInner = 40;
constexpr int kOuter = 12;
constexpr std::int64_t kShared = 8 * 1024;

std::uint32_t stage(int offset) {
  return (ptx::shared_base() + 1023) / 1024 * 1024 + static_cast<std::uint32_t>(offset);
}

// An array of zeros, and boxes of 32 x 8.
struct Target {
  DeviceArray<float> array{kInner * kOuter, Access::kWrite, "target"};
  ptx::TensorMap map;
  explicit Target(ptx::TensorSwizzle swizzle = ptx::TensorSwizzle::kNone) {
    const ptx::TensorMapShape shape{array.data(), 4, kInner, kOuter, kInner, 32, 8, swizzle};
    REQUIRE(ptx::encode_tensor_map(&map, shape) == cudaSuccess);
    clear();
  }
  void clear() {
    for (std::size_t at = 0; at < array.size(); ++at) array[at] = 0;
  }
};

// Every thread of a warp writes its column of the box: element (i, j) is 100 j + i + 1.
void write_box(bool swizzled) {
  for (int j = 0; j < 8; ++j) {
    const int i = ptx::lane_index();
    const int chunk = swizzled ? (i / 4) ^ j : i / 4;
    ptx::st_shared_f32(stage(j * 128 + chunk * 16 + i % 4 * 4), static_cast<float>(100 * j + i + 1));
  }
}

}  // namespace

TEST_CASE("a stored box arrives, without what lies outside the array", "[emulation]") {
  for (const bool swizzled : {false, true}) {
    Target target(swizzled ? ptx::TensorSwizzle::k128Bytes : ptx::TensorSwizzle::kNone);
    for (const auto& [inner, outer] : {std::pair(0, 0), std::pair(20, 7), std::pair(-4, -3), std::pair(40, 0)}) {
      for (const bool waits : {true, false}) {
        target.clear();
        const Outcome outcome = run_block_often(32, kShared, [&, first_i = inner, first_j = outer] {
          write_box(swizzled);
          ptx::fence_proxy_async();
          ptx::warp_sync();
          if (ptx::lane_index() != 0) return;
          ptx::tma_store_2d(target.map, first_i, first_j, stage(0));
          ptx::tma_store_commit();
          if (waits) ptx::tma_store_wait<0>();
          ptx::tma_store_wait_read<0>();
        });
        CHECK(outcome.text == "");
        int wrong = 0;
        for (int j = 0; j < kOuter; ++j) {
          for (int i = 0; i < kInner; ++i) {
            const bool in = i >= inner && i < inner + 32 && j >= outer && j < outer + 8;
            wrong += target.array[static_cast<std::size_t>(j * kInner + i)] !=
                     (in ? static_cast<float>(100 * (j - outer) + i - inner + 1) : 0.0f);
          }
        }
        CHECK(wrong == 0);
        CHECK(target.array.canaries_intact());
      }
    }
  }
}

TEST_CASE("a store without its fence, barrier or waits stops", "[emulation]") {
  Target target;
  const auto fault = [&](bool fence, bool sync, bool commit, bool wait, bool overwrite) {
    return run_block_often(32, kShared, [&, fence, sync, commit, wait, overwrite] {
             write_box(false);
             if (fence) ptx::fence_proxy_async();
             if (sync) ptx::warp_sync();
             if (ptx::lane_index() != 0) return;
             ptx::tma_store_2d(target.map, 0, 0, stage(0));
             if (commit) ptx::tma_store_commit();
             if (overwrite) ptx::st_shared_f32(stage(0), 0);
             if (wait) ptx::tma_store_wait_read<0>();
           }).fault;
  };
  CHECK(fault(true, true, true, true, false) == std::nullopt);
  CHECK(fault(false, true, true, true, false) == Fault::kProxy);
  CHECK(fault(true, true, false, true, false) == Fault::kCopyInFlight);
  CHECK(fault(true, true, true, false, false) == Fault::kCopyInFlight);
  CHECK(fault(true, true, true, true, true) == Fault::kCopyInFlight);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Options options = Options::from_seed(seed);
    options.stop_at_unwritten = true;
    const ScopedOptions scope(options);
    CHECK(fault(true, false, true, true, false).has_value());
  }
}

TEST_CASE("matrix stores put fragments where ldmatrix finds them", "[emulation]") {
  for (const bool transposed : {false, true}) {
    int wrong = 0;
    const Outcome outcome = run_block_often(32, kShared, [&] {
      const int lane = ptx::lane_index();
      std::uint32_t r[4];
      for (int matrix = 0; matrix < 4; ++matrix) {
        const auto element = [&](int half) {
          return static_cast<std::uint32_t>(matrix * 64 + lane / 4 * 8 + lane % 4 * 2 + half);
        };
        r[matrix] = element(0) | element(1) << 16;
      }
      if (transposed) {
        ptx::stmatrix_x4_trans(stage(lane * 16), r);
      } else {
        ptx::stmatrix_x4(stage(lane * 16), r);
      }
      ptx::warp_sync();
      for (int column = 0; column < 8; ++column) {
        const int row = lane % 8;
        const auto wanted = lane / 8 * 64 + (transposed ? column * 8 + row : row * 8 + column);
        wrong += ptx::ld_shared_u16(stage(lane * 16 + column * 2)) != wanted;
      }
    });
    CHECK(outcome.text == "");
    CHECK(wrong == 0);
  }
}
