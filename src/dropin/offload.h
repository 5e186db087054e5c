// The offload engine as the host BLAS names see it. A call goes:
//
//   sgemm_ -> valid, first time on this thread's stack, drop-in active -> worth_offloading -> offload_sgemm
//                                                      otherwise, or where that declines -> the caller's own BLAS
#pragma once

#include "src/dropin/host_gemm.h"

namespace fastgemm::dropin {

enum class OffloadResult {
  kDone,       // C holds the result
  kRetreated,  // C holds the result, all or part of it from host.sgemm after an error on the way
  kDeclined,   // nothing was done, C is untouched: the names layer forwards the call as it came
};

// Is the GPU expected to beat `host` on this product by the margin of FASTGEMM_MIN_SPEEDUP? Called for every valid call
// of every thread: no lock, no system call and under 50 ns where the answer is no for the size alone. False where there
// is no GPU and in the child of a fork. Never throws, never prints; may initialise CUDA once a product is large enough
// to matter.
bool worth_offloading(const HostGemm& gemm, const HostBlas& host) noexcept;

// Computes the product on the GPU. Synchronous: C is complete in host memory on return, and exactly m x n elements of
// it are written. Safe from any thread. After an error on the way it finishes with host.sgemm. Adds what it moved to
// statistics(); calls, times and flops are counted by the caller.
OffloadResult offload_sgemm(const HostGemm& gemm, const HostBlas& host) noexcept;

// Can the host BLAS read the matrices of a product that is worth offloading, too, or are some in device memory? Slow.
bool host_can_read(const HostGemm& gemm) noexcept;

}  // namespace fastgemm::dropin
