// fastgemm.hpp: fastgemm.h for C++17. Names in namespace fg; everything is inline and adds nothing to the C calls.
//
//     fg::Handle handle;                                                    // throws fg::Error where there is no GPU
//     fg::check(fg::gemm(handle, FG_OP_N, FG_OP_N, m, n, k, &alpha, A, lda, B, ldb, &beta, C, ldc));
//
// Every call answers a status, as in C; check() makes an exception of a bad one where that is wanted. Shapes, bounds,
// zero rules and statuses stand in fastgemm.h; sizes are 64-bit here. Where <cuda_fp16.h> is found, __half matrices are
// taken as well as fg_half; define FG_NO_CUDA_FP16 to keep that header out.
#ifndef FASTGEMM_FASTGEMM_HPP
#define FASTGEMM_FASTGEMM_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "fastgemm/fastgemm.h"

#if !defined(FG_NO_CUDA_FP16) && defined(__has_include)
#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#define FG_HAS_CUDA_FP16 1
#endif
#endif

namespace fg {

// A status other than FG_STATUS_SUCCESS, with the text of fg_last_error.
class Error : public std::runtime_error {
 public:
  Error(fg_status_t status, const char* text)
      : std::runtime_error(std::string(fg_status_name(status)) + ": " + text), status_(status) {}
  fg_status_t status() const noexcept { return status_; }

 private:
  fg_status_t status_;
};

// Call it at once, in the thread that made the call: the text is that thread's last one.
inline void check(fg_status_t status) {
  if (status != FG_STATUS_SUCCESS) throw Error(status, fg_last_error());
}

// Owns a fg_handle_t. Moves, does not copy.
class Handle {
 public:
  Handle() { check(fg_create(&handle_)); }
  explicit Handle(std::nullptr_t) noexcept {}                      // empty: calls answer FG_STATUS_NOT_INITIALIZED
  explicit Handle(fg_handle_t owned) noexcept : handle_(owned) {}  // takes it over
  Handle(Handle&& other) noexcept : handle_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  // Without exceptions: *status is fg_create's, and the result is empty unless it is FG_STATUS_SUCCESS.
  static Handle create(fg_status_t* status) noexcept {
    Handle handle(nullptr);
    *status = fg_create(&handle.handle_);
    return handle;
  }

  operator fg_handle_t() const noexcept { return handle_; }
  fg_handle_t get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  fg_handle_t release() noexcept { return std::exchange(handle_, nullptr); }
  void reset(fg_handle_t owned = nullptr) noexcept {
    if (handle_ != nullptr) fg_destroy(handle_);
    handle_ = owned;
  }

