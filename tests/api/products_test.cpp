// Every product entry point from its arguments to the elements of C, over the host device.
#include <cmath>
#include <limits>

#include "tests/api/host_device.h"
#include "tests/api/product_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr fg_operation_t kOperations[] = {FG_OP_N, FG_OP_T, FG_OP_C};

}  // namespace

TEST_CASE("every entry point multiplies in all nine transpose pairs", "[api][products]") {
  const auto handle = make_host_handle();
  for (const EntryPoint& entry : entry_points()) {
    for (const fg_operation_t transa : kOperations) {
      for (const fg_operation_t transb : kOperations) {
        INFO(entry.name << " " << transa << transb);
        ProductCase product(entry, handle.get(), {.transa = transa, .transb = transb});
        CHECK(product.run() == FG_STATUS_SUCCESS);
        CHECK(std::string(fg_last_error()).empty());
        CHECK(product.wrong_elements() == 0);
        CHECK_FALSE(product.c_is_untouched());
      }
    }
  }
  CHECK(host_device_counts().launches == 9 * 12);
}

TEST_CASE("scalars in device memory are read when the product runs", "[api][products]") {
  const auto handle = make_host_handle();
  REQUIRE(fg_set_pointer_mode(handle.get(), FG_POINTER_MODE_DEVICE) == FG_STATUS_SUCCESS);
  for (const EntryPoint& entry : entry_points()) {
    INFO(entry.name);
    ProductCase product(entry, handle.get());
    CHECK(product.run() == FG_STATUS_SUCCESS);
    CHECK(product.wrong_elements() == 0);
    CHECK(host_device_counts().last_problem.alpha.device == product.call.alpha);
  }
}

TEST_CASE("k = 0 leaves beta * C, whatever A and B are", "[api][products][replay]") {
  const auto handle = make_host_handle();
  for (const EntryPoint& entry : entry_points()) {
    for (const float c : {kNan, 1.0f, 2.0f}) {
      INFO(entry.name << " over " << c);
      ProductCase zero(entry, handle.get(), {.m = 432, .n = 1, .k = 0, .batch_count = 10}, 1.0f, 0.0f);
      zero.fill_c(c);
      zero.call.A = zero.call.B = nullptr;
      CHECK(zero.run() == FG_STATUS_SUCCESS);
      CHECK(zero.wrong_elements() == 0);
      CHECK(zero.c.get(0) == 0.0f);
      ProductCase twice(entry, handle.get(), {.m = 432, .n = 1, .k = 0, .batch_count = 10}, 1.0f, 2.0f);
      twice.fill_c(c);
      twice.call.A = twice.call.B = nullptr;
      CHECK(twice.run() == FG_STATUS_SUCCESS);
      CHECK(twice.wrong_elements() == 0);
    }
  }
}

TEST_CASE("alpha = 0 does not read A and B", "[api][products][replay]") {
  const auto handle = make_host_handle();
  for (const fg_pointer_mode_t mode : {FG_POINTER_MODE_HOST, FG_POINTER_MODE_DEVICE}) {
    REQUIRE(fg_set_pointer_mode(handle.get(), mode) == FG_STATUS_SUCCESS);
    for (const EntryPoint& entry : entry_points()) {
      INFO(entry.name << ", pointer mode " << mode);
      ProductCase product(entry, handle.get(), {.transb = FG_OP_T, .m = 33, .n = 17, .k = 65}, 0.0f, 0.5f);
      product.a.fill(kNan);
      product.b.fill(kInf);
      CHECK(product.run() == FG_STATUS_SUCCESS);
      CHECK(product.wrong_elements() == 0);
    }
  }
}

TEST_CASE("beta = 0 and -0 do not read C", "[api][products][replay]") {
  const auto handle = make_host_handle();
  for (const EntryPoint& entry : entry_points()) {
    for (const float beta : {0.0f, -0.0f}) {
      for (const float c : {kNan, kInf}) {
        INFO(entry.name << " over " << c);
        ProductCase product(entry, handle.get(), {.padding = 0}, 1.0f, beta);
        product.fill_c(c);
        CHECK(product.run() == FG_STATUS_SUCCESS);
        CHECK(product.wrong_elements() == 0);
        CHECK(std::isfinite(product.c.get(0)));
      }
    }
  }
}

TEST_CASE("NaN and Inf in what is read reach C", "[api][products]") {
  const auto handle = make_host_handle();
  for (const EntryPoint& entry : entry_points()) {
    ProductCase product(entry, handle.get());
    product.a.set(0, kNan);
    CHECK(product.run() == FG_STATUS_SUCCESS);
    CHECK(std::isnan(product.c.get(0)));
    CHECK(product.wrong_elements() == 0);
  }
}

