// A library with a libcublas of its own.
#include "tests/cublas_hook/fake_cublas.h"

// 0 where a product did not reach the libcublas that this library is linked to.
extern "C" int plugin_multiplies() {
  const float one = 1.0f;
  float c = 0.0f;
  const std::size_t before = fake_cublas()->calls.size();
  const auto handle = reinterpret_cast<cublasHandle_t>(std::uintptr_t{0x4000});
  const cublasStatus_t status =
      cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &one, 1, &one, 1, &one, &c, 1);
  return status == CUBLAS_STATUS_SUCCESS && fake_cublas()->calls.size() == before + 1 ? 1 : 0;
}
