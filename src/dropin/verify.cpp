#include "src/dropin/verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "src/base/log.h"

namespace fastgemm::dropin {
namespace {

constexpr double kRoundoff = 0x1p-24;

// Norms of the `count` vectors of `length` elements that op(matrix) has as rows (or as columns).
std::vector<double> norms(const float* matrix, std::int64_t ld, std::int64_t count, std::int64_t length,
                          bool vectors_are_columns) {
  std::vector<double> sums(static_cast<std::size_t>(count), 0.0);
  const std::int64_t vector_step = vectors_are_columns ? ld : 1;
  const std::int64_t element_step = vectors_are_columns ? 1 : ld;
  for (std::int64_t v = 0; v < count; ++v) {
    for (std::int64_t p = 0; p < length; ++p) {
      const double x = matrix[v * vector_step + p * element_step];
      sums[static_cast<std::size_t>(v)] += x * x;
    }
  }
  for (double& sum : sums) sum = std::sqrt(sum);
  return sums;
}

double error_of(float x, float y, double scale) {
  if (std::isnan(x) && std::isnan(y)) return 0.0;
  if (x == y) return 0.0;  // equal infinities, too
  const double error = std::abs(static_cast<double>(x) - y) / std::max(scale, std::numeric_limits<double>::min());
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

// C as it is, tightly packed.
std::vector<float> packed(const HostGemm& g) {
  std::vector<float> copy(static_cast<std::size_t>(g.m * g.n));
  for (std::int64_t j = 0; j < g.n; ++j) std::copy_n(g.c + j * g.ldc, g.m, copy.data() + j * g.m);
  return copy;
}

Difference compare(const HostGemm& g, const std::vector<float>& before, const std::vector<float>& host) {
  const std::vector<double> rows = norms(g.a, g.lda, g.m, g.alpha == 0.0f ? 0 : g.k, g.transa != 'N');
  const std::vector<double> columns = norms(g.b, g.ldb, g.n, g.alpha == 0.0f ? 0 : g.k, g.transb == 'N');
  Difference worst;
  for (std::int64_t j = 0; j < g.n; ++j) {
    for (std::int64_t i = 0; i < g.m; ++i) {
      const std::size_t at = static_cast<std::size_t>(j * g.m + i);
      const double from_c = g.beta == 0.0f ? 0.0 : std::abs(static_cast<double>(g.beta) * before[at]);
      const double scale = std::abs(static_cast<double>(g.alpha)) * rows[i] * columns[j] + from_c;
      const float offloaded = g.c[j * g.ldc + i];
      const double error = error_of(offloaded, host[at], scale);
      if (error > worst.error) worst = {error, i, j, offloaded, host[at]};
    }
  }
  return worst;
}

// Who asks for verification wants to hear of it.
void report(const std::string& text) {
  Environment always = environment();
  always.log = std::max(always.log, LogLevel::kError);
  log_line_to(always, LogLevel::kError, text);
}

}  // namespace

double allowed_difference(std::int64_t k) { return 2.0 * static_cast<double>(k + 3) * kRoundoff; }

std::string format_difference(const HostGemm& g, const Difference& worst) {
  char text[320];
  std::snprintf(
      text, sizeof text,
      "verify: %c%c m=%lld n=%lld k=%lld alpha=%g beta=%g: C(%lld,%lld) is %.9g offloaded and %.9g on the host, "
      "%.3g apart where %.3g is allowed",
      g.transa, g.transb, static_cast<long long>(g.m), static_cast<long long>(g.n), static_cast<long long>(g.k),
      static_cast<double>(g.alpha), static_cast<double>(g.beta), static_cast<long long>(worst.row),
      static_cast<long long>(worst.column), static_cast<double>(worst.offloaded), static_cast<double>(worst.host),
      worst.error, allowed_difference(g.k));
  return text;
}

OffloadResult offload_and_verify(const HostGemm& gemm, const HostBlas& host, OffloadFunction* offload,
                                 Difference* worst) {
  if (!host_can_read(gemm)) {
    report("verify: a matrix lies in device memory; a product goes unverified");
    return offload(gemm, host);
  }
  std::vector<float> before, again;
  try {
    before = packed(gemm);
    again = before;
  } catch (const std::bad_alloc&) {
    report("verify: no memory for two more copies of C; a product goes unverified");
    return offload(gemm, host);
  }
  const OffloadResult result = offload(gemm, host);
  if (result == OffloadResult::kDeclined) return result;
  HostGemm second = gemm;
  second.c = again.data();
  second.ldc = std::max<std::int64_t>(1, gemm.m);
  host.sgemm(second);
  const Difference difference = compare(gemm, before, again);
  if (!(difference.error <= allowed_difference(gemm.k))) report(format_difference(gemm, difference));
  if (worst != nullptr) *worst = difference;
  return result;
}

}  // namespace fastgemm::dropin
