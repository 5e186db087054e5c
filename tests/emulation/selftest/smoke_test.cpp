// A small tiled product written against kernels/ptx, as the families are: the overlay stands in for the GPU.
#include <vector>

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/params.h"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/launch.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/shared.cuh"
#include "tests/emulation/engine/device_array.h"
#include "tests/support/catch.h"

using namespace fastgemm;

namespace {

constexpr int kTile = 16;

// One 16x16 tile of D a block, k in steps of 16, double-buffered; A and B column-major.
template <bool kWaits>
__global__ void __launch_bounds__(256) tile_kernel(const __grid_constant__ GemmParams params) {
  const GemmProblem& problem = params.problem;
  const int row = ptx::thread_index() % kTile;
  const int column = ptx::thread_index() / kTile;
  const std::int64_t first_row = ptx::block_index() % params.tiles_m * kTile;
  const std::int64_t first_column = ptx::block_index() / params.tiles_m * kTile;
  const auto slot = [&](int stage, int operand, int r, int c) {
    return ptx::shared_base() + 4u * (((stage * 2 + operand) * kTile + c) * kTile + r);
  };
  const auto copy = [&](int stage, std::int64_t k) {
    const bool in_a = first_row + row < problem.m && k + column < problem.k;
    const bool in_b = k + row < problem.k && first_column + column < problem.n;
    ptx::cp_async_4(slot(stage, 0, row, column),
                    static_cast<const float*>(problem.a.data) + first_row + row + (k + column) * problem.a.ld,
                    in_a ? 4 : 0);
    ptx::cp_async_4(slot(stage, 1, row, column),
                    static_cast<const float*>(problem.b.data) + k + row + (first_column + column) * problem.b.ld,
                    in_b ? 4 : 0);
    ptx::cp_async_commit();
  };
  float acc = 0.0f;
  copy(0, 0);
  int stage = 0;
  for (std::int64_t k = 0; k < problem.k; k += kTile, stage ^= 1) {
    copy(stage ^ 1, k + kTile);
    if constexpr (kWaits) ptx::cp_async_wait<1>();
    ptx::barrier_sync();
    for (int i = 0; i < kTile; ++i) {
      acc = ptx::fma_rn(ptx::ld_shared_f32(slot(stage, 0, row, i)), ptx::ld_shared_f32(slot(stage, 1, i, column)), acc);
    }
    ptx::barrier_sync();
  }
  if (first_row + row < problem.m && first_column + column < problem.n) {
    store_element(make_epilogue(problem, 0), first_row + row, first_column + column, acc);
  }
}

template <bool kWaits>
void run_product() {
  const std::size_t m = 37, n = 21, k = 43;
  emulation::DeviceArray<float> a(m * k, emulation::Access::kRead, "A");
  emulation::DeviceArray<float> b(k * n, emulation::Access::kRead, "B");
  emulation::DeviceArray<float> d(m * n, emulation::Access::kWrite, "D");
  for (std::size_t i = 0; i < m * k; ++i) a[i] = static_cast<float>(i % 7) - 3.0f;
  for (std::size_t i = 0; i < k * n; ++i) b[i] = static_cast<float>(i % 5) - 2.0f;
  GemmParams params;
  params.problem.m = m;
  params.problem.n = n;
  params.problem.k = k;
  params.problem.alpha.value = 1.0f;
  params.problem.a = {a.data(), nullptr, static_cast<std::int64_t>(m), 0};
  params.problem.b = {b.data(), nullptr, static_cast<std::int64_t>(k), 0};
  params.problem.d = {d.data(), nullptr, static_cast<std::int64_t>(m), 0};
  params.tiles_m = 3;
  params.tiles_n = 2;
  const ptx::LaunchShape shape{6, 256, 4 * 4 * kTile * kTile};
  const cudaError_t status = ptx::launch_grid(tile_kernel<kWaits>, shape, nullptr, params);
  REQUIRE(status == cudaSuccess);
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      float expected = 0.0f;
      for (std::size_t i = 0; i < k; ++i) expected += a[row + i * m] * b[i + column * k];
      REQUIRE(d[row + column * m] == expected);
    }
  }
  REQUIRE(d.canaries_intact());
}

}  // namespace

TEST_CASE("a tiled product runs on the CPU as it would on a GPU", "[emulation]") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    emulation::ScopedOptions scope(emulation::Options::from_seed(seed));
    run_product<true>();
  }
}

TEST_CASE("a product that does not wait for its copies stops", "[emulation]") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    emulation::ScopedOptions scope(emulation::Options::from_seed(seed));
    REQUIRE_THROWS_WITH(run_product<false>(), ContainsSubstring("read under an unfinished copy"));
  }
}
