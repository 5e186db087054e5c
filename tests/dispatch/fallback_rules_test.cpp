// What cuBLAS is asked to do, and the workspace that takes.
#include "src/dispatch/fallback_rules.h"

#include "tests/dispatch/fake_table.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

TEST_CASE("D is C only with the same memory, ld and stride", "[dispatch][fallback]") {
  GemmProblem problem = product_of(DataType::kFloat32, 8, 8, 8);
  CHECK(is_in_place(problem));
  problem.d.batch_stride = 64;
  CHECK(is_in_place(problem));
  problem.batch_count = 2;
  CHECK_FALSE(is_in_place(problem));
  problem.c.batch_stride = 64;
  CHECK(is_in_place(problem));
  problem.d.ld = 9;
  CHECK_FALSE(is_in_place(problem));
  problem.d.ld = 8;
  problem.d.data = &problem;
  CHECK_FALSE(is_in_place(problem));
}

TEST_CASE("pointer arrays are compared as arrays", "[dispatch][fallback]") {
  GemmProblem problem = product_of(DataType::kFloat32, 8, 8, 8);
  void* outputs[2] = {};
  problem.d.pointers = outputs;
  CHECK_FALSE(is_in_place(problem));
  problem.c.pointers = const_cast<const void* const*>(outputs);
  CHECK(is_in_place(problem));
  CHECK(fallback_refusal(problem) == nullptr);
  problem.activation = Activation::kGelu;
  CHECK(fallback_refusal(problem) != nullptr);
}

TEST_CASE("only FP16 results with an epilogue want workspace", "[dispatch][fallback]") {
  GemmProblem problem = product_of(DataType::kFloat16, 100, 50, 8);
  problem.batch_count = 3;
  CHECK(fallback_workspace_bytes(problem) == 0);
  problem.activation = Activation::kRelu;
  CHECK(fallback_workspace_bytes(problem) == 4u * 100 * 50 * 3);
  problem.k = 0;
  CHECK(fallback_workspace_bytes(problem) == 0);
  problem.k = 8;
  problem.type_cd = DataType::kFloat32;
  CHECK(fallback_workspace_bytes(problem) == 0);
}

TEST_CASE("the wish for workspace stays within bounds", "[dispatch][fallback]") {
  constexpr std::int64_t kHuge = (std::int64_t{1} << 31) - 1;
  GemmProblem problem = product_of(DataType::kFloat16, kHuge, kHuge, 8);
  problem.batch_count = kHuge;
  problem.bias = &problem;
  CHECK(fallback_workspace_bytes(problem) == std::size_t{256} << 20);
}
