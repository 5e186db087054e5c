// The text of fg_explain.
#include "src/dispatch/explain.h"

#include "tests/dispatch/fake_table.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

std::string explain_on(const GemmProblem& problem, bool fallback = true) {
  const DeviceInfo device = fake_device(90, 132);
  return explain(problem, device, fake_available(), options_for(device, fallback));
}

}  // namespace

TEST_CASE("the choice comes with reason, time and the trace line", "[dispatch][explain]") {
  const std::string text = explain_on(product_of(DataType::kFloat32, 1024, 1024, 1023));
  CHECK(text.rfind("gemm type=f32 ops=NN m=1024 n=1024 k=1023", 0) == 0);
  CHECK_THAT(text, ContainsSubstring("device: sm_90, 132 SMs\n"));
  CHECK_THAT(text, ContainsSubstring("kernel: f32_64x64\n"));
  CHECK_THAT(text, ContainsSubstring("predicted: ") && ContainsSubstring(" us\n"));
  CHECK_THAT(text, ContainsSubstring("reason: least predicted time: 256 tiles of 64x64x8"));
}

TEST_CASE("candidates stand from fastest to slowest, refused ones after them with why", "[dispatch][explain]") {
  const std::string text = explain_on(product_of(DataType::kFloat32, 1024, 1024, 1023));
  const std::size_t list = text.find("candidates:");
  REQUIRE(list != std::string::npos);
  const auto at = [&](const std::string& name) { return text.find("  " + name + ": ", list); };
  CHECK(at("f32_64x64") < at("f32_256x128"));
  CHECK(at("f32_256x128") < at("f32_split"));
  CHECK(at("f32_split") < at("f32_choosy"));
  for (const KernelEntry& row : fake_rows()) CHECK(at(row.name) != std::string::npos);
  CHECK_THAT(text, ContainsSubstring("f32_choosy: refused, declines this shape"));
  CHECK_THAT(text, ContainsSubstring("f32_32x32_sm75: refused, not for compute capability 90"));
  CHECK_THAT(text, ContainsSubstring("f16_64x64: refused, multiplies FP16 only"));
}

TEST_CASE("cuBLAS and nothing at all are told too", "[dispatch][explain]") {
  GemmProblem problem = product_of(DataType::kFloat32, 64, 64, 64);
  problem.math_mode = MathMode::kTf32;
  CHECK_THAT(explain_on(problem), ContainsSubstring("kernel: cublas\nreason: math mode TF32"));
  const DeviceInfo device = fake_device(90, 132);
  const std::string none = explain(problem, device, {}, options_for(device, false));
  CHECK_THAT(none, ContainsSubstring("NOT_SUPPORTED") && ContainsSubstring("candidates: none"));
}

TEST_CASE("unaligned operands are named", "[dispatch][explain]") {
  GemmProblem problem = product_of(DataType::kFloat16, 1024, 1024, 1024);
  CHECK(explain_on(problem).find("unaligned") == std::string::npos);
  problem.b.ld = 1025;
  CHECK_THAT(explain_on(problem), ContainsSubstring("unaligned operands"));
}
