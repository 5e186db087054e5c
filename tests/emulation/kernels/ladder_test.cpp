// The six rungs of the HGEMM ladder, which are in no table: N,N and 16-byte alignment only.
#include "kernels/hgemm_mma/ladder.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/gemm_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

TEST_CASE("every rung of the ladder multiplies", "[kernels]") {
  std::uint64_t seed = 100;
  for (const LadderRung& rung : hgemm_ladder()) {
    const TileShape tile = rung.entry.tile;
    for (const int k : {8, tile.k, 2 * tile.k + 8, 5 * tile.k}) {
      for (const auto& [m, n] : {std::pair(tile.m, tile.n), std::pair(tile.m + 8, tile.n - 8), std::pair(8, 1)}) {
        GemmCase gemm;
        gemm.m = m;
        gemm.n = n;
        gemm.k = k;
        gemm.beta = k == 8 ? 0.5f : 0.0f;
        gemm.type_cd = DataType::kFloat16;
        gemm.seed = ++seed;
        const ScopedOptions scope(Options::from_seed(seed));
        CHECK(run_case(rung.entry, gemm) == "");
      }
    }
  }
}
