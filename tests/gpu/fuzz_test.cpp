// Seeded random calls. FG_GPU_FUZZ_COUNT and FG_GPU_FUZZ_SEED change how many and which.
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

TEST_CASE("random calls are right", "[fuzz]") {
  const std::int64_t count = environment_number("FG_GPU_FUZZ_COUNT", 20000);
  std::mt19937_64 random(static_cast<std::uint64_t>(environment_number("FG_GPU_FUZZ_SEED", 1)));
  const auto verifier = make_verifier();
  const std::vector<KernelInfo> kernels = available_kernels(verifier->handle());
  for (std::int64_t i = 0; i < count; ++i) verifier->add(random_case(&random, kernels));
  check_verdicts(verifier.get(), "fuzz");
}
