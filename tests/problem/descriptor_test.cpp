// The rules that only fg_gemm_ex has: types, math mode, D apart from C, activation, bias.
#include "src/problem/descriptor.h"

#include <cstring>

#include "tests/problem/arguments.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

fg_gemm_desc valid_descriptor() {
  fg_gemm_desc desc;
  fg_gemm_desc_init(&desc);
  desc.m = 5;
  desc.n = 7;
  desc.k = 3;
  desc.alpha = &kAlpha;
  desc.beta = &kBeta;
  desc.A = address(0x1000);
  desc.B = address(0x2000);
  desc.C = address(0x3000);
  desc.D = address(0x5000);
  desc.lda = 5;
  desc.ldb = 3;
  desc.ldc = 6;
  desc.ldd = 8;
  return desc;
}

fg_gemm_desc batched_descriptor() {
  fg_gemm_desc desc = valid_descriptor();
  desc.batch_count = 3;
  desc.stride_c = 0;  // C is only read here
  desc.stride_d = 53;
  return desc;
}

ProblemResult result_of(const fg_gemm_desc& desc, MathMode handle_mode = MathMode::kDefault) {
  DescriptorResult read = read_descriptor(&desc, FG_POINTER_MODE_HOST, handle_mode);
  if (read.status != FG_STATUS_SUCCESS) return {.status = read.status, .error = read.error};
  return make_problem(read.arguments);
}

std::string error_of(const fg_gemm_desc& desc) { return result_of(desc).error; }

template <class Enum>
Enum number(int value) {
  Enum result;
  std::memcpy(&result, &value, sizeof value);
  return result;
}

}  // namespace

TEST_CASE("fg_gemm_desc_init leaves a plain FP32 product of one entry", "[problem][descriptor]") {
  fg_gemm_desc desc;
  std::memset(&desc, 0xff, sizeof desc);
  fg_gemm_desc_init(&desc);
  CHECK(desc.struct_size == sizeof(fg_gemm_desc));
  CHECK(desc.use_handle_math_mode == 1);
  CHECK(desc.batch_count == 1);
  CHECK((desc.type_ab == FG_R_32F && desc.type_cd == FG_R_32F));
  CHECK((desc.alpha == nullptr && desc.D == nullptr && desc.bias == nullptr));
  CHECK((desc.m == 0 && desc.stride_bias == 0));
  fg_gemm_desc_init(nullptr);
}

TEST_CASE("a descriptor arrives whole", "[problem][descriptor]") {
  fg_gemm_desc desc = batched_descriptor();
  desc.transb = FG_OP_C;
  desc.ldb = 7;
  desc.stride_a = 15;
  desc.stride_b = -21;
  desc.activation = FG_ACTIVATION_GELU;
  desc.bias = address(0x6000);
  desc.stride_bias = 5;
  const ProblemResult result = result_of(desc);
  REQUIRE(result.error == "");
  const GemmProblem& p = result.problem;
  CHECK((p.op_a == Op::kN && p.op_b == Op::kT));
  CHECK((p.m == 5 && p.n == 7 && p.k == 3 && p.batch_count == 3));
  CHECK((p.a.batch_stride == 15 && p.b.batch_stride == -21 && p.c.batch_stride == 0 && p.d.batch_stride == 53));
  CHECK((p.c.ld == 6 && p.d.ld == 8));
  CHECK((p.c.data == address(0x3000) && p.d.data == address(0x5000)));
  CHECK(p.activation == Activation::kGelu);
  CHECK((p.bias == address(0x6000) && p.bias_stride == 5));
  CHECK((p.alpha.value == kAlpha && p.beta.value == kBeta));
}

