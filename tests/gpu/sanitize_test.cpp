// Small enough for compute-sanitizer: one shape a kernel and layout, aligned and not, past the tile on every side.
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

TEST_CASE("one shape a kernel", "[sanitize]") {
  const auto verifier = make_verifier();
  for (const KernelInfo& kernel : available_kernels(verifier->handle())) {
    for (int layout = 0; layout < 8; ++layout) {
      Case c;
      c.kernel = kernel.name;
      c.entry = layout < 4 ? CallEntry::kGemm : CallEntry::kEx;
      c.type_ab = c.type_cd = kernel.type;
      c.math = kernel.math;
      c.trans_a = (layout & 1) != 0 ? 'T' : 'N';
      c.trans_b = (layout & 2) != 0 ? 'T' : 'N';
      const bool odd = layout >= 4;
      // Multiples of 8 with a partial tile, or all odd.
      c.m = kernel.tile.m + (odd ? 1 : 8);
      c.n = kernel.tile.n + (odd ? 3 : 8);
      c.k = static_cast<std::int64_t>(kernel.stages + 1) * kernel.tile.k + (odd ? 1 : 0) + kernel.least_k;
      c.offset_a = c.offset_b = c.offset_c = c.offset_d = odd ? 1 : 0;
      c.beta = odd ? 0.5f : 0.0f;
      c.bias = odd;
      verifier->add(c);
    }
  }
  check_verdicts(verifier.get(), "sanitize");
}
