// What make_problem makes of valid arguments: zero rules, operations, scalars, strides.
#include <cmath>
#include <limits>

#include "tests/problem/arguments.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

constexpr float kZero = 0.0f;
constexpr float kNegativeZero = -0.0f;
constexpr float kOne = 1.0f;

GemmProblem problem_of(const GemmArguments& x) {
  const ProblemResult result = make_problem(x);
  INFO(result.error);
  REQUIRE(result.status == FG_STATUS_SUCCESS);
  REQUIRE_FALSE(result.empty);
  return result.problem;
}

bool is_empty_success(const GemmArguments& x) {
  const ProblemResult result = make_problem(x);
  INFO(result.error);
  return result.status == FG_STATUS_SUCCESS && result.empty;
}

void take_pointers_away(GemmArguments& x) { x.alpha = x.beta = x.a = x.b = x.c = nullptr; }

}  // namespace

TEST_CASE("a plain product keeps its arguments", "[problem]") {
  const GemmProblem p = problem_of(valid_arguments());
  CHECK(p.m == 5);
  CHECK(p.n == 7);
  CHECK(p.k == 3);
  CHECK(p.alpha.value == 2.0f);
  CHECK(p.alpha.device == nullptr);
  CHECK(p.beta.value == 0.5f);
  CHECK(p.a.data == address(0x1000));
  CHECK(p.b.data == address(0x2000));
  CHECK(p.c.data == address(0x3000));
  CHECK(p.d.data == address(0x3000));
  CHECK((p.a.ld == 5 && p.b.ld == 3 && p.c.ld == 5 && p.d.ld == 5));
  CHECK(p.batch_count == 1);
  CHECK(p.activation == Activation::kNone);
  CHECK(p.bias == nullptr);
}

TEST_CASE("the conjugate transpose is the transpose", "[problem]") {
  const Op expected[] = {Op::kN, Op::kT, Op::kT};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      GemmArguments x = valid_arguments();
      x.transa = a;
      x.transb = b;
      x.lda = x.ldb = 7;
      const GemmProblem p = problem_of(x);
      CHECK(p.op_a == expected[a]);
      CHECK(p.op_b == expected[b]);
    }
  }
}

TEST_CASE("m, n or the batch count 0: nothing to do, and every pointer may be null", "[problem][replay]") {
  GemmArguments no_rows = valid_arguments();
  no_rows.m = 0;
  GemmArguments no_columns = valid_arguments();
  no_columns.n = 0;
  GemmArguments no_entries = valid_strided_arguments();
  no_entries.batch_count = 0;
  for (GemmArguments x : {no_rows, no_columns, no_entries}) {
    CHECK(is_empty_success(x));
    take_pointers_away(x);
    CHECK(is_empty_success(x));
    x.pointer_mode = FG_POINTER_MODE_DEVICE;
    CHECK(is_empty_success(x));
  }
}

TEST_CASE("k = 0 scales C without A and B", "[problem][replay]") {
  for (const std::int64_t batch_count : {1, 10}) {
    GemmArguments x = valid_strided_arguments();
    x.m = 43200;
    x.n = 1;
    x.k = 0;
    x.lda = x.ldc = x.stride_c = 43200;
    x.batch_count = batch_count;
    x.a = x.b = nullptr;
    const GemmProblem p = problem_of(x);
    CHECK(p.k == 0);
    CHECK((p.a.data == nullptr && p.b.data == nullptr));
    CHECK((p.a.ld == 0 && p.b.ld == 0));
    CHECK(p.alpha.value == 0.0f);
    CHECK(p.beta.value == 0.5f);
    CHECK(p.d.data == address(0x3000));
    x.alpha = nullptr;
    CHECK(make_problem(x).error == "alpha is null");
  }
}

TEST_CASE("a host alpha of 0 or -0 is a product without A and B", "[problem][replay]") {
  for (const float* alpha : {&kZero, &kNegativeZero}) {
    GemmArguments x = valid_arguments();
    x.alpha = alpha;
    CHECK(problem_of(x).a.data == nullptr);
    CHECK(problem_of(x).k == 0);
    x.a = x.b = nullptr;
    CHECK(problem_of(x).k == 0);
  }
}

TEST_CASE("device scalars are never read, so A and B have to be there", "[problem]") {
  GemmArguments x = valid_arguments();
  x.pointer_mode = FG_POINTER_MODE_DEVICE;
  x.alpha = address(0x10);  // would fault if it were read
  x.beta = address(0x20);
  const GemmProblem p = problem_of(x);
  CHECK(p.k == 3);
  CHECK(p.alpha.device == address(0x10));
  CHECK(p.beta.device == address(0x20));
  CHECK(p.c.data == address(0x3000));
  x.b = nullptr;
  CHECK(make_problem(x).error == "B is null");
  x.k = 0;
  CHECK(problem_of(x).k == 0);
  CHECK(problem_of(x).alpha.device == nullptr);
  CHECK(problem_of(x).beta.device == address(0x20));
}

