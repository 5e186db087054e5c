// The cuBLAS fallback, forced: every type and epilogue, and FP32 that no environment variable turns into TF32.
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

bool fallback_found() {
  const Handle handle;
  int available = 0;
  require_ok(fg_get_kernel_available(handle, "cublas", &available));
  if (available == 0) WARN("left out: cuBLAS was not found");
  return available != 0;
}

}  // namespace

TEST_CASE("forced cuBLAS is right behind every entry and epilogue", "[fallback]") {
  if (!fallback_found()) return;
  const auto verifier = make_verifier();
  std::int64_t host_scalar_cases = 0;
  for (const KernelInfo& row : fallback_rows()) {
    for (const Case& c : kernel_cases(row, PlanSize::kQuick)) {
      verifier->add(c);
      if (!c.device_scalars) ++host_scalar_cases;
    }
  }
  check_verdicts(verifier.get(), "fallback");
  // Device scalars are the one thing it may decline: cuBLAS reads A and B when alpha is 0.
  CHECK(verifier->ran() >= host_scalar_cases);
}

TEST_CASE("the fallback's FP32 withstands NVIDIA_TF32_OVERRIDE", "[fallback]") {
  if (!fallback_found()) return;
  CHECK(run_child("NVIDIA_TF32_OVERRIDE=1 tf32") == 0);
}