TEST_CASE("wrong descriptors are named", "[problem][descriptor]") {
  struct Row {
    const char* text;
    void (*apply)(fg_gemm_desc&);
  };
  const Row rows[] = {
      {"struct_size = 0: call fg_gemm_desc_init first", [](fg_gemm_desc& d) { d.struct_size = 0; }},
      {"type_ab = 1 is not FG_R_32F (0) or FG_R_16F (2)",
       [](fg_gemm_desc& d) { d.type_ab = number<fg_data_type_t>(1); }},
      {"type_cd = 14 is not FG_R_32F (0) or FG_R_16F (2)",
       [](fg_gemm_desc& d) { d.type_cd = number<fg_data_type_t>(14); }},
      {"math_mode = 4 is not one of FG_MATH_DEFAULT (0) to FG_MATH_TF32 (3)",
       [](fg_gemm_desc& d) {
         d.use_handle_math_mode = 0;
         d.math_mode = number<fg_math_mode_t>(4);
       }},
      {"transa = 9 is not FG_OP_N (0), FG_OP_T (1) or FG_OP_C (2)",
       [](fg_gemm_desc& d) { d.transa = number<fg_operation_t>(9); }},
      {"batch_count = -5 is negative", [](fg_gemm_desc& d) { d.batch_count = -5; }},
      {"ldd = 4 is less than max(1, m) = 5", [](fg_gemm_desc& d) { d.ldd = 4; }},
      {"D = 0x5002 is not a multiple of 4 bytes", [](fg_gemm_desc& d) { d.D = address(0x5002); }},
      {"stride_d = 52 is less in size than ldd * (n - 1) + m = 53, so entries would overlap",
       [](fg_gemm_desc& d) {
         d.batch_count = 2;
         d.stride_d = 52;
       }},
      {"activation = 3 is not FG_ACTIVATION_NONE (0), FG_ACTIVATION_RELU (1) or FG_ACTIVATION_GELU (2)",
       [](fg_gemm_desc& d) { d.activation = number<fg_activation_t>(3); }},
      {"bias = 0x6002 is not a multiple of 4 bytes", [](fg_gemm_desc& d) { d.bias = address(0x6002); }},
      {"C is null", [](fg_gemm_desc& d) { d.C = nullptr; }},
      {"C is null", [](fg_gemm_desc& d) { d.C = d.D = nullptr; }},
      {"ldd = 8 is neither 0 nor ldc = 6 although D is null", [](fg_gemm_desc& d) { d.D = nullptr; }},
  };
  for (const Row& row : rows) {
    fg_gemm_desc desc = valid_descriptor();
    row.apply(desc);
    CHECK(error_of(desc) == row.text);
    CHECK(result_of(desc).status == FG_STATUS_INVALID_VALUE);
  }
  CHECK(read_descriptor(nullptr, FG_POINTER_MODE_HOST, MathMode::kDefault).error == "desc is null");
}

TEST_CASE("the types of a descriptor", "[problem][descriptor]") {
  fg_gemm_desc desc = valid_descriptor();
  desc.type_ab = FG_R_16F;
  CHECK(result_of(desc).problem.type_ab == DataType::kFloat16);
  CHECK(result_of(desc).problem.type_cd == DataType::kFloat32);
  desc.type_cd = FG_R_16F;
  CHECK(result_of(desc).problem.type_cd == DataType::kFloat16);
  CHECK(result_of(desc).problem.alpha.value == kAlpha);  // scalars stay FP32
  desc.type_ab = FG_R_32F;
  CHECK(result_of(desc).status == FG_STATUS_NOT_SUPPORTED);
  CHECK_THAT(error_of(desc), ContainsSubstring("type_cd = FG_R_16F with type_ab = FG_R_32F"));
}

TEST_CASE("the math mode is the handle's unless the descriptor has its own", "[problem][descriptor]") {
  fg_gemm_desc desc = valid_descriptor();
  desc.math_mode = FG_MATH_TF32;
  CHECK(result_of(desc, MathMode::kFp32Sequential).problem.math_mode == MathMode::kFp32Sequential);
  desc.use_handle_math_mode = 0;
  CHECK(result_of(desc, MathMode::kFp32Sequential).problem.math_mode == MathMode::kTf32);
}

