// Host BLAS arguments: netlib's rules by a second set of words, letters, widths, and row-major products.
#include "src/dropin/arguments.h"

#include <cstdint>

#include "tests/support/catch.h"

using namespace fastgemm::dropin;

namespace {

const float alpha = 2.0f, beta = 3.0f;
float a, b, c;

struct Sizes {
  std::int64_t m = 5, n = 6, k = 7, lda = 9, ldb = 10, ldc = 11;
};

int read_fortran(const char* transa, const char* transb, const Sizes& s, bool wide, HostGemm* gemm) {
  if (wide) {
    return read_arguments(
        FortranArguments{transa, transb, &s.m, &s.n, &s.k, &alpha, &a, &s.lda, &b, &s.ldb, &beta, &c, &s.ldc}, true,
        gemm);
  }
  const std::int32_t narrow[6] = {static_cast<std::int32_t>(s.m),   static_cast<std::int32_t>(s.n),
                                  static_cast<std::int32_t>(s.k),   static_cast<std::int32_t>(s.lda),
                                  static_cast<std::int32_t>(s.ldb), static_cast<std::int32_t>(s.ldc)};
  return read_arguments(FortranArguments{transa, transb, &narrow[0], &narrow[1], &narrow[2], &alpha, &a, &narrow[3], &b,
                                         &narrow[4], &beta, &c, &narrow[5]},
                        false, gemm);
}

CblasArguments cblas(int order, int transa, int transb, const Sizes& s) {
  return {order, transa, transb, s.m, s.n, s.k, alpha, &a, s.lda, &b, s.ldb, beta, &c, s.ldc};
}

}  // namespace

TEST_CASE("Fortran arguments describe a product", "[dropin]") {
  for (const bool wide : {false, true}) {
    HostGemm g;
    REQUIRE(read_fortran("n", "T", {}, wide, &g) == 0);
    CHECK(g.transa == 'N');
    CHECK(g.transb == 'T');
    CHECK((g.m == 5 && g.n == 6 && g.k == 7));
    CHECK((g.lda == 9 && g.ldb == 10 && g.ldc == 11));
    CHECK((g.alpha == 2.0f && g.beta == 3.0f));
    CHECK((g.a == &a && g.b == &b && g.c == &c));
  }
}

TEST_CASE("one letter of an option counts, in either case", "[dropin]") {
  HostGemm g;
  for (const char* option : {"N", "n", "No transpose"}) {
    REQUIRE(read_fortran(option, option, {.ldb = 7}, false, &g) == 0);
    CHECK((g.transa == 'N' && g.transb == 'N'));
  }
  for (const char* option : {"T", "t", "C", "c", "Transpose", "conjugate"}) {
    REQUIRE(read_fortran(option, option, {}, false, &g) == 0);
    CHECK((g.transa == 'T' && g.transb == 'T'));
  }
  for (const char* option : {"R", "/", "", " N", "1"}) {
    CHECK(read_fortran(option, "N", {}, false, &g) == 1);
    CHECK(read_fortran("N", option, {}, false, &g) == 2);
  }
}

TEST_CASE("the first wrong Fortran argument is the one that is counted", "[dropin]") {
  HostGemm g;
  const Sizes negative{-1, -1, -1, 0, 0, 0};
  CHECK(read_fortran("N", "N", negative, false, &g) == 3);
  CHECK(read_fortran("N", "N", {.m = 0, .n = -1, .k = -1}, false, &g) == 4);
  CHECK(read_fortran("N", "N", {.k = -1}, false, &g) == 5);
  CHECK(read_fortran("N", "N", {.lda = 4}, false, &g) == 8);
  CHECK(read_fortran("T", "N", {.lda = 6}, false, &g) == 8);
  CHECK(read_fortran("N", "N", {.ldb = 6}, false, &g) == 10);
  CHECK(read_fortran("N", "T", {.ldb = 5}, false, &g) == 10);
  CHECK(read_fortran("N", "N", {.ldc = 4}, false, &g) == 13);
  CHECK(read_fortran("N", "N", {.m = 0, .lda = 0}, false, &g) == 8);
  CHECK(read_fortran("N", "N", {.k = 0, .ldb = 0}, false, &g) == 10);
  CHECK(read_fortran("N", "N", {.lda = 5, .ldb = 7, .ldc = 5}, false, &g) == 0);
  CHECK(read_fortran("T", "T", {.lda = 7, .ldb = 6, .ldc = 5}, false, &g) == 0);
  CHECK(read_fortran("N", "N", {0, 0, 0, 1, 1, 1}, false, &g) == 0);
}

