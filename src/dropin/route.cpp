#include "src/dropin/route.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "src/dropin/plain_sgemm.h"
#include "src/dropin/role.h"

namespace fastgemm::dropin {
namespace {

constexpr std::size_t kOptionLength = 1;  // hidden length of a character argument

using FortranSgemm = void(const char*, const char*, const void*, const void*, const void*, const float*, const float*,
                          const void*, const float*, const void*, const float*, float*, const void*, std::size_t,
                          std::size_t);
// Whole slots: a function of 32-bit integers takes the lower half of each. True of the calling conventions of x86-64
// and of 64-bit ARM on Linux.
using CblasSgemm = void(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, float,
                        const float*, std::int64_t, const float*, std::int64_t, float, float*, std::int64_t);
using Xerbla = void(const char* routine, const void* argument, std::size_t length);

constexpr std::int64_t kColumnMajor = 102;
std::int64_t cblas_operation(char operation) { return operation == 'N' ? 111 : 112; }

bool fits_narrow(const HostGemm& g) {
  return std::max({g.m, g.n, g.k, g.lda, g.ldb, g.ldc}) <= std::numeric_limits<std::int32_t>::max();
}

void call(void* function, const FortranArguments& f) {
  reinterpret_cast<FortranSgemm*>(function)(f.transa, f.transb, f.m, f.n, f.k, f.alpha, f.a, f.lda, f.b, f.ldb, f.beta,
                                            f.c, f.ldc, kOptionLength, kOptionLength);
}

void call(void* function, const CblasArguments& s) {
  reinterpret_cast<CblasSgemm*>(function)(s.order, s.transa, s.transb, s.m, s.n, s.k, s.alpha, s.a, s.lda, s.b, s.ldb,
                                          s.beta, s.c, s.ldc);
}

template <class Integer>
void call_fortran(void* function, const HostGemm& g) {
  const Integer m = static_cast<Integer>(g.m), n = static_cast<Integer>(g.n), k = static_cast<Integer>(g.k);
  const Integer lda = static_cast<Integer>(g.lda), ldb = static_cast<Integer>(g.ldb);
  const Integer ldc = static_cast<Integer>(g.ldc);
  call(function,
       FortranArguments{&g.transa, &g.transb, &m, &n, &k, &g.alpha, g.a, &lda, g.b, &ldb, &g.beta, g.c, &ldc});
}

Convention convention_of(const FortranArguments&) { return Convention::kFortran; }
Convention convention_of(const CblasArguments&) { return Convention::kCblas; }

// What netlib's routine would have done, where there is none that takes these arguments.
void complain(Convention convention, int wrong) {
  void* function = dlsym(RTLD_DEFAULT, "xerbla_");
  if (function == nullptr) return;
  const std::string routine = convention == Convention::kFortran ? "SGEMM " : "cblas_sgemm";
  const std::int64_t argument = wrong;  // its lower half is right for 32-bit integers
  reinterpret_cast<Xerbla*>(function)(routine.c_str(), &argument, routine.size());
}

bool may_act(const Target& target) {
  switch (role()) {
    case Role::kOff: return false;
    case Role::kWithoutBlas: return target.fallback;
    default: return true;
  }
}

}  // namespace

bool& inside_flag() {
  static constinit thread_local bool inside = false;
  return inside;
}

Route::Route(EntryIndex entry, Target target)
    : entry_(entry),
      target_(std::move(target)),
      caller_wide_(target_.fallback ? kEntries[entry].wide : target_.wide),
      as_it_came_(target_.function != nullptr && target_.convention == kEntries[entry].convention &&
                  target_.wide == caller_wide_),
      acts_(may_act(target_)) {}

template <class Arguments>
void Route::translate(const Arguments& arguments) const {
  HostGemm gemm;
  const int wrong = read_arguments(arguments, caller_wide_, &gemm);
  if (wrong != 0) return complain(convention_of(arguments), wrong);
  sgemm(gemm);
}

void Route::forward(const FortranArguments& arguments) const {
  as_it_came_ ? call(target_.function, arguments) : translate(arguments);
}

void Route::forward(const CblasArguments& arguments) const {
  as_it_came_ ? call(target_.function, arguments) : translate(arguments);
}

void Route::sgemm(const HostGemm& g) const {
  const InsideScope inside;
  if (target_.function == nullptr || (!target_.wide && !fits_narrow(g))) return plain_sgemm(g);
  if (target_.convention == Convention::kCblas) {
    return call(target_.function, CblasArguments{kColumnMajor, cblas_operation(g.transa), cblas_operation(g.transb),
                                                 g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, g.c, g.ldc});
  }
  target_.wide ? call_fortran<std::int64_t>(target_.function, g) : call_fortran<std::int32_t>(target_.function, g);
}

}  // namespace fastgemm::dropin