TEST_CASE("nothing is launched where there is nothing to do", "[api][products][replay]") {
  const auto handle = make_host_handle();
  for (const EntryPoint& entry : entry_points()) {
    for (int zero = 0; zero < (entry.batched() ? 3 : 2); ++zero) {
      INFO(entry.name << ", zero " << zero);
      ProductCase product(entry, handle.get());
      product.call.m = zero == 0 ? 0 : product.call.m;
      product.call.n = zero == 1 ? 0 : product.call.n;
      product.call.batch_count = zero == 2 ? 0 : product.call.batch_count;
      CHECK(product.run() == FG_STATUS_SUCCESS);
      product.call.A = product.call.B = product.call.alpha = product.call.beta = nullptr;
      product.call.C = nullptr;
      CHECK(product.run() == FG_STATUS_SUCCESS);
      CHECK(product.c_is_untouched());
    }
  }
  CHECK(host_device_counts().launches == 0);
}

TEST_CASE("one A for all entries, and entries in descending order", "[api][products]") {
  const auto handle = make_host_handle();
  for (const EntryPoint& entry : entry_points()) {
    if (!entry.strided) continue;
    INFO(entry.name);
    ProductCase product(entry, handle.get(), {.batch_count = 2});
    // Swap the entries of A and C by starting at the last one: still C[e] = A[e] * B.
    product.call.A = product.a.at(product.call.strideA);
    product.call.C = product.c.at(product.call.strideC);
    product.call.B = product.b.at(product.call.strideB);
    product.call.strideA = -product.call.strideA;
    product.call.strideB = -product.call.strideB;
    product.call.strideC = -product.call.strideC;
    CHECK(product.run() == FG_STATUS_SUCCESS);
    CHECK(product.wrong_elements() == 0);
    ProductCase broadcast(entry, handle.get(), {.batch_count = 2});
    for (std::int64_t i = 0; i < broadcast.call.strideA; ++i) {
      broadcast.a.set(broadcast.call.strideA + i, broadcast.a.get(i));
    }
    broadcast.call.strideA = 0;
    CHECK(broadcast.run() == FG_STATUS_SUCCESS);
    CHECK(broadcast.wrong_elements() == 0);
  }
}

TEST_CASE("64-bit sizes arrive whole", "[api][products]") {
  const auto handle = make_host_handle();
  for (const EntryPoint& entry : entry_points()) {
    if (!entry.wide) continue;
    ProductCase product(entry, handle.get());
    product.call.m = std::int64_t{1} << 33;
    INFO(entry.name);
    CHECK(product.run() == FG_STATUS_INVALID_VALUE);
    CHECK(std::string(fg_last_error()) == "lda = 7 is less than max(1, m) = 8589934592");
  }
}

TEST_CASE("a launch gets the handle's stream, workspace, flags and SM count", "[api][products]") {
  const auto handle = make_host_handle();
  ProductCase product(entry_points()[0], handle.get());
  CHECK(product.run() == FG_STATUS_SUCCESS);
  const LaunchContext& context = host_device_counts().last_context;
  CHECK(context.stream == nullptr);
  CHECK(context.workspace != nullptr);
  CHECK(context.workspace_bytes == kHostWorkspaceBytes);
  CHECK(context.sm_count == kHostSmCount);
  CHECK(context.device == &handle->device);
  CHECK(context.flag_count == kSlotFlags);
  const std::uint32_t* const flags_of_null_stream = context.flags;
  REQUIRE(flags_of_null_stream != nullptr);

  alignas(256) static unsigned char lent[512];
  const auto stream = reinterpret_cast<fg_stream_t>(std::uintptr_t{64});
  REQUIRE(fg_set_stream(handle.get(), stream) == FG_STATUS_SUCCESS);
  REQUIRE(fg_set_workspace(handle.get(), lent, sizeof lent) == FG_STATUS_SUCCESS);
  REQUIRE(fg_set_sm_count_target(handle.get(), 20) == FG_STATUS_SUCCESS);
  CHECK(product.run() == FG_STATUS_SUCCESS);
  CHECK(context.stream == stream);
  CHECK(context.workspace == lent);
  CHECK(context.workspace_bytes == sizeof lent);
  CHECK(context.sm_count == 20);
  CHECK(context.flags != nullptr);
  CHECK(context.flags != flags_of_null_stream);
}

TEST_CASE("a launch gets the number of parts that was planned", "[api][products]") {
  KernelEntry row = host_f32_kernel();
  row.max_splits = 4;
  const auto model = make_host_handle();
  fg_handle handle(model->device, {&row}, kHostWorkspaceBytes, host_runtime());
  handle.workspace.add_stream(nullptr);
  handle.forced = &row;
  for (const int splits : {1, 3, 4}) {
    handle.forced_splits = splits;
    ProductCase product(entry_points()[0], &handle, {.k = 64});
    CHECK(product.run() == FG_STATUS_SUCCESS);
    CHECK(host_device_counts().last_context.splits == splits);
  }
}
