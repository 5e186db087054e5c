#include "src/cli/contenders/host_blas.h"

#include <cstdlib>
#include <vector>

#include "src/cli/dynamic_library.h"

namespace fastgemm::cli {
namespace {

void multiply_plainly(const Shape& s, const float* a, const float* b, float* c) {
  const std::int64_t step = s.op_a == Op::kN ? 1 : s.lda;  // between elements of a column of op(A)
  for (std::int64_t j = 0; j < s.n; ++j) {
    float* column = c + j * s.ldc;
    for (std::int64_t i = 0; i < s.m; ++i) column[i] = s.beta == 0.0f ? 0.0f : s.beta * column[i];
    for (std::int64_t l = 0; l < s.k; ++l) {
      const float factor = s.alpha * (s.op_b == Op::kN ? b[l + j * s.ldb] : b[j + l * s.ldb]);
      const float* column_a = s.op_a == Op::kN ? a + l * s.lda : a + l;
      for (std::int64_t i = 0; i < s.m; ++i) column[i] += factor * column_a[i * step];
    }
  }
}

}  // namespace

HostBlas::HostBlas() {
  std::vector<std::string> names;
  if (const char* named = std::getenv("FASTGEMM_HOST_BLAS"); named != nullptr && *named != '\0') names.push_back(named);
  names.insert(names.end(), {"libopenblas.so.0", "libblas.so.3"});
  for (const std::string& name : names) {
    const DynamicLibrary library = DynamicLibrary::open({name}, nullptr);
    if (!library || !library.find("sgemm_", sgemm_)) continue;
    where_ = library.path();
    name_ = where_.find("openblas") != std::string::npos ? "OpenBLAS" : "BLAS";
    return;
  }
}

void HostBlas::multiply(const Shape& s, const float* a, const float* b, float* c) const {
  if (sgemm_ == nullptr) {
    multiply_plainly(s, a, b, c);
    return;
  }
  const char op_a = s.op_a == Op::kN ? 'N' : 'T';
  const char op_b = s.op_b == Op::kN ? 'N' : 'T';
  const int m = static_cast<int>(s.m);
  const int n = static_cast<int>(s.n);
  const int k = static_cast<int>(s.k);
  const int lda = static_cast<int>(s.lda);
  const int ldb = static_cast<int>(s.ldb);
  const int ldc = static_cast<int>(s.ldc);
  sgemm_(&op_a, &op_b, &m, &n, &k, &s.alpha, a, &lda, b, &ldb, &s.beta, c, &ldc, 1, 1);
}

}  // namespace fastgemm::cli
