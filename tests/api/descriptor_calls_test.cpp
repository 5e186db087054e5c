// fg_gemm_ex, fg_get_workspace_size and fg_explain over the host device.
#include <cstring>
#include <limits>

#include "tests/api/host_device.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

std::string last() { return fg_last_error(); }

// D(2 x 2) = A(2 x 2) * B(2 x 2) with everything that a descriptor can ask for.
struct Product {
  float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1}, c[4] = {10, 20, 30, 40}, d[4] = {-1, -1, -1, -1};
  float bias[2] = {-100, 1};
  float alpha = 2.0f, beta = 0.5f;
  fg_gemm_desc desc;

  Product() {
    fg_gemm_desc_init(&desc);
    desc.m = desc.n = desc.k = 2;
    desc.alpha = &alpha;
    desc.beta = &beta;
    desc.A = a;
    desc.B = b;
    desc.C = c;
    desc.D = d;
    desc.lda = desc.ldb = desc.ldc = desc.ldd = 2;
  }
};

}  // namespace

TEST_CASE("fg_gemm_ex writes D and leaves C", "[api][descriptor]") {
  const auto owner = make_host_handle();
  Product x;
  CHECK(fg_gemm_ex(owner.get(), &x.desc) == FG_STATUS_SUCCESS);
  CHECK((x.d[0] == 7 && x.d[1] == 14 && x.d[2] == 21 && x.d[3] == 28));
  CHECK((x.c[0] == 10 && x.c[3] == 40));
}

TEST_CASE("fg_gemm_ex works in place where D is null", "[api][descriptor]") {
  const auto owner = make_host_handle();
  Product x;
  x.desc.D = nullptr;
  CHECK(fg_gemm_ex(owner.get(), &x.desc) == FG_STATUS_SUCCESS);
  CHECK((x.c[0] == 7 && x.c[1] == 14 && x.c[2] == 21 && x.c[3] == 28));
  CHECK(x.d[0] == -1);
}

TEST_CASE("fg_gemm_ex adds bias and applies the activation", "[api][descriptor]") {
  const auto owner = make_host_handle();
  Product x;
  x.desc.bias = x.bias;
  CHECK(fg_gemm_ex(owner.get(), &x.desc) == FG_STATUS_SUCCESS);
  CHECK((x.d[0] == -93 && x.d[1] == 15 && x.d[2] == -79 && x.d[3] == 29));
  x.desc.activation = FG_ACTIVATION_RELU;
  CHECK(fg_gemm_ex(owner.get(), &x.desc) == FG_STATUS_SUCCESS);
  CHECK((x.d[0] == 0 && x.d[1] == 15 && x.d[2] == 0 && x.d[3] == 29));
  x.desc.k = 0;  // the epilogue alone
  CHECK(fg_gemm_ex(owner.get(), &x.desc) == FG_STATUS_SUCCESS);
  CHECK((x.d[0] == 0 && x.d[1] == 11 && x.d[2] == 0 && x.d[3] == 21));
}

TEST_CASE("the descriptor's math mode, or the handle's, reaches the problem", "[api][descriptor]") {
  const auto owner = make_host_handle();
  REQUIRE(fg_set_math_mode(owner.get(), FG_MATH_FP32_SEQUENTIAL) == FG_STATUS_SUCCESS);
  Product x;
  CHECK(fg_gemm_ex(owner.get(), &x.desc) == FG_STATUS_SUCCESS);
  CHECK(host_device_counts().last_problem.math_mode == MathMode::kFp32Sequential);
  x.desc.use_handle_math_mode = 0;
  x.desc.math_mode = FG_MATH_FP32_TENSOR;
  CHECK(fg_gemm_ex(owner.get(), &x.desc) == FG_STATUS_SUCCESS);
  CHECK(host_device_counts().last_problem.math_mode == MathMode::kFp32Tensor);
}

