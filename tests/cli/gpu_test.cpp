// Models of GPUs that are not here, and the dispatcher's plans for them.
#include "src/cli/gpu.h"

#include <tuple>

#include "src/cli/explain_text.h"
#include "src/cli/plan.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::cli;

namespace {

// The same product with a D that is large enough for kernels which take no other.
Shape with_large_d(Shape shape) {
  shape.m = shape.n = shape.lda = shape.ldb = shape.ldc = 4096;
  return shape;
}

}  // namespace

TEST_CASE("GPU models by architecture", "[cli]") {
  const auto h200 = model_gpu("sm_90", 0);
  REQUIRE(h200);
  CHECK(h200->device.compute_capability == 90);
  CHECK(h200->device.sm_count == 132);
  CHECK(h200->fp32_tflops == Approx(66.9).epsilon(0.01));  // 132 x 128 lanes x 1.98 GHz
  CHECK(model_gpu("75", 7)->device.sm_count == 7);
  CHECK_FALSE(model_gpu("sm_42", 0));
  CHECK_FALSE(model_gpu("", 0));
}

TEST_CASE("the plan honours what is forced", "[cli]") {
  const Shape shape = shapes_from_sizes({"512"}, {}).front();
  const Gpu gpu = *model_gpu("sm_80", 0);
  CHECK(plan_name(plan_for(shape, MathMode::kDefault, gpu, "cublas")) == "cublas");
  CHECK_THROWS_WITH(plan_for(shape, MathMode::kDefault, gpu, "no_such_kernel"), ContainsSubstring("no_such_kernel"));
  for (const KernelEntry* entry : kernel_table()) {
    const Gpu right = *model_gpu("sm_" + std::to_string(entry->min_compute_capability), 0);
    Shape typed = shape;
    typed.type = entry->type_ab;
    if (entry->tile.m <= 16) typed.m = entry->tile.m;  // rows for a short side take no other; leading dimensions stay
    if (entry->tile.n <= 16) typed.n = entry->tile.n;
    int taken = 0;
    for (const char* ops : {"NN", "NT", "TN", "TT"}) {  // special kernels take some of them only
      std::tie(typed.op_a, typed.op_b) = parse_ops(ops);
      const MathMode mode = entry->fp32_tensor ? MathMode::kFp32Tensor : MathMode::kDefault;
      if (!entry->supports(planning_problem(typed, mode))) {
        typed = with_large_d(typed);
        if (!entry->supports(planning_problem(typed, mode))) continue;
      }
      ++taken;
      CHECK(plan_for(typed, mode, right, entry->name).entry == entry);
    }
    INFO(entry->name);
    CHECK(taken > 0);
  }
}

TEST_CASE("the explanation names the planned kernel", "[cli]") {
  const Shape shape = shapes_from_sizes({"512x33x9"}, {}).front();
  const Gpu gpu = *model_gpu("sm_90", 0);
  const std::string text = explain_for(shape, MathMode::kDefault, gpu, "");
  CHECK(explain_value(text, "kernel") == plan_name(plan_for(shape, MathMode::kDefault, gpu, "")));
  CHECK_FALSE(explain_value(text, "reason").empty());
}

TEST_CASE("a line of an explanation by its key", "[cli]") {
  CHECK(explain_value("a: 1\nkernel: k1\nreason: because: so\n", "reason") == "because: so");
  CHECK(explain_value("mykernel: k0\nkernel: k1\n", "kernel") == "k1");
  CHECK(explain_value("a: 1\n", "kernel").empty());
}

TEST_CASE("CUDA versions as text", "[cli]") {
  CHECK(cuda_version_text(13000) == "13.0");
  CHECK(cuda_version_text(12040) == "12.4");
}