TEST_CASE("64-bit integers are read whole", "[dropin]") {
  const std::int64_t big = (std::int64_t{1} << 32) + 5;
  HostGemm g;
  REQUIRE(read_fortran("N", "N", {.m = big, .lda = big, .ldc = big}, true, &g) == 0);
  CHECK((g.m == big && g.lda == big && g.ldc == big));
  CHECK(read_fortran("N", "N", {.m = big, .lda = 5, .ldc = big}, true, &g) == 8);
  REQUIRE(read_arguments(cblas(102, 111, 111, {.m = big, .lda = big, .ldc = big}), true, &g) == 0);
  CHECK((g.m == big && g.lda == big && g.ldc == big));
}

TEST_CASE("the undefined half of a slot of 32-bit integers is ignored", "[dropin]") {
  const std::int64_t dirt = std::int64_t{0x7badcafe} << 32;
  Sizes s;
  for (std::int64_t* size : {&s.m, &s.n, &s.k, &s.lda, &s.ldb, &s.ldc}) *size |= dirt;
  CblasArguments arguments = cblas(102, 111, 112, s);
  for (std::int64_t* option : {&arguments.order, &arguments.transa, &arguments.transb}) *option |= dirt;
  HostGemm g;
  REQUIRE(read_arguments(arguments, false, &g) == 0);
  CHECK((g.m == 5 && g.n == 6 && g.k == 7 && g.lda == 9 && g.ldb == 10 && g.ldc == 11));
  CHECK((g.transa == 'N' && g.transb == 'T'));
}

TEST_CASE("a row-major product is the column-major one of the transposes", "[dropin]") {
  HostGemm g;
  REQUIRE(read_arguments(cblas(101, 111, 112, {.lda = 7, .ldb = 8}), false, &g) == 0);
  CHECK((g.m == 6 && g.n == 5 && g.k == 7));
  CHECK((g.transa == 'T' && g.transb == 'N'));
  CHECK((g.a == &b && g.b == &a && g.lda == 8 && g.ldb == 7 && g.ldc == 11));
  CHECK((g.alpha == 2.0f && g.beta == 3.0f && g.c == &c));
  REQUIRE(read_arguments(cblas(102, 113, 111, {}), false, &g) == 0);
  CHECK((g.m == 5 && g.n == 6 && g.transa == 'T' && g.transb == 'N' && g.a == &a));
}

TEST_CASE("the wrong cblas argument is counted in the caller's order", "[dropin]") {
  HostGemm g;
  for (const int order : {101, 102}) {
    INFO("order " << order);
    CHECK(read_arguments(cblas(order, 0, 0, {}), false, &g) == 2);
    CHECK(read_arguments(cblas(order, 111, 115, {}), false, &g) == 3);
    CHECK(read_arguments(cblas(order, 111, 111, {.m = -1}), false, &g) == 4);
    CHECK(read_arguments(cblas(order, 111, 111, {.n = -1}), false, &g) == 5);
    CHECK(read_arguments(cblas(order, 111, 111, {.k = -1}), false, &g) == 6);
    CHECK(read_arguments(cblas(order, 111, 111, {.lda = 4}), false, &g) == 9);
    CHECK(read_arguments(cblas(order, 111, 111, {.ldb = 5}), false, &g) == 11);
    CHECK(read_arguments(cblas(order, 111, 111, {.ldc = 4}), false, &g) == 14);
  }
  CHECK(read_arguments(cblas(0, 111, 111, {}), false, &g) == 1);
  CHECK(read_arguments(cblas(101, 111, 111, {.lda = 6}), false, &g) == 9);   // rows of k
  CHECK(read_arguments(cblas(102, 111, 111, {.lda = 5}), false, &g) == 0);   // columns of m
  CHECK(read_arguments(cblas(101, 111, 111, {.ldc = 5}), false, &g) == 14);  // rows of n
}
