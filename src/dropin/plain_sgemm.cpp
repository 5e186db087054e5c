#include "src/dropin/plain_sgemm.h"

#include <algorithm>

namespace fastgemm::dropin {
namespace {

// beta == 0 writes without reading: NaN in C does not survive.
void scale_column(float* column, std::int64_t m, float beta) {
  if (beta == 0.0f) {
    std::fill_n(column, m, 0.0f);
  } else if (beta != 1.0f) {
    for (std::int64_t i = 0; i < m; ++i) column[i] *= beta;
  }
}

}  // namespace

void plain_sgemm(const HostGemm& g) {
  for (std::int64_t j = 0; j < g.n; ++j) {
    float* column = g.c + j * g.ldc;
    scale_column(column, g.m, g.beta);
    if (g.alpha == 0.0f) continue;  // A and B are not read
    for (std::int64_t p = 0; p < g.k; ++p) {
      const float factor = g.alpha * (g.transb == 'N' ? g.b[p + j * g.ldb] : g.b[j + p * g.ldb]);
      const float* a = g.transa == 'N' ? g.a + p * g.lda : g.a + p;
      const std::int64_t step = g.transa == 'N' ? 1 : g.lda;
      for (std::int64_t i = 0; i < g.m; ++i) column[i] += factor * a[i * step];
    }
  }
}

}  // namespace fastgemm::dropin
