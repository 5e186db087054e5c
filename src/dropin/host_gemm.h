// What the drop-in's parts share: one product in host memory, and the BLAS that would have computed it without us.
#pragma once

#include <cstdint>
#include <string>

namespace fastgemm::dropin {

// C := alpha * op(A) * op(B) + beta * C, column-major, with arguments that netlib's sgemm accepts: op is 'N' or 'T' in
// upper case, sizes are not negative, leading dimensions reach their rows. C is m x n, op(A) m x k, op(B) k x n.
// Pointers may be to pageable, pinned, managed or device memory; that is for the offload engine to find out. beta == 0:
// C is not read.
struct HostGemm {
  char transa = 'N';
  char transb = 'N';
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  float alpha = 1.0f;
  const float* a = nullptr;
  std::int64_t lda = 1;
  const float* b = nullptr;
  std::int64_t ldb = 1;
  float beta = 0.0f;
  float* c = nullptr;
  std::int64_t ldc = 1;
};

// The BLAS behind one call site. Objects live as long as the process, so a reference may be kept and its address
// identifies the BLAS (several objects may stand for one library; name() tells).
class HostBlas {
 public:
  // Any valid product, whatever the library's integer size; from any thread; never comes back into the drop-in.
  virtual void sgemm(const HostGemm& gemm) const = 0;
  // File of the library, "built-in" for our own loop: what a calibration is filed under.
  virtual const std::string& name() const = 0;

 protected:
  ~HostBlas() = default;
};

}  // namespace fastgemm::dropin
