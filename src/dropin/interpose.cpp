#include "src/dropin/interpose.h"

#include <charconv>
#include <chrono>

#include "src/base/log.h"
#include "src/dropin/offload.h"
#include "src/dropin/role.h"
#include "src/dropin/statistics.h"
#include "src/dropin/verify.h"

namespace fastgemm::dropin {
namespace {

// kOffloaded: to be tried; *gemm is set then, and for kNotWorth.
template <class Arguments>
Outcome decide(const Route& route, const Arguments& arguments, bool inside, HostGemm* gemm) {
  if (inside) return Outcome::kNested;
  if (!route.acts()) return Outcome::kInactive;
  if (read_arguments(arguments, route.caller_wide(), gemm) != 0) return Outcome::kInvalid;
  return worth_offloading(*gemm, route) ? Outcome::kOffloaded : Outcome::kNotWorth;
}

// Does what was decided; returns what came of it.
template <class Arguments>
Outcome carry_out(Outcome decided, const Route& route, const Arguments& arguments, const HostGemm& gemm, bool& inside) {
  if (decided == Outcome::kInvalid) {  // no scope to leave behind: an xerbla_ may jump out, as R's does
    route.forward(arguments);
    return decided;
  }
  const InsideScope scope(inside);
  if (decided == Outcome::kOffloaded) {
    const OffloadResult result =
        role() == Role::kVerify ? offload_and_verify(gemm, route, &offload_sgemm) : offload_sgemm(gemm, route);
    if (result == OffloadResult::kDone) return Outcome::kOffloaded;
    if (result == OffloadResult::kRetreated) return Outcome::kRetreated;
    decided = Outcome::kDeclined;
  }
  route.forward(arguments);
  return decided;
}

void trace(const HostGemm& g, bool offloaded, double microseconds) {
  GemmProblem problem;
  problem.op_a = g.transa == 'N' ? Op::kN : Op::kT;
  problem.op_b = g.transb == 'N' ? Op::kN : Op::kT;
  problem.m = g.m;
  problem.n = g.n;
  problem.k = g.k;
  problem.alpha.value = g.alpha;
  problem.beta.value = g.beta;
  problem.a = {.data = g.a, .ld = g.lda};
  problem.b = {.data = g.b, .ld = g.ldb};
  problem.c = {.data = g.c, .ld = g.ldc};
  problem.d = {.data = g.c, .ld = g.ldc};
  log_line(LogLevel::kTrace, format_gemm_line(problem, offloaded ? "offload" : "host", microseconds));
}

bool observed() { return statistics_wanted() || log_enabled(LogLevel::kTrace); }

// The same with the time taken, counted and traced.
template <class Arguments>
void carry_out_observed(Outcome decided, const Route& route, const Arguments& arguments, HostGemm gemm, bool& inside) {
  using Clock = std::chrono::steady_clock;
  const bool read = decided == Outcome::kOffloaded || decided == Outcome::kNotWorth;
  const bool valid =
      read || (decided != Outcome::kInvalid && read_arguments(arguments, route.caller_wide(), &gemm) == 0);
  if (!valid) {  // counted first, since it may not come back
    count_call(decided, HostGemm{}, 0);
    carry_out(decided, route, arguments, gemm, inside);
    return;
  }
  const Clock::time_point start = Clock::now();
  const Outcome outcome = carry_out(decided, route, arguments, gemm, inside);
  const std::chrono::nanoseconds taken = Clock::now() - start;
  count_call(outcome, gemm, taken.count());
  if (outcome == Outcome::kNested || !log_enabled(LogLevel::kTrace)) return;
  const bool offloaded = outcome == Outcome::kOffloaded || outcome == Outcome::kRetreated;
  trace(gemm, offloaded, static_cast<double>(taken.count()) * 1e-3);
}

template <class Arguments>
void interpose_any(EntryIndex entry, const void* return_address, const Arguments& arguments) {
  const Route& route = route_of(entry, return_address);
  HostGemm gemm;
  bool& inside = inside_flag();
  const Outcome decided = decide(route, arguments, inside, &gemm);
  if (observed()) {
    carry_out_observed(decided, route, arguments, gemm, inside);
  } else {
    carry_out(decided, route, arguments, gemm, inside);
  }
}

}  // namespace

void interpose(EntryIndex entry, const void* return_address, const FortranArguments& arguments) {
  interpose_any(entry, return_address, arguments);
}

void interpose(EntryIndex entry, const void* return_address, const CblasArguments& arguments) {
  interpose_any(entry, return_address, arguments);
}

}  // namespace fastgemm::dropin
