// What makes the host BLAS names act.
#include "src/dropin/role.h"

#include <cstdlib>

#include "src/dropin/resolve.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;

TEST_CASE("a preload list names the library by the last part of its file", "[dropin]") {
  const std::string_view file = "/usr/lib/libfastgemm.so";
  for (const char* list : {"libfastgemm.so", "/usr/lib/libfastgemm.so", "/elsewhere/libfastgemm.so", "./libfastgemm.so",
                           "libx.so libfastgemm.so", "libx.so:libfastgemm.so", ":libfastgemm.so:", "  libfastgemm.so",
                           "$LIB/libfastgemm.so", "libx.so\nlibfastgemm.so\n"}) {
    INFO(list);
    CHECK(names_library(list, file));
  }
  for (const char* list : {"", " ", "libfastgemm.so.1", "libfastgemm.so2", "xlibfastgemm.so", "libfastgemm.so/x",
                           "libfastgemm_cublas.so", "libx.so"}) {
    INFO(list);
    CHECK_FALSE(names_library(list, file));
  }
  CHECK(names_library("libfastgemm.so.1", "/opt/libfastgemm.so.1"));
  CHECK(names_library("libfastgemm.so", "libfastgemm.so"));
}

TEST_CASE("libraries whose plain names take 64-bit integers are known by their file", "[dropin]") {
  for (const char* file : {"/usr/lib/x86_64-linux-gnu/libblas64.so.3", "/usr/lib/libopenblas64.so.0",
                           "libopenblas64_.so", "/opt/intel/lib/libmkl_intel_ilp64.so.2", "libopenblas_ilp64.so",
                           "/usr/lib/x86_64-linux-gnu/libblis64.so.4"}) {
    INFO(file);
    CHECK(wide_library(file));
  }
  CHECK_FALSE(wide_library("/opt/lib/libmkl_rt.so.2"));
  setenv("MKL_INTERFACE_LAYER", "GNU,ILP64", 1);
  CHECK(wide_library("/opt/lib/libmkl_rt.so.2"));
  setenv("MKL_INTERFACE_LAYER", "GNU,LP64", 1);
  CHECK_FALSE(wide_library("/opt/lib/libmkl_rt.so.2"));
  unsetenv("MKL_INTERFACE_LAYER");
  for (const char* file : {"/usr/lib/x86_64-linux-gnu/libblas.so.3", "/usr/lib64/libopenblas.so.0",
                           "/opt/blas64/libblas.so", "libmkl_intel_lp64.so", ""}) {
    INFO(file);
    CHECK_FALSE(wide_library(file));
  }
}
