// Every rule of make_problem that refuses: which text, in which order.
#include <algorithm>
#include <limits>

#include "tests/problem/arguments.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

// In the order of the C declaration: a wrong argument must win over all that follow it.
struct Breakage {
  const char* text;
  void (*apply)(GemmArguments&);
};

const Breakage kBreakages[] = {
    {"transa = 3 is not FG_OP_N (0), FG_OP_T (1) or FG_OP_C (2)", [](GemmArguments& x) { x.transa = 3; }},
    {"transb = -1 is not FG_OP_N (0), FG_OP_T (1) or FG_OP_C (2)", [](GemmArguments& x) { x.transb = -1; }},
    {"m = -1 is negative", [](GemmArguments& x) { x.m = -1; }},
    {"n = -2 is negative", [](GemmArguments& x) { x.n = -2; }},
    {"k = -3 is negative", [](GemmArguments& x) { x.k = -3; }},
    {"alpha is null", [](GemmArguments& x) { x.alpha = nullptr; }},
    {"A is null", [](GemmArguments& x) { x.a = nullptr; }},
    {"lda = 4 is less than max(1, m) = 5", [](GemmArguments& x) { x.lda = 4; }},
    {"B is null", [](GemmArguments& x) { x.b = nullptr; }},
    {"ldb = 2 is less than max(1, k) = 3", [](GemmArguments& x) { x.ldb = 2; }},
    {"beta is null", [](GemmArguments& x) { x.beta = nullptr; }},
    {"C is null", [](GemmArguments& x) { x.c = nullptr; }},
    {"ldc = 3 is less than max(1, m) = 5", [](GemmArguments& x) { x.ldc = 3; }},
    {"strideC = 34 is less in size than ldc * (n - 1) + m = 35, so entries would overlap",
     [](GemmArguments& x) { x.stride_c = 34; }},
    {"batch_count = -1 is negative", [](GemmArguments& x) { x.batch_count = -1; }},
};

std::string error_of(const GemmArguments& x) {
  const ProblemResult result = make_problem(x);
  CHECK((result.status == FG_STATUS_SUCCESS) == result.error.empty());
  if (result.status != FG_STATUS_SUCCESS) CHECK(result.status == FG_STATUS_INVALID_VALUE);
  return result.error;
}

}  // namespace

TEST_CASE("make_problem accepts the arguments that the other tests break", "[problem]") {
  CHECK(error_of(valid_arguments()).empty());
  CHECK(error_of(valid_strided_arguments()).empty());
}

TEST_CASE("make_problem names each wrong argument and its value", "[problem]") {
  for (const Breakage& breakage : kBreakages) {
    GemmArguments x = valid_strided_arguments();
    breakage.apply(x);
    CHECK(error_of(x) == breakage.text);
  }
}

TEST_CASE("make_problem reports the first of two wrong arguments", "[problem]") {
  for (std::size_t first = 0; first < std::size(kBreakages); ++first) {
    for (std::size_t second = first + 1; second < std::size(kBreakages); ++second) {
      GemmArguments x = valid_strided_arguments();
      kBreakages[second].apply(x);
      kBreakages[first].apply(x);
      // A negative size or batch count leaves nothing that a later rule could be about; the first still decides.
      INFO(kBreakages[first].text << " / " << kBreakages[second].text);
      if (std::string(kBreakages[second].text).starts_with("batch_count") &&
          std::string(kBreakages[first].text).starts_with("strideC")) {
        continue;  // strideC is no fault without a second entry
      }
      CHECK(error_of(x) == kBreakages[first].text);
    }
  }
}

TEST_CASE("make_problem bounds lda and ldb by the rows that are stored", "[problem]") {
  for (const int op : {FG_OP_T, FG_OP_C}) {
    GemmArguments x = valid_arguments();
    x.transa = op;
    x.transb = op;
    x.lda = 3;
    x.ldb = 7;
    CHECK(error_of(x).empty());
    x.lda = 2;
    CHECK(error_of(x) == "lda = 2 is less than max(1, k) = 3");
    x.lda = 3;
    x.ldb = 6;
    CHECK(error_of(x) == "ldb = 6 is less than max(1, n) = 7");
  }
}

TEST_CASE("leading dimensions are checked where sizes are zero, by netlib's rule", "[problem][replay]") {
  const std::int64_t sizes[] = {0, 4};
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t k : sizes) {
        for (const std::int64_t ld : {0, 1, 3, 4}) {
          GemmArguments x = valid_arguments();
          x.m = m;
          x.n = n;
          x.k = k;
          x.lda = x.ldb = x.ldc = ld;
          const bool right = ld >= std::max<std::int64_t>(1, m) && ld >= std::max<std::int64_t>(1, k);
          INFO(m << " x " << n << " x " << k << ", ld " << ld);
          CHECK(error_of(x).empty() == right);
        }
      }
    }
  }
}

