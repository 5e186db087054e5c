// A stand-in for libcublas: records every call, fails where told to, and multiplies on the host where asked.
#pragma once

#include <cublas_v2.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fastgemm::test {

// What the handle was set to when a function was called, and what it was called with.
struct FakeCublasCall {
  std::string_view function;  // a literal
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  bool workspace_reset = true;  // set_stream came after the last set_workspace, or neither came
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
  std::int64_t m = 0, n = 0, k = 0;
  float alpha = 0.0f, beta = 0.0f;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  cudaDataType_t type_a = CUDA_R_32F, type_b = CUDA_R_32F, type_c = CUDA_R_32F;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  std::int64_t batch = 1;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};

struct FakeCublas {
  std::vector<FakeCublasCall> calls;
  std::string fail_function;  // the entry point that fails, with fail_status
  cublasStatus_t fail_status = CUBLAS_STATUS_SUCCESS;
  int handles = 0;            // made and not destroyed
  int overlaps = 0;           // set_stream while another thread was between its own and the end of its product
  bool multiplies = false;    // operands are host memory: compute the product
  int products = 0;           // that succeeded under `intercept`
  // Asked before every call, where set, instead of recording it: the status to answer.
  cublasStatus_t (*intercept)(const char* function) = nullptr;
};

}  // namespace fastgemm::test

// The library's one state, found by dlsym.
extern "C" __attribute__((visibility("default"))) fastgemm::test::FakeCublas* fake_cublas();
