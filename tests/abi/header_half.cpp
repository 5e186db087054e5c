// fastgemm.hpp with __half.
#include "fastgemm/fastgemm.hpp"

#ifndef FG_HAS_CUDA_FP16
#error "cuda_fp16.h is on the include path and was not found"
#endif

fg_status_t fg_header_check(fg_handle_t handle, const __half* scalar, __half* matrix, __half* const* matrices);

fg_status_t fg_header_check(fg_handle_t handle, const __half* scalar, __half* matrix, __half* const* matrices) {
  fg::check(fg::gemm(handle, FG_OP_N, FG_OP_T, 1, 1, 1, scalar, matrix, 1, matrix, 1, scalar, matrix, 1));
  fg::check(fg::gemm_strided_batched(handle, FG_OP_N, FG_OP_N, 1, 1, 1, scalar, matrix, 1, 1, matrix, 1, 1, scalar,
                                     matrix, 1, 1, 1));
  return fg::gemm_batched(handle, FG_OP_N, FG_OP_N, 1, 1, 1, scalar, matrices, 1, matrices, 1, scalar, matrices, 1, 1);
}
