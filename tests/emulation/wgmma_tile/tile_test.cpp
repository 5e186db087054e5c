// The product of kernel.cuh on the CPU, and what its descriptors find, in all four majornesses.
#include <bit>

#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/engine/half.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/engine/violation.h"
#include "tests/emulation/wgmma_tile/tile.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;
using namespace fastgemm::wgmma_tile;

namespace {

// The first thing that is wrong, or nothing.
std::string run_product(int k, Major major_a, Major major_b) {
  DeviceArray<std::uint16_t> a(static_cast<std::size_t>(kM * k), Access::kRead, "A");
  DeviceArray<std::uint16_t> b(static_cast<std::size_t>(kN * k), Access::kRead, "B");
  DeviceArray<float> d(kM * kN, Access::kWrite, "D");
  DeviceArray<std::uint16_t> d_half(kM * kN, Access::kWrite, "D in FP16");
  const auto at = [k](Major major, int rows, int row, int i) {
    return static_cast<std::size_t>(major == Major::kK ? row * k + i : i * rows + row);
  };
  Random random(static_cast<std::uint64_t>(k));
  const auto draw = [&] { return half_from_float(static_cast<float>(random.below(9)) - 4.0f); };
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = draw();
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = draw();
  try {
    if (multiply({a.data(), b.data(), d.data(), d_half.data(), k, major_a, major_b}) != cudaSuccess) return "refused";
  } catch (const Violation& violation) {
    return violation.what();
  }
  for (int m = 0; m < kM; ++m) {
    for (int n = 0; n < kN; ++n) {
      float wanted = 0;
      for (int i = 0; i < k; ++i) {
        wanted += float_from_half(a[at(major_a, kM, m, i)]) * float_from_half(b[at(major_b, kN, n, i)]);
      }
      const auto here = static_cast<std::size_t>(m * kN + n);
      if (d[here] == wanted && d_half[here] == half_from_float(wanted)) continue;
      return "D(" + std::to_string(m) + ", " + std::to_string(n) + ") is " + std::to_string(d[here]) + " and " +
             std::to_string(float_from_half(d_half[here])) + " where " + std::to_string(wanted) + " belongs";
    }
  }
  return d.canaries_intact() && d_half.canaries_intact() ? "" : "memory around D was written";
}

}  // namespace

TEST_CASE("a wgmma product with a ring of bulk copies is exact in all majornesses", "[emulation][wgmma_tile]") {
  std::uint64_t seed = 0;
  for (const Major major_a : {Major::kK, Major::kMn}) {
    for (const Major major_b : {Major::kK, Major::kMn}) {
      for (const int k : {8, 64, 72, 320}) {
        for (int round = 0; round < 3; ++round) {
          const ScopedOptions scope(Options::from_seed(++seed));
          CHECK(run_product(k, major_a, major_b) == "");
        }
      }
    }
  }
}