TEST_CASE("pointers between elements are refused instead of faulting on the GPU", "[problem]") {
  GemmArguments x = valid_arguments();
  x.a = address(0x1002);
  CHECK(error_of(x) == "A = 0x1002 is not a multiple of 4 bytes");
  x.type_ab = x.type_cd = DataType::kFloat16;
  CHECK(error_of(x).empty());
  x.b = address(0x2001);
  CHECK(error_of(x) == "B = 0x2001 is not a multiple of 2 bytes");
  x.b = address(0x2000);
  x.c = address(0x3003);
  CHECK(error_of(x) == "C = 0x3003 is not a multiple of 2 bytes");
  GemmArguments arrays = valid_strided_arguments();
  arrays.pointer_batched = true;
  arrays.c = address(0x3004);
  CHECK(error_of(arrays) == "C = 0x3004 is not a multiple of 8 bytes");
}

TEST_CASE("device scalars have to be aligned, host scalars need not be", "[problem]") {
  alignas(8) const unsigned char bytes[8] = {0, 0, 0, 0x80, 0x3f, 0, 0, 0};  // 1.0f from the second byte on
  GemmArguments x = valid_arguments();
  x.alpha = bytes + 1;
  const ProblemResult host = make_problem(x);
  REQUIRE(host.status == FG_STATUS_SUCCESS);
  CHECK(host.problem.alpha.value == 1.0f);
  x.pointer_mode = FG_POINTER_MODE_DEVICE;
  CHECK_THAT(error_of(x), ContainsSubstring("alpha = 0x") && ContainsSubstring("is not a multiple of 4 bytes"));
}

TEST_CASE("strideC must keep entries apart, in either direction; strides of A and B are free", "[problem][replay]") {
  for (const std::int64_t stride : {std::int64_t{0}, std::int64_t{34}, std::int64_t{-34}}) {
    GemmArguments x = valid_strided_arguments();
    x.stride_c = stride;
    CHECK_THAT(error_of(x), ContainsSubstring("strideC = " + std::to_string(stride) + " is less in size than"));
    x.batch_count = 1;
    CHECK(error_of(x).empty());
    x.batch_count = 0;
    CHECK(error_of(x).empty());
  }
  for (const std::int64_t stride : {std::int64_t{35}, std::int64_t{-35}, std::int64_t{1000}}) {
    GemmArguments x = valid_strided_arguments();
    x.stride_c = stride;
    x.stride_a = 0;
    x.stride_b = -21;
    CHECK(error_of(x).empty());
  }
  GemmArguments padded = valid_strided_arguments();
  padded.ldc = 9;  // 9 * 6 + 5 = 59
  padded.stride_c = 58;
  CHECK_THAT(error_of(padded), ContainsSubstring("= 59,"));
  padded.stride_c = 59;
  CHECK(error_of(padded).empty());
}

TEST_CASE("matrices that no 64-bit offset spans are refused without overflow", "[problem]") {
  GemmArguments x = valid_arguments();
  x.lda = kHuge;
  CHECK(error_of(x) == "A with ld = 9223372036854775807 and stride = 0 spans more than 2^63 - 1 bytes");
  x = valid_arguments();
  x.ldb = kHuge / 4;
  CHECK_THAT(error_of(x), ContainsSubstring("B with ld = "));
  x = valid_arguments();
  x.ldc = kHuge / 7;
  CHECK_THAT(error_of(x), ContainsSubstring("C with ld = "));
  x = valid_strided_arguments();
  x.stride_a = std::numeric_limits<std::int64_t>::min();
  CHECK_THAT(error_of(x), ContainsSubstring("stride = -9223372036854775808 spans more"));
  x = valid_strided_arguments();
  x.stride_c = kHuge / 8;
  CHECK_THAT(error_of(x), ContainsSubstring("C with ld = 5 and stride = "));
  x.batch_count = 1;  // no stride is followed
  CHECK(error_of(x).empty());
  x.stride_a = std::numeric_limits<std::int64_t>::min();
  CHECK(error_of(x).empty());
  x = valid_strided_arguments();
  x.bias = address(0x4000);
  x.stride_bias = kHuge / 8;
  CHECK(error_of(x) == "bias with stride_bias = 1152921504606846975 spans more than 2^63 - 1 bytes");
  x = valid_strided_arguments();  // tiles of so many entries could not be counted
  x.pointer_batched = true;
  x.batch_count = kHuge / 2;
  CHECK(error_of(x) == "C with ld = 5 and batch_count = 4611686018427387903 spans more than 2^63 - 1 bytes");
  x = valid_arguments();  // large, but reachable: 2^31 rows beyond 32-bit offsets
  x.m = x.lda = x.ldc = std::int64_t{1} << 33;
  CHECK(error_of(x).empty());
}
