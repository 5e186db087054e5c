// What `fastgemm run` sets for the program that it becomes.
#include "src/cli/run.h"

#include "src/cli/bench/shapes.h"
#include "tests/support/catch.h"

using namespace fastgemm::cli;

namespace {

constexpr const char* kLibrary = "/opt/lib/libfastgemm.so.1";
constexpr const char* kCublasLibrary = "/opt/lib/libfastgemm_cublas.so.1";

std::string value(const Variables& variables, const std::string& name) {
  for (const auto& [each, text] : variables) {
    if (each == name) return text;
  }
  return "unset";
}

}  // namespace

TEST_CASE("run preloads what was asked for, before what is preloaded already", "[cli]") {
  const std::string library = kLibrary, cublas_library = kCublasLibrary;
  const auto preloaded = [&](bool blas, bool cublas, const std::string& already) {
    RunOptions options;
    options.blas = blas;
    options.cublas = cublas;
    return value(run_variables(options, library, already), "LD_PRELOAD");
  };
  CHECK(preloaded(false, false, "") == library);
  CHECK(preloaded(true, false, "") == library);
  CHECK(preloaded(false, true, "") == cublas_library);
  CHECK(preloaded(true, true, "") == library + ":" + cublas_library);
  CHECK(preloaded(false, false, "libm.so.6 other.so") == library + ":libm.so.6 other.so");
  CHECK(preloaded(true, true, "libm.so.6") == library + ":" + cublas_library + ":libm.so.6");
}

TEST_CASE("run sets a variable for each option, and no other", "[cli]") {
  const Variables plain = run_variables({}, kLibrary, "");
  CHECK(plain.size() == 2);
  CHECK(value(plain, "FASTGEMM_DROPIN") == "on");
  RunOptions options;
  options.stats = options.verify = true;
  options.log = "info";
  options.log_file = "/tmp/log";
  options.host_blas = "libopenblas.so.0";
  const Variables all = run_variables(options, kLibrary, "");
  CHECK(all.size() == 6);
  CHECK(value(all, "FASTGEMM_DROPIN") == "verify");
  CHECK(value(all, "FASTGEMM_STATS") == "1");
  CHECK(value(all, "FASTGEMM_LOG") == "info");
  CHECK(value(all, "FASTGEMM_LOG_FILE") == "/tmp/log");
  CHECK(value(all, "FASTGEMM_HOST_BLAS") == "libopenblas.so.0");
}

TEST_CASE("run refuses paths that LD_PRELOAD cannot hold, and options that do not go together", "[cli]") {
  CHECK_THROWS_AS(run_variables({}, "/opt/my lib/libfastgemm.so", ""), ParseError);
  CHECK_THROWS_AS(run_variables({}, "/opt/a:b/libfastgemm.so", ""), ParseError);
  RunOptions options;
  options.cublas = options.verify = true;
  CHECK_THROWS_AS(run_variables(options, kLibrary, ""), ParseError);
  options.blas = true;
  CHECK_NOTHROW(run_variables(options, kLibrary, ""));
}

TEST_CASE("the library for cuBLAS has a name of the same form", "[cli]") {
  CHECK(cublas_library_beside("/a/libfastgemm.so") == "/a/libfastgemm_cublas.so");
  CHECK(cublas_library_beside("/a/libfastgemm.so.0.1.0") == "/a/libfastgemm_cublas.so.0.1.0");
}
