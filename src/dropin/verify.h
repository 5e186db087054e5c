// FASTGEMM_DROPIN=verify: every offloaded product once more on the host, and the two compared.
#pragma once

#include "src/dropin/offload.h"

namespace fastgemm::dropin {

using OffloadFunction = OffloadResult(const HostGemm&, const HostBlas&) noexcept;

// How far two results of one product are apart: the largest |x - y| / (|alpha| |a_i| |b_j| + |beta c_ij|), a_i a row of
// op(A) and b_j a column of op(B) with their Euclidean norms, which bound the sum of |products| from above. NaN and Inf
// must stand in the same places, else infinity.
struct Difference {
  double error = 0.0;
  std::int64_t row = 0;  // where
  std::int64_t column = 0;
  float offloaded = 0.0f;
  float host = 0.0f;
};

// What two FP32 results of any summation order may differ by: each is within (k + 3) 2^-24 of the exact one.
double allowed_difference(std::int64_t k);

std::string format_difference(const HostGemm& gemm, const Difference& difference);

// Offloads, computes a second time on the host, and writes an error line, whatever the log level, where the two differ
// by more than they may. The offloaded result stays. *worst, where wanted, receives the difference.
OffloadResult offload_and_verify(const HostGemm& gemm, const HostBlas& host, OffloadFunction* offload,
                                 Difference* worst = nullptr);

}  // namespace fastgemm::dropin
