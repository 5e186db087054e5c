// Reading of host BLAS arguments: netlib's rules, in netlib's order.
#include "src/dropin/arguments.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fastgemm::dropin {
namespace {

constexpr int kRowMajor = 101;
constexpr int kColumnMajor = 102;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;
constexpr int kConjugateTranspose = 113;

std::int64_t load(const void* address, bool wide) {
  if (wide) {
    std::int64_t value;
    std::memcpy(&value, address, sizeof value);
    return value;
  }
  std::int32_t value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

std::int64_t value_of(std::int64_t slot, bool wide) { return wide ? slot : static_cast<std::int32_t>(slot); }

// 'N' or 'T'; 0 for what netlib refuses.
char operation(char letter) {
  switch (letter) {
    case 'N':
    case 'n': return 'N';
    case 'T':
    case 't':
    case 'C':
    case 'c': return 'T';
    default: return 0;
  }
}

char operation(std::int64_t slot) {
  switch (static_cast<std::int32_t>(slot)) {  // an enum, of 32 bits in every build
    case kNoTranspose: return 'N';
    case kTranspose:
    case kConjugateTranspose: return 'T';
    default: return 0;
  }
}

std::int64_t stored_rows(char operation, std::int64_t rows, std::int64_t columns) {
  return operation == 'N' ? rows : columns;
}

// Number of the first wrong argument in Fortran's order.
int first_wrong(const HostGemm& g) {
  if (g.transa == 0) return 1;
  if (g.transb == 0) return 2;
  if (g.m < 0) return 3;
  if (g.n < 0) return 4;
  if (g.k < 0) return 5;
  if (g.lda < std::max<std::int64_t>(1, stored_rows(g.transa, g.m, g.k))) return 8;
  if (g.ldb < std::max<std::int64_t>(1, stored_rows(g.transb, g.k, g.n))) return 10;
  if (g.ldc < std::max<std::int64_t>(1, g.m)) return 13;
  return 0;
}

// Netlib's cblas names a row-major caller's own argument, though it checks the swapped ones.
int swap_back(int wrong) {
  switch (wrong) {
    case 3: return 4;  // m and n
    case 4: return 3;
    case 8: return 10;  // lda and ldb
    case 10: return 8;
    default: return wrong;
  }
}

}  // namespace

int read_arguments(const FortranArguments& f, bool wide, HostGemm* gemm) {
  HostGemm& g = *gemm;
  g.transa = operation(*f.transa);
  g.transb = operation(*f.transb);
  g.m = load(f.m, wide);
  g.n = load(f.n, wide);
  g.k = load(f.k, wide);
  g.lda = load(f.lda, wide);
  g.ldb = load(f.ldb, wide);
  g.ldc = load(f.ldc, wide);
  if (const int wrong = first_wrong(g); wrong != 0) return wrong;
  g.alpha = *f.alpha;
  g.a = f.a;
  g.b = f.b;
  g.beta = *f.beta;
  g.c = f.c;
  return 0;
}

int read_arguments(const CblasArguments& s, bool wide, HostGemm* gemm) {
  const std::int32_t order = static_cast<std::int32_t>(s.order);
  if (order != kRowMajor && order != kColumnMajor) return 1;
  HostGemm& g = *gemm;
  g = {operation(s.transa),
       operation(s.transb),
       value_of(s.m, wide),
       value_of(s.n, wide),
       value_of(s.k, wide),
       s.alpha,
       s.a,
       value_of(s.lda, wide),
       s.b,
       value_of(s.ldb, wide),
       s.beta,
       s.c,
       value_of(s.ldc, wide)};
  if (g.transa == 0) return 2;
  if (g.transb == 0) return 3;
  const bool row_major = order == kRowMajor;
  if (row_major) {  // C^T = op(B)^T op(A)^T, and a row-major matrix is its transpose column-major
    std::swap(g.transa, g.transb);
    std::swap(g.m, g.n);
    std::swap(g.a, g.b);
    std::swap(g.lda, g.ldb);
  }
  if (const int wrong = first_wrong(g); wrong != 0) return 1 + (row_major ? swap_back(wrong) : wrong);
  return 0;
}

}  // namespace fastgemm::dropin
