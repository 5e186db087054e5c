// The product as a plain loop: where a process has no BLAS at all.
#pragma once

#include "src/dropin/host_gemm.h"

namespace fastgemm::dropin {

void plain_sgemm(const HostGemm& gemm);

}  // namespace fastgemm::dropin
