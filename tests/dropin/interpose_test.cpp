// What becomes of calls, with an offload engine that does as the test says. Run with FASTGEMM_DROPIN=on and =verify,
// and with statistics.
#include "src/dropin/interpose.h"

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "src/base/environment.h"
#include "src/dropin/offload.h"
#include "src/dropin/plain_sgemm.h"
#include "src/dropin/role.h"
#include "src/dropin/statistics.h"
#include "tests/dropin/products.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;
using fastgemm::environment;
using test::Product;

namespace {

bool worth = false, wrong = false, readable = true;
OffloadResult answer = OffloadResult::kDone;
int asked = 0, offloads = 0, complaint = 0;
const HostBlas* host_offered = nullptr;

}  // namespace

namespace fastgemm::dropin {

bool worth_offloading(const HostGemm&, const HostBlas& host) noexcept {
  ++asked;
  host_offered = &host;
  return worth;
}

OffloadResult offload_sgemm(const HostGemm& gemm, const HostBlas&) noexcept {
  ++offloads;
  if (answer != OffloadResult::kDeclined) plain_sgemm(gemm);
  if (wrong) gemm.c[1] += 1.0f;
  return answer;
}

bool host_can_read(const HostGemm&) noexcept { return readable; }

}  // namespace fastgemm::dropin

// Of this program, and so of whatever BLAS is found.
extern "C" __attribute__((visibility("default"))) void xerbla_(const char*, const int* argument, std::size_t) {
  complaint = *argument;
}

namespace {

std::uint64_t counted(Outcome outcome) { return statistics().by_outcome[static_cast<std::size_t>(outcome)].calls; }

// One call of sgemm_ from a call site that has no BLAS: libblas.so.3 or the plain loop stands behind it.
struct Call {
  Product product{'N', 'T', 9, 8, 7, 2.0f, 1.0f};
  void make(char transa = 'N') {
    const HostGemm& g = product.gemm;
    const int m = static_cast<int>(g.m), n = static_cast<int>(g.n), k = static_cast<int>(g.k);
    const int lda = static_cast<int>(g.lda), ldb = static_cast<int>(g.ldb), ldc = static_cast<int>(g.ldc);
    interpose(kSgemm_, nullptr,
              FortranArguments{&transa, "T", &m, &n, &k, &g.alpha, g.a, &lda, g.b, &ldb, &g.beta, g.c, &ldc});
  }
};

}  // namespace

TEST_CASE("the variables of this run are read") {
  CHECK((role() == Role::kOn || role() == Role::kVerify));
  CHECK(statistics_wanted());
}

TEST_CASE("what is not worth it is forwarded") {
  worth = false;
  const int before = offloads;
  const auto count = counted(Outcome::kNotWorth);
  Call call;
  call.make();
  CHECK(call.product.c == call.product.expected);
  CHECK(offloads == before);
  CHECK(counted(Outcome::kNotWorth) == count + 1);
  CHECK(host_offered == &route_of(kSgemm_, nullptr));
  CHECK_FALSE(inside_flag());
}

TEST_CASE("what is worth it is offloaded, once") {
  worth = true;
  for (const auto& [result, outcome] :
       {std::pair{OffloadResult::kDone, Outcome::kOffloaded}, std::pair{OffloadResult::kRetreated, Outcome::kRetreated},
        std::pair{OffloadResult::kDeclined, Outcome::kDeclined}}) {
    answer = result;
    const int before = offloads;
    const auto count = counted(outcome);
    Call call;
    call.make();
    CHECK(call.product.c == call.product.expected);  // a beta of 1: computed twice into C it would be another sum
    CHECK(offloads == before + 1);
    CHECK(counted(outcome) == count + 1);
    CHECK_FALSE(inside_flag());
  }
}

TEST_CASE("verify tells of a wrong product, on does not look") {
  const auto lines = [] {
    std::ifstream log(environment().log_file);
    std::string line;
    int found = 0;
    while (std::getline(log, line)) found += line.find("error: verify: NT m=9 n=8 k=7 ") != std::string::npos;
    return found;
  };
  worth = wrong = true;
  answer = OffloadResult::kDone;
  const int before = lines();
  Call call;
  call.make();
  wrong = false;
  CHECK(lines() == before + (role() == Role::kVerify ? 1 : 0));
  CHECK(call.product.c[1] == call.product.expected[1] + 1.0f);  // the offloaded result stays
}

TEST_CASE("verify leaves a matrix in device memory alone, and says so") {
  const auto lines = [] {
    std::ifstream log(environment().log_file);
    std::string line;
    int found = 0;
    while (std::getline(log, line)) found += line.find("lies in device memory") != std::string::npos;
    return found;
  };
  worth = wrong = true;  // what is wrong would be told
  readable = false;
  answer = OffloadResult::kDone;
  const int before = lines(), before_offloads = offloads;
  Call call;
  call.make();
  wrong = false;
  readable = true;
  CHECK(lines() == before + (role() == Role::kVerify ? 1 : 0));
  CHECK(offloads == before_offloads + 1);
  CHECK(call.product.c[1] == call.product.expected[1] + 1.0f);
}

TEST_CASE("cblas products are offloaded as what they mean") {
  worth = true;
  answer = OffloadResult::kDone;
  const auto count = counted(Outcome::kOffloaded);
  Product p('N', 'T', 4, 5, 3, 1.0f, 2.0f);  // seen row-major, its transpose
  const HostGemm& g = p.gemm;
  interpose(kCblasSgemm, nullptr,
            CblasArguments{101, 112, 111, g.n, g.m, g.k, g.alpha, g.b, g.ldb, g.a, g.lda, g.beta, g.c, g.ldc});
  CHECK(p.c == p.expected);
  CHECK(counted(Outcome::kOffloaded) == count + 1);
}

TEST_CASE("wrong arguments are not offered to the engine") {
  worth = true;
  const int before = asked;
  const auto count = counted(Outcome::kInvalid);
  Call call;
  const std::vector<float> untouched = call.product.c;
  call.make('X');
  CHECK(complaint == 1);
  CHECK(call.product.c == untouched);
  CHECK(asked == before);
  CHECK(counted(Outcome::kInvalid) == count + 1);
}

TEST_CASE("a product inside a product is forwarded") {
  worth = true;
  const int before = asked;
  const auto count = counted(Outcome::kNested);
  {
    const InsideScope scope;
    Call call;
    call.make();
    CHECK(call.product.c == call.product.expected);
  }
  CHECK(asked == before);
  CHECK(counted(Outcome::kNested) == count + 1);
}
