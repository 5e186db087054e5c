// Routes: the call that a target gets, the plain loop, and the table of call sites.
#include "src/dropin/route.h"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "src/dropin/plain_sgemm.h"
#include "tests/dropin/products.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;
using test::Product;

namespace {

int fortran_calls = 0;
bool inside_seen = false;

// A BLAS of the test's own: what it is called with goes through the argument reader into the plain loop.
template <bool wide>
void fortran_blas(const char* transa, const char* transb, const void* m, const void* n, const void* k,
                  const float* alpha, const float* a, const void* lda, const float* b, const void* ldb,
                  const float* beta, float* c, const void* ldc, std::size_t length_a, std::size_t length_b) {
  ++fortran_calls;
  inside_seen = inside_flag();
  HostGemm g;
  REQUIRE(length_a == 1);
  REQUIRE(length_b == 1);
  REQUIRE(read_arguments(FortranArguments{transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, wide, &g) ==
          0);
  plain_sgemm(g);
}

template <bool wide>
void cblas_blas(std::int64_t order, std::int64_t transa, std::int64_t transb, std::int64_t m, std::int64_t n,
                std::int64_t k, float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
                float beta, float* c, std::int64_t ldc) {
  HostGemm g;
  REQUIRE(read_arguments(CblasArguments{order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, wide,
                         &g) == 0);
  plain_sgemm(g);
}

template <class Function>
Target target(Function* function, Convention convention, bool wide, bool fallback) {
  return {reinterpret_cast<void*>(function), convention, wide, fallback, "of the test"};
}

std::vector<Target> targets(bool fallback) {
  return {target(&fortran_blas<false>, Convention::kFortran, false, fallback),
          target(&fortran_blas<true>, Convention::kFortran, true, fallback),
          target(&cblas_blas<false>, Convention::kCblas, false, fallback),
          target(&cblas_blas<true>, Convention::kCblas, true, fallback)};
}

const Target kNone{nullptr, Convention::kFortran, false, true, "built-in"};

}  // namespace

TEST_CASE("the plain loop multiplies, and touches m x n elements", "[dropin]") {
  for (const char transa : {'N', 'T'}) {
    for (const char transb : {'N', 'T'}) {
      for (const float alpha : {0.0f, 1.0f, -2.0f}) {
        for (const float beta : {0.0f, 1.0f, 0.5f}) {
          for (const std::int64_t k : {0, 1, 7}) {
            Product p(transa, transb, 5, 4, k, alpha, beta);
            if (alpha == 0.0f) p.a[0] = p.b[0] = std::nanf("");
            plain_sgemm(p.gemm);
            INFO(transa << transb << " alpha " << alpha << " beta " << beta << " k " << k);
            CHECK(p.c == p.expected);
          }
        }
      }
    }
  }
  Product empty('N', 'N', 0, 0, 5, 1.0f, 0.0f);
  plain_sgemm(empty.gemm);
  CHECK(empty.c.back() == test::kGuard);
}

TEST_CASE("a route hands any product to a target of any convention", "[dropin]") {
  std::vector<Target> all = targets(false);
  all.push_back(kNone);
  for (const Target& to : all) {
    const Route route(kSgemm_, to);
    for (const char transa : {'N', 'T'}) {
      for (const char transb : {'N', 'T'}) {
        Product p(transa, transb, 6, 5, 4, 2.0f, 1.0f);
        route.sgemm(p.gemm);
        CHECK(p.c == p.expected);
      }
    }
    CHECK_FALSE(inside_flag());
    CHECK(route.name() == to.library);
  }
  CHECK(inside_seen);
}

TEST_CASE("what a 32-bit BLAS cannot be told goes to the plain loop", "[dropin]") {
  const std::int64_t big = (std::int64_t{1} << 31) + 1;
  Product p('N', 'N', 3, 1, 2, 1.0f, 1.0f);
  p.gemm.ldc = big;  // one column: no more than three elements are touched
  p.gemm.ldb = big;
  const int calls = fortran_calls;
  Route(kSgemm_, targets(false)[0]).sgemm(p.gemm);
  CHECK(p.c == p.expected);
  for (std::int64_t HostGemm::*const alone : {&HostGemm::ldb, &HostGemm::ldc}) {
    Product one('N', 'N', 3, 1, 2, 1.0f, 1.0f);
    one.gemm.*alone = big;
    Route(kSgemm_, targets(false)[0]).sgemm(one.gemm);
    CHECK(one.c == one.expected);
  }
  CHECK(fortran_calls == calls);
  Product q('N', 'N', 3, 1, 2, 1.0f, 1.0f);
  q.gemm.ldc = q.gemm.ldb = big;
  Route(kSgemm64_, targets(false)[1]).sgemm(q.gemm);
  CHECK(q.c == q.expected);
  CHECK(fortran_calls == calls + 1);
}

TEST_CASE("a caller of plain names has the integers of its own library, of a fallback those of the name", "[dropin]") {
  for (const bool wide : {false, true}) {
    const Target own = targets(false)[wide ? 1 : 0];
    const Target fallback = targets(true)[wide ? 1 : 0];
    CHECK(Route(kSgemm_, own).caller_wide() == wide);
    CHECK_FALSE(Route(kSgemm_, fallback).caller_wide());
    CHECK(Route(kSgemm64_, fallback).caller_wide());
  }
}

TEST_CASE("a call is translated for a fallback of another kind", "[dropin]") {
  std::vector<Target> all = targets(true);
  all.push_back(kNone);
  for (const Target& to : all) {
    Product p('T', 'N', 5, 4, 3, 1.0f, 2.0f);
    const HostGemm& g = p.gemm;
    const int m = 5, n = 4, k = 3, lda = static_cast<int>(g.lda), ldb = static_cast<int>(g.ldb),
              ldc = static_cast<int>(g.ldc);
    Route(kSgemm_, to)
        .forward(FortranArguments{"transposed", "not", &m, &n, &k, &g.alpha, g.a, &lda, g.b, &ldb, &g.beta, g.c, &ldc});
    CHECK(p.c == p.expected);
    Product q('N', 'T', 4, 5, 3, 1.0f, 2.0f);  // seen row-major, its transpose: m and n, A and B change places
    const HostGemm& h = q.gemm;
    Route(kCblasSgemm64_, to)
        .forward(CblasArguments{101, 112, 111, h.n, h.m, h.k, h.alpha, h.b, h.ldb, h.a, h.lda, h.beta, h.c, h.ldc});
    CHECK(q.c == q.expected);
    Product r('T', 'N', 5, 4, 3, 1.0f, 2.0f);
    const HostGemm& i = r.gemm;
    Route(kCblasSgemm64_, to)
        .forward(CblasArguments{102, 112, 111, i.m, i.n, i.k, i.alpha, i.a, i.lda, i.b, i.ldb, i.beta, i.c, i.ldc});
    CHECK(r.c == r.expected);
  }
}

TEST_CASE("the inside of a product ends with it", "[dropin]") {
  CHECK_FALSE(inside_flag());
  {
    const InsideScope outer;
    { const InsideScope inner; }
    CHECK(inside_flag());
    std::thread([] { CHECK_FALSE(inside_flag()); }).join();
  }
  CHECK_FALSE(inside_flag());
}

TEST_CASE("a call site keeps its route, threads agree, and a full table still answers", "[dropin]") {
  constexpr int kThreads = 8;
  constexpr std::uintptr_t kSites = 6000;  // more than the table holds
  const auto site = [](std::uintptr_t i) { return reinterpret_cast<const void*>(0x1000 + 16 * i); };
  std::vector<std::vector<const Route*>> seen(kThreads);
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      while (!go) std::this_thread::yield();
      for (std::uintptr_t i = 0; i < kSites; ++i) seen[t].push_back(&route_of(kSgemm_, site(i)));
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
  std::set<void*> functions;
  std::set<const Route*> routes;
  for (const auto& of_thread : seen) {
    for (const Route* route : of_thread) {
      functions.insert(route->target().function);
      routes.insert(route);
    }
  }
  CHECK(functions.size() == 1);
  CHECK(routes.size() <= kThreads);  // threads that were first together may have made one each
  CHECK(&route_of(kSgemm_, site(0)) == &route_of(kSgemm_, site(0)));
  CHECK(route_of(kCblasSgemm, site(0)).entry() == kCblasSgemm);
  CHECK(route_of(kSgemm_, site(0)).entry() == kSgemm_);
}
