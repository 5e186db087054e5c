// Every product entry point refuses what it should: status, text, C as it was, no launch, nothing printed.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <stdexcept>

#include "tests/api/host_device.h"
#include "tests/api/product_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

struct Breakage {
  const char* text;
  void (*apply)(Call&);
  enum { kAll, kStrided, kBatched } where = kAll;
};

template <class Enum>
Enum number(int value) {
  return static_cast<Enum>(value);
}

const Breakage kBreakages[] = {
    {"transa = 3 is not FG_OP_N", [](Call& x) { x.transa = number<fg_operation_t>(3); }},
    {"transb = 3 is not FG_OP_N", [](Call& x) { x.transb = number<fg_operation_t>(3); }},
    {"m = -1 is negative", [](Call& x) { x.m = -1; }},
    {"n = -1 is negative", [](Call& x) { x.n = -1; }},
    {"k = -1 is negative", [](Call& x) { x.k = -1; }},
    {"alpha is null", [](Call& x) { x.alpha = nullptr; }},
    {"A is null", [](Call& x) { x.A = nullptr; }},
    {"lda = 4 is less than max(1, m) = 5", [](Call& x) { x.lda = 4; }},
    {"B is null", [](Call& x) { x.B = nullptr; }},
    {"ldb = 2 is less than max(1, k) = 3", [](Call& x) { x.ldb = 2; }},
    {"beta is null", [](Call& x) { x.beta = nullptr; }},
    {"C is null", [](Call& x) { x.C = nullptr; }},
    {"ldc = 3 is less than max(1, m) = 5", [](Call& x) { x.ldc = 3; }},
    {"strideC = 0 is less in size than ldc * (n - 1) + m = 47", [](Call& x) { x.strideC = 0; }, Breakage::kStrided},
    {"batch_count = -1 is negative", [](Call& x) { x.batch_count = -1; }, Breakage::kBatched},
};

bool applies(const Breakage& breakage, const EntryPoint& entry) {
  if (breakage.where == Breakage::kStrided) return entry.strided;
  return breakage.where == Breakage::kAll || entry.batched();
}

// Bytes that stdout and stderr receive while it lives.
class PrintedBytes {
 public:
  PrintedBytes() : file_(std::tmpfile()), out_(dup(1)), err_(dup(2)) {
    std::fflush(nullptr);
    dup2(fileno(file_), 1);
    dup2(fileno(file_), 2);
  }
  long stop() {
    std::fflush(nullptr);
    const long bytes = lseek(fileno(file_), 0, SEEK_END);
    dup2(out_, 1);
    dup2(err_, 2);
    close(out_);
    close(err_);
    std::fclose(file_);
    return bytes;
  }

 private:
  std::FILE* file_;
  int out_, err_;
};

// A kernel whose launch does something else.
std::unique_ptr<fg_handle> handle_with_launch(cudaError_t (*launch)(const GemmProblem&, const LaunchContext&)) {
  static KernelEntry kernel;
  kernel = host_f32_kernel();
  kernel.launch = launch;
  return std::make_unique<fg_handle>(make_host_handle()->device, std::vector<const KernelEntry*>{&kernel}, 0);
}

fg_status_t run_once(fg_handle_t handle) { return ProductCase(entry_points()[0], handle).run(); }

}  // namespace

TEST_CASE("every entry point names every wrong argument and touches nothing", "[api][invalid][replay]") {
  const auto handle = make_host_handle();
  for (const EntryPoint& entry : entry_points()) {
    for (const Breakage& breakage : kBreakages) {
      if (!applies(breakage, entry)) continue;
      ProductCase product(entry, handle.get());
      breakage.apply(product.call);
      PrintedBytes printed;
      const fg_status_t status = product.run();
      CHECK(printed.stop() == 0);
      INFO(entry.name << ": " << breakage.text);
      CHECK(status == FG_STATUS_INVALID_VALUE);
      CHECK_THAT(std::string(fg_last_error()), ContainsSubstring(breakage.text));
      CHECK(product.c_is_untouched());
    }
  }
  CHECK(host_device_counts().launches == 0);
}