 private:
  fg_handle_t handle_ = nullptr;
};

// A descriptor that starts as fg_gemm_desc_init leaves it.
struct GemmDesc : fg_gemm_desc {
  GemmDesc() noexcept : fg_gemm_desc() { fg_gemm_desc_init(this); }
};

[[nodiscard]] inline fg_status_t gemm(fg_handle_t handle, const fg_gemm_desc& desc) noexcept {
  return fg_gemm_ex(handle, &desc);
}

[[nodiscard]] inline fg_status_t gemm(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, std::int64_t m,
                                      std::int64_t n, std::int64_t k, const float* alpha, const float* A,
                                      std::int64_t lda, const float* B, std::int64_t ldb, const float* beta, float* C,
                                      std::int64_t ldc) noexcept {
  return fg_sgemm_64(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

[[nodiscard]] inline fg_status_t gemm_strided_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                                      std::int64_t m, std::int64_t n, std::int64_t k,
                                                      const float* alpha, const float* A, std::int64_t lda,
                                                      std::int64_t strideA, const float* B, std::int64_t ldb,
                                                      std::int64_t strideB, const float* beta, float* C,
                                                      std::int64_t ldc, std::int64_t strideC,
                                                      std::int64_t batch_count) noexcept {
  return fg_sgemm_strided_batched_64(handle, transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb, strideB, beta, C,
                                     ldc, strideC, batch_count);
}

[[nodiscard]] inline fg_status_t gemm_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                              std::int64_t m, std::int64_t n, std::int64_t k, const float* alpha,
                                              const float* const A[], std::int64_t lda, const float* const B[],
                                              std::int64_t ldb, const float* beta, float* const C[], std::int64_t ldc,
                                              std::int64_t batch_count) noexcept {
  return fg_sgemm_batched_64(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch_count);
}

[[nodiscard]] inline fg_status_t gemm(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, std::int64_t m,
                                      std::int64_t n, std::int64_t k, const fg_half* alpha, const fg_half* A,
                                      std::int64_t lda, const fg_half* B, std::int64_t ldb, const fg_half* beta,
                                      fg_half* C, std::int64_t ldc) noexcept {
  return fg_hgemm_64(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

[[nodiscard]] inline fg_status_t gemm_strided_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                                      std::int64_t m, std::int64_t n, std::int64_t k,
                                                      const fg_half* alpha, const fg_half* A, std::int64_t lda,
                                                      std::int64_t strideA, const fg_half* B, std::int64_t ldb,
                                                      std::int64_t strideB, const fg_half* beta, fg_half* C,
                                                      std::int64_t ldc, std::int64_t strideC,
                                                      std::int64_t batch_count) noexcept {
  return fg_hgemm_strided_batched_64(handle, transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb, strideB, beta, C,
                                     ldc, strideC, batch_count);
}

[[nodiscard]] inline fg_status_t gemm_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                              std::int64_t m, std::int64_t n, std::int64_t k, const fg_half* alpha,
                                              const fg_half* const A[], std::int64_t lda, const fg_half* const B[],
                                              std::int64_t ldb, const fg_half* beta, fg_half* const C[],
                                              std::int64_t ldc, std::int64_t batch_count) noexcept {
  return fg_hgemm_batched_64(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch_count);
}

#if defined(FG_HAS_CUDA_FP16)
static_assert(sizeof(__half) == sizeof(fg_half) && alignof(__half) == alignof(fg_half), "one is passed for the other");

[[nodiscard]] inline fg_status_t gemm(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, std::int64_t m,
                                      std::int64_t n, std::int64_t k, const __half* alpha, const __half* A,
                                      std::int64_t lda, const __half* B, std::int64_t ldb, const __half* beta,
                                      __half* C, std::int64_t ldc) noexcept {
  return fg_hgemm_64(handle, transa, transb, m, n, k, reinterpret_cast<const fg_half*>(alpha),
                     reinterpret_cast<const fg_half*>(A), lda, reinterpret_cast<const fg_half*>(B), ldb,
                     reinterpret_cast<const fg_half*>(beta), reinterpret_cast<fg_half*>(C), ldc);
}

[[nodiscard]] inline fg_status_t gemm_strided_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                                      std::int64_t m, std::int64_t n, std::int64_t k,
                                                      const __half* alpha, const __half* A, std::int64_t lda,
                                                      std::int64_t strideA, const __half* B, std::int64_t ldb,
                                                      std::int64_t strideB, const __half* beta, __half* C,
                                                      std::int64_t ldc, std::int64_t strideC,
                                                      std::int64_t batch_count) noexcept {
  return fg_hgemm_strided_batched_64(handle, transa, transb, m, n, k, reinterpret_cast<const fg_half*>(alpha),
                                     reinterpret_cast<const fg_half*>(A), lda, strideA,
                                     reinterpret_cast<const fg_half*>(B), ldb, strideB,
                                     reinterpret_cast<const fg_half*>(beta), reinterpret_cast<fg_half*>(C), ldc,
                                     strideC, batch_count);
}

[[nodiscard]] inline fg_status_t gemm_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                              std::int64_t m, std::int64_t n, std::int64_t k, const __half* alpha,
                                              const __half* const A[], std::int64_t lda, const __half* const B[],
                                              std::int64_t ldb, const __half* beta, __half* const C[],
                                              std::int64_t ldc, std::int64_t batch_count) noexcept {
  return fg_hgemm_batched_64(handle, transa, transb, m, n, k, reinterpret_cast<const fg_half*>(alpha),
                             reinterpret_cast<const fg_half* const*>(A), lda,
                             reinterpret_cast<const fg_half* const*>(B), ldb, reinterpret_cast<const fg_half*>(beta),
                             reinterpret_cast<fg_half* const*>(C), ldc, batch_count);
}
#endif  // FG_HAS_CUDA_FP16

}  // namespace fg

#endif  // FASTGEMM_FASTGEMM_HPP