TEST_CASE("fg_gemm_ex refuses and touches nothing", "[api][descriptor]") {
  const auto owner = make_host_handle();
  Product x;
  CHECK(fg_gemm_ex(nullptr, &x.desc) == FG_STATUS_NOT_INITIALIZED);
  CHECK(fg_gemm_ex(nullptr, nullptr) == FG_STATUS_NOT_INITIALIZED);
  CHECK(fg_gemm_ex(owner.get(), nullptr) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "desc is null");
  x.desc.ldd = 1;
  CHECK(fg_gemm_ex(owner.get(), &x.desc) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "ldd = 1 is less than max(1, m) = 2");
  x.desc.ldd = 2;
  x.desc.type_cd = FG_R_16F;
  CHECK(fg_gemm_ex(owner.get(), &x.desc) == FG_STATUS_NOT_SUPPORTED);
  CHECK((x.d[0] == -1 && x.c[0] == 10));
  CHECK(host_device_counts().launches == 0);
}

TEST_CASE("fg_get_workspace_size answers without pointers", "[api][descriptor]") {
  const auto owner = make_host_handle();
  Product x;
  std::size_t bytes = 99;
  CHECK(fg_get_workspace_size(owner.get(), &x.desc, &bytes) == FG_STATUS_SUCCESS);
  CHECK(bytes == 0);  // the host kernel wants none
  bytes = 99;
  x.desc.alpha = x.desc.beta = nullptr;
  x.desc.A = x.desc.B = x.desc.C = x.desc.D = nullptr;
  CHECK(fg_get_workspace_size(owner.get(), &x.desc, &bytes) == FG_STATUS_SUCCESS);
  CHECK(bytes == 0);
  bytes = 99;
  x.desc.m = 0;
  CHECK(fg_get_workspace_size(owner.get(), &x.desc, &bytes) == FG_STATUS_SUCCESS);
  CHECK(bytes == 0);
  x.desc.m = -1;
  CHECK(fg_get_workspace_size(owner.get(), &x.desc, &bytes) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "m = -1 is negative");
  x.desc.m = 2;
  CHECK(fg_get_workspace_size(owner.get(), &x.desc, nullptr) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "bytes is null");
  CHECK(fg_get_workspace_size(nullptr, nullptr, nullptr) == FG_STATUS_NOT_INITIALIZED);
  CHECK(host_device_counts().launches == 0);
}

TEST_CASE("fg_explain names the kernel, and stays inside its text", "[api][descriptor]") {
  const auto owner = make_host_handle();
  Product x;
  x.desc.A = nullptr;
  char text[2000];
  CHECK(fg_explain(owner.get(), &x.desc, text, sizeof text) == FG_STATUS_SUCCESS);
  CHECK_THAT(std::string(text), ContainsSubstring("host_f32"));
  const std::string whole = text;
  std::memset(text, '#', sizeof text);
  CHECK(fg_explain(owner.get(), &x.desc, text, 10) == FG_STATUS_SUCCESS);
  CHECK(std::string(text) == whole.substr(0, 9));
  CHECK(text[10] == '#');
  CHECK(fg_explain(owner.get(), &x.desc, text, 1) == FG_STATUS_SUCCESS);
  CHECK(text[0] == '\0');
  x.desc.n = 0;
  CHECK(fg_explain(owner.get(), &x.desc, text, sizeof text) == FG_STATUS_SUCCESS);
  CHECK_THAT(std::string(text), ContainsSubstring("nothing to do"));
  x.desc.n = 2;
  CHECK(fg_explain(owner.get(), &x.desc, text, 0) == FG_STATUS_INVALID_VALUE);
  CHECK(fg_explain(owner.get(), &x.desc, nullptr, 10) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "text is null");
  CHECK(fg_explain(owner.get(), nullptr, text, 10) == FG_STATUS_INVALID_VALUE);
  CHECK(fg_explain(nullptr, &x.desc, text, 10) == FG_STATUS_NOT_INITIALIZED);
  CHECK(host_device_counts().launches == 0);
}
