// Finding, opening and giving up libcublas.
#include <cstdlib>

#include "src/base/environment.h"
#include "src/exec/cublas_library.h"
#include "tests/exec/fallback_fixture.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

std::unique_ptr<CublasFallback> open_fake(std::string* error) {
  return CublasFallback::open({.library = FASTGEMM_FAKE_CUBLAS, .runtime = &fake_runtime()}, error);
}

}  // namespace

TEST_CASE_METHOD(FallbackFixture, "a library that is not there is named in the reason", "[exec][fallback]") {
  std::string error;
  CHECK(CublasFallback::open({.library = "/nowhere/libcublas.so.13", .runtime = &fake_runtime()}, &error) == nullptr);
  CHECK_THAT(error, ContainsSubstring("FASTGEMM_CUBLAS") && ContainsSubstring("/nowhere/libcublas.so.13"));
  CHECK(cublas.calls.empty());
}

TEST_CASE_METHOD(FallbackFixture, "a library that is no cuBLAS is refused", "[exec][fallback]") {
  std::string error;
  CHECK(CublasFallback::open({.library = "libm.so.6", .runtime = &fake_runtime()}, &error) == nullptr);
  CHECK_THAT(error, ContainsSubstring("cublasCreate_v2") && ContainsSubstring("FASTGEMM_CUBLAS"));
}

TEST_CASE_METHOD(FallbackFixture, "a handle that cannot be made is the reason", "[exec][fallback]") {
  cublas.fail_function = "cublasCreate_v2";
  cublas.fail_status = CUBLAS_STATUS_NOT_INITIALIZED;
  std::string error;
  CHECK(open_fake(&error) == nullptr);
  CHECK_THAT(error, ContainsSubstring("cublasCreate"));
  CHECK(cublas.handles == 0);
  CHECK(runtime.live.empty());
}

TEST_CASE_METHOD(FallbackFixture, "without memory for a workspace nothing is left behind", "[exec][fallback]") {
  runtime.allocate_error = cudaErrorMemoryAllocation;
  std::string error;
  CHECK(open_fake(&error) == nullptr);
  CHECK_THAT(error, ContainsSubstring("workspace"));
  CHECK(cublas.handles == 0);
}

TEST_CASE_METHOD(FallbackFixture, "the end gives back handle and memory", "[exec][fallback]") {
  open();
  CHECK(cublas.handles == 1);
  fallback.reset();
  CHECK(cublas.handles == 0);
  CHECK(runtime.live.empty());
}

TEST_CASE_METHOD(FallbackFixture, "nothing is touched once the context is gone", "[exec][fallback]") {
  open();
  runtime.alive = false;
  fallback.reset();
  CHECK(calls_of("cublasDestroy_v2").empty());
  CHECK(runtime.releases == 0);
}

// The next two need a process of their own, with its own environment and loaded libraries: CTest starts them by name.

TEST_CASE("FASTGEMM_CUBLAS names the library", "[.own-process-environment]") {
  REQUIRE(environment().cublas == FASTGEMM_FAKE_CUBLAS);
  std::string error;
  const auto library = open_cublas(environment().cublas, &error);
  REQUIRE(library.has_value());
  CHECK_THAT(library->path, ContainsSubstring("fake_cublas"));
}

TEST_CASE("a libcublas that the process already has is kept", "[.own-process-loaded]") {
  FakeCublas& state = loaded_fake_cublas(FASTGEMM_FAKE_LOADED_CUBLAS);
  std::string error;
  const auto library = open_cublas(FASTGEMM_FAKE_CUBLAS, &error);
  REQUIRE(library.has_value());
  CHECK_THAT(library->path, ContainsSubstring("libcublas.so.13"));
  cublasHandle_t handle = nullptr;
  REQUIRE(library->functions.create(&handle) == CUBLAS_STATUS_SUCCESS);
  CHECK(state.handles == 1);
}
