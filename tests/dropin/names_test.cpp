// All ten names, called in a process where libfastgemm.so stands before a fake BLAS: each call arrives there under its
// own name and as it was made, whether its arguments are right or wrong.
#include <dlfcn.h>

#include <cstdint>

#include "tests/dropin/fake_blas.h"
#include "tests/support/catch.h"

namespace {

using FortranName = decltype(&sgemm_);
using CblasName = decltype(&cblas_sgemm);

struct Fortran {
  const char* name;
  FortranName function;
  bool wide;
};
const Fortran fortran_names[] = {{"sgemm_", &sgemm_, false},
                                 {"sgemm", &sgemm, false},
                                 {"sgemm_64_", &sgemm_64_, true},
                                 {"scipy_sgemm_", &scipy_sgemm_, false},
                                 {"scipy_sgemm_64_", &scipy_sgemm_64_, true}};
struct Cblas {
  const char* name;
  CblasName function;
  bool wide;
};
const Cblas cblas_names[] = {{"cblas_sgemm", &cblas_sgemm, false},
                             {"cblas_sgemm64_", &cblas_sgemm64_, true},
                             {"cblas_sgemm_64", &cblas_sgemm_64, true},
                             {"scipy_cblas_sgemm", &scipy_cblas_sgemm, false},
                             {"scipy_cblas_sgemm64_", &scipy_cblas_sgemm64_, true}};

float alpha = 1.5f, beta = 2.5f, a[64], b[64], c[64];

}  // namespace

TEST_CASE("this process has the drop-in before the fake BLAS") {
  void* first = dlsym(RTLD_DEFAULT, "sgemm_");
  Dl_info info{};
  REQUIRE(dladdr(first, &info) != 0);
  CHECK_THAT(std::string(info.dli_fname), ContainsSubstring("libfastgemm.so"));
  CHECK(first == reinterpret_cast<void*>(&sgemm_));
}

TEST_CASE("Fortran calls arrive untouched, hidden lengths as 1") {
  for (const Fortran& entry : fortran_names) {
    for (const char* option : {"N", "Transposed", "X"}) {
      for (const std::int64_t size : {3, 0, -1}) {
        INFO(entry.name << " " << option << " " << size);
        const std::int32_t narrow[6] = {static_cast<std::int32_t>(size), 3, 3, 4, 4, 4};
        const std::int64_t wide[6] = {size, 3, 3, 4, 4, 4};
        const auto argument = [&](int i) -> const void* {
          return entry.wide ? static_cast<const void*>(&wide[i]) : &narrow[i];
        };
        const int calls = fake_calls;
        entry.function(option, "N", argument(0), argument(1), argument(2), &alpha, a, argument(3), b, argument(4),
                       &beta, c, argument(5), 77, -1);
        REQUIRE(fake_calls == calls + 1);
        CHECK(std::string(fake_last.name) == entry.name);
        const void* expected[13] = {option,      "N", argument(0), argument(1), argument(2), &alpha,     a,
                                    argument(3), b,   argument(4), &beta,       c,           argument(5)};
        for (int i = 0; i < 13; ++i) {
          if (i != 1) CHECK(fake_last.pointers[i] == expected[i]);
        }
        CHECK(*static_cast<const char*>(fake_last.pointers[1]) == 'N');
        CHECK(fake_last.slots[0] == 1);
        CHECK(fake_last.slots[1] == 1);
      }
    }
  }
}

TEST_CASE("cblas calls arrive with every bit of their slots") {
  const long long dirt = 0x5ca1ab1eLL << 32;
  for (const Cblas& entry : cblas_names) {
    const long long upper = entry.wide ? 0 : dirt;
    for (const long long order : {101, 102, 7}) {
      for (const long long m : {3LL, -3LL, (5LL << 32) + 3}) {
        INFO(entry.name << " order " << order << " m " << m);
        const int calls = fake_calls;
        entry.function(order | upper, 111 | upper, 112, m, 3, 3, alpha, a, 4 | upper, b, 5, beta, c, 6);
        REQUIRE(fake_calls == calls + 1);
        CHECK(std::string(fake_last.name) == entry.name);
        const long long expected[9] = {order | upper, 111 | upper, 112, m, 3, 3, 4 | upper, 5, 6};
        for (int i = 0; i < 9; ++i) CHECK(fake_last.slots[i] == expected[i]);
        CHECK(fake_last.pointers[0] == a);
        CHECK(fake_last.pointers[1] == b);
        CHECK(fake_last.pointers[2] == c);
        CHECK(fake_last.scalars[0] == alpha);
        CHECK(fake_last.scalars[1] == beta);
      }
    }
  }
}