TEST_CASE("beta 0 and -0 mean that C is not read", "[problem][replay]") {
  for (const float* beta : {&kZero, &kNegativeZero}) {
    GemmArguments x = valid_arguments();
    x.beta = beta;
    const GemmProblem p = problem_of(x);
    CHECK(p.beta.value == 0.0f);
    CHECK_FALSE(std::signbit(p.beta.value));
    CHECK(p.c.data == nullptr);
    CHECK(p.d.data == address(0x3000));
    x.c = nullptr;
    CHECK(make_problem(x).error == "C is null");
  }
}

TEST_CASE("NaN scalars are values like others", "[problem]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  GemmArguments x = valid_arguments();
  x.alpha = x.beta = &nan;
  const GemmProblem p = problem_of(x);
  CHECK(std::isnan(p.alpha.value));
  CHECK(std::isnan(p.beta.value));
  CHECK(p.k == 3);
  CHECK(p.c.data != nullptr);
}

TEST_CASE("C := 1 * C is nothing to do, unless an epilogue follows", "[problem]") {
  GemmArguments x = valid_arguments();
  x.alpha = &kZero;
  x.beta = &kOne;
  CHECK(is_empty_success(x));
  x.bias = address(0x4000);
  CHECK(problem_of(x).k == 0);
  x.bias = nullptr;
  x.activation = FG_ACTIVATION_RELU;
  CHECK(problem_of(x).k == 0);
  x.activation = FG_ACTIVATION_NONE;
  x.d = address(0x5000);
  x.ldd = 5;
  CHECK(problem_of(x).k == 0);
  x.d = nullptr;
  x.ldd = 0;
  x.pointer_mode = FG_POINTER_MODE_DEVICE;
  x.k = 0;
  CHECK(problem_of(x).k == 0);
}

TEST_CASE("half scalars are widened exactly", "[problem]") {
  const std::uint16_t third = 0x3555, negative_zero = 0x8000;
  GemmArguments x = valid_arguments();
  x.type_ab = x.type_cd = x.type_scalar = DataType::kFloat16;
  x.alpha = &third;
  x.beta = &negative_zero;
  const GemmProblem p = problem_of(x);
  CHECK(p.alpha.value == 0.333251953125f);
  CHECK(p.beta.value == 0.0f);
  CHECK(p.c.data == nullptr);
  x.pointer_mode = FG_POINTER_MODE_DEVICE;
  CHECK(problem_of(x).alpha.device_type == DataType::kFloat16);
}

TEST_CASE("math modes are for FP32: FP16 operands leave no choice", "[problem]") {
  GemmArguments x = valid_arguments();
  x.math_mode = MathMode::kFp32Sequential;
  CHECK(problem_of(x).math_mode == MathMode::kFp32Sequential);
  x.type_ab = x.type_cd = DataType::kFloat16;
  CHECK(problem_of(x).math_mode == MathMode::kDefault);
}

TEST_CASE("strides count only where there is a second entry", "[problem]") {
  GemmArguments x = valid_strided_arguments();
  GemmProblem p = problem_of(x);
  CHECK(p.batch_count == 4);
  CHECK((p.a.batch_stride == 15 && p.b.batch_stride == 21 && p.c.batch_stride == 35 && p.d.batch_stride == 35));
  x.batch_count = 1;
  p = problem_of(x);
  CHECK((p.a.batch_stride == 0 && p.b.batch_stride == 0 && p.c.batch_stride == 0 && p.d.batch_stride == 0));
}

TEST_CASE("pointer arrays replace data and strides", "[problem]") {
  GemmArguments x = valid_strided_arguments();
  x.pointer_batched = true;
  x.stride_c = 0;
  const GemmProblem p = problem_of(x);
  CHECK((p.a.data == nullptr && p.b.data == nullptr && p.c.data == nullptr && p.d.data == nullptr));
  CHECK(static_cast<const void*>(p.a.pointers) == address(0x1000));
  CHECK(static_cast<const void*>(p.d.pointers) == address(0x3000));
  CHECK((p.a.ld == 5 && p.d.ld == 5 && p.batch_count == 4));
}

TEST_CASE("batches past 65535 and sizes past 2^31 are valid", "[problem][replay]") {
  GemmArguments x = valid_strided_arguments();
  for (const std::int64_t batch_count : {65535, 65536, 65537, 100000}) {
    x.batch_count = batch_count;
    CHECK(problem_of(x).batch_count == batch_count);
  }
  GemmArguments tall = valid_arguments();
  tall.m = tall.lda = tall.ldc = 100000000;
  tall.n = 2;
  tall.k = tall.ldb = 30;
  CHECK(problem_of(tall).a.ld == 100000000);
}