TEST_CASE("D as C: in place only with the same layout", "[problem][descriptor]") {
  fg_gemm_desc desc = valid_descriptor();
  desc.D = address(0x3000);
  CHECK(error_of(desc) == "ldd = 8 differs from ldc = 6 although D is C");
  desc.ldd = 6;
  CHECK(error_of(desc).empty());
  desc.batch_count = 2;
  desc.stride_d = 41;
  desc.stride_c = 42;
  CHECK(error_of(desc) == "stride_d = 41 differs from stride_c = 42 although D is C");
  desc.stride_c = 41;
  CHECK(error_of(desc).empty());
  const float zero = 0.0f;  // C is not read, so its layout does not matter
  desc.beta = &zero;
  desc.ldd = 8;
  desc.stride_d = 53;
  CHECK(error_of(desc).empty());
}

TEST_CASE("D null is C, with ldd 0 or ldc", "[problem][descriptor]") {
  for (const std::int64_t ldd : {0, 6}) {
    fg_gemm_desc desc = valid_descriptor();
    desc.D = nullptr;
    desc.ldd = ldd;
    const ProblemResult result = result_of(desc);
    REQUIRE(result.error == "");
    CHECK(result.problem.d.data == address(0x3000));
    CHECK(result.problem.d.ld == 6);
  }
  fg_gemm_desc empty = valid_descriptor();  // leading dimensions are checked also where a size is 0
  empty.D = nullptr;
  empty.m = 0;
  CHECK(error_of(empty) == "ldd = 8 is neither 0 nor ldc = 6 although D is null");
}

TEST_CASE("C may be missing where beta is a host 0 and D is there", "[problem][descriptor]") {
  const float zero = 0.0f;
  fg_gemm_desc desc = valid_descriptor();
  desc.beta = &zero;
  desc.C = nullptr;
  desc.ldc = 0;
  CHECK(error_of(desc).empty());
  CHECK(result_of(desc).problem.c.data == nullptr);
  const DescriptorResult device = read_descriptor(&desc, FG_POINTER_MODE_DEVICE, MathMode::kDefault);
  CHECK(make_problem(device.arguments).error == "C is null");
  for (void* const c : {address(0x3000), address(0x3001), desc.D}) {  // there, and still not looked at
    desc.C = c;
    CHECK(error_of(desc).empty());
  }
  desc.m = 0;
  CHECK(error_of(desc).empty());
}

TEST_CASE("questions need no pointers", "[problem][descriptor]") {
  fg_gemm_desc desc = valid_descriptor();
  desc.alpha = desc.beta = nullptr;
  desc.A = desc.B = desc.C = desc.D = nullptr;
  desc.ldd = 0;
  for (const fg_pointer_mode_t mode : {FG_POINTER_MODE_HOST, FG_POINTER_MODE_DEVICE}) {
    DescriptorResult read = read_descriptor(&desc, mode, MathMode::kDefault);
    CHECK(make_problem(read.arguments).status == FG_STATUS_INVALID_VALUE);
    fill_missing_pointers(&read.arguments);
    const ProblemResult result = make_problem(read.arguments);
    CHECK(result.error == "");
    CHECK(result.problem.k == 3);
  }
  desc.beta = &kBeta;  // C alone is missing, and would be read
  desc.D = address(0x5000);
  desc.ldd = 8;
  DescriptorResult without_c = read_descriptor(&desc, FG_POINTER_MODE_HOST, MathMode::kDefault);
  fill_missing_pointers(&without_c.arguments);
  CHECK(make_problem(without_c.arguments).error == "");
  desc.lda = 1;  // everything else is still checked
  DescriptorResult read = read_descriptor(&desc, FG_POINTER_MODE_HOST, MathMode::kDefault);
  fill_missing_pointers(&read.arguments);
  CHECK(make_problem(read.arguments).error == "lda = 1 is less than max(1, m) = 5");
}