TEST_CASE("a null handle decides before everything else", "[api][invalid]") {
  for (const EntryPoint& entry : entry_points()) {
    ProductCase product(entry, nullptr);
    INFO(entry.name);
    CHECK(product.run() == FG_STATUS_NOT_INITIALIZED);
    CHECK_THAT(std::string(fg_last_error()), ContainsSubstring("handle is null"));
    CHECK(product.c_is_untouched());
    product.call = {.transa = number<fg_operation_t>(3), .m = -1, .n = -1, .k = -1, .batch_count = -1};
    CHECK(product.run() == FG_STATUS_NOT_INITIALIZED);
    product.call = {};  // nothing to do otherwise
    CHECK(product.run() == FG_STATUS_NOT_INITIALIZED);
  }
}

TEST_CASE("what neither a kernel nor cuBLAS takes is not supported", "[api][invalid]") {
  const auto template_handle = make_host_handle();
  fg_handle bare(template_handle->device, {}, 0);
  bare.fallback_error = "no libcublas.so.13 here";
  for (const EntryPoint& entry : entry_points()) {
    ProductCase product(entry, &bare);
    INFO(entry.name);
    CHECK(product.run() == FG_STATUS_NOT_SUPPORTED);
    CHECK_THAT(std::string(fg_last_error()), ContainsSubstring("no libcublas.so.13 here"));
    CHECK(product.c_is_untouched());
  }
}

TEST_CASE("a launch that fails answers a status with the CUDA error", "[api][invalid]") {
  const auto failed = handle_with_launch([](auto&, auto&) { return cudaErrorLaunchFailure; });
  CHECK(run_once(failed.get()) == FG_STATUS_EXECUTION_FAILED);
  CHECK_THAT(std::string(fg_last_error()), ContainsSubstring("cudaErrorLaunchFailure"));
  const auto memory = handle_with_launch([](auto&, auto&) { return cudaErrorMemoryAllocation; });
  CHECK(run_once(memory.get()) == FG_STATUS_ALLOC_FAILED);
}

TEST_CASE("no exception leaves an entry point", "[api][invalid]") {
  const auto memory = handle_with_launch([](auto&, auto&) -> cudaError_t { throw std::bad_alloc(); });
  CHECK(run_once(memory.get()) == FG_STATUS_ALLOC_FAILED);
  CHECK(std::string(fg_last_error()) == "out of host memory");
  const auto fault = handle_with_launch([](auto&, auto&) -> cudaError_t { throw std::runtime_error("broken"); });
  CHECK(run_once(fault.get()) == FG_STATUS_INTERNAL_ERROR);
  CHECK(std::string(fg_last_error()) == "broken");
  const auto strange = handle_with_launch([](auto&, auto&) -> cudaError_t { throw 7; });
  CHECK(run_once(strange.get()) == FG_STATUS_INTERNAL_ERROR);
}

TEST_CASE("the last error is of the thread's last call", "[api][invalid]") {
  const auto handle = make_host_handle();
  ProductCase product(entry_points()[0], handle.get());
  product.call.lda = 0;
  CHECK(product.run() == FG_STATUS_INVALID_VALUE);
  CHECK(std::string(fg_last_error()) == "lda = 0 is less than max(1, m) = 5");
  CHECK(std::string(fg_last_error()) == "lda = 0 is less than max(1, m) = 5");
  product.call.lda = 7;
  CHECK(product.run() == FG_STATUS_SUCCESS);
  CHECK(std::string(fg_last_error()).empty());
}

TEST_CASE("a forked child gets a status from every call on its parent's handle", "[api][invalid][replay]") {
  fg_handle_t handle = make_host_handle().release();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int wrong = 0;
    for (const EntryPoint& entry : entry_points()) {
      ProductCase product(entry, handle);
      if (product.run() != FG_STATUS_NOT_INITIALIZED || !product.c_is_untouched()) ++wrong;
    }
    if (std::string(fg_last_error()).find("before fork") == std::string::npos) ++wrong;
    if (fg_set_stream(handle, nullptr) != FG_STATUS_NOT_INITIALIZED) ++wrong;
    if (fg_destroy(handle) != FG_STATUS_NOT_INITIALIZED) ++wrong;
    _exit(wrong);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(run_once(handle) == FG_STATUS_SUCCESS);
  CHECK(fg_destroy(handle) == FG_STATUS_SUCCESS);
}
