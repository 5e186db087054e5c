#include "tests/exec/fake_cublas.h"

#include <atomic>
#include <thread>

#include "tests/emulation/engine/half.h"

#define FG_FAKE_API extern "C" __attribute__((visibility("default")))

namespace {

using fastgemm::test::FakeCublas;
using fastgemm::test::FakeCublasCall;

FakeCublas state;
FakeCublasCall settings;  // of the one handle

std::atomic<bool> in_use{false};  // from set_stream to the end of a product

cublasStatus_t record(const FakeCublasCall& call) {
  if (state.intercept != nullptr) {
    const cublasStatus_t status = state.intercept(call.function.data());
    if (status == CUBLAS_STATUS_SUCCESS && call.m > 0) ++state.products;
    return status;
  }
  state.calls.push_back(call);
  return call.function == state.fail_function ? state.fail_status : CUBLAS_STATUS_SUCCESS;
}

FakeCublasCall with_settings(const char* function) {
  FakeCublasCall call = settings;
  call.function = function;
  return call;
}

float load(const void* data, cudaDataType_t type, std::int64_t at) {
  if (type == CUDA_R_32F) return static_cast<const float*>(data)[at];
  return fastgemm::emulation::float_from_half(static_cast<const std::uint16_t*>(data)[at]);
}

void store(void* data, cudaDataType_t type, std::int64_t at, float value) {
  if (type == CUDA_R_32F) {
    static_cast<float*>(data)[at] = value;
  } else {
    static_cast<std::uint16_t*>(data)[at] = fastgemm::emulation::half_from_float(value);
  }
}

// C := alpha op(A) op(B) + beta C; like cuBLAS, C is not read when beta is 0, nor A and B when k is 0.
void multiply(const FakeCublasCall& p, const void* a, const void* b, void* c, std::int64_t batch) {
  for (std::int64_t column = 0; column < p.n; ++column) {
    for (std::int64_t row = 0; row < p.m; ++row) {
      float sum = 0.0f;
      for (std::int64_t i = 0; i < p.k; ++i) {
        const std::int64_t at_a = p.op_a == CUBLAS_OP_N ? row + i * p.lda : i + row * p.lda;
        const std::int64_t at_b = p.op_b == CUBLAS_OP_N ? i + column * p.ldb : column + i * p.ldb;
        sum += load(a, p.type_a, at_a + batch * p.stride_a) * load(b, p.type_b, at_b + batch * p.stride_b);
      }
      const std::int64_t at_c = row + column * p.ldc + batch * p.stride_c;
      const float former = p.beta != 0.0f ? p.beta * load(c, p.type_c, at_c) : 0.0f;
      store(c, p.type_c, at_c, p.alpha * sum + former);
    }
  }
}

}  // namespace

FakeCublas* fake_cublas() { return &state; }

FG_FAKE_API cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  settings = {};
  in_use = false;
  const cublasStatus_t status = record(with_settings("cublasCreate_v2"));
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  ++state.handles;
  *handle = reinterpret_cast<cublasHandle_t>(&state);
  return CUBLAS_STATUS_SUCCESS;
}

FG_FAKE_API cublasStatus_t cublasDestroy_v2(cublasHandle_t) {
  --state.handles;
  return record(with_settings("cublasDestroy_v2"));
}

FG_FAKE_API cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (state.intercept != nullptr) {
    const cublasStatus_t status = state.intercept("cublasGetVersion_v2");
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  *version = 130199;
  return CUBLAS_STATUS_SUCCESS;
}

FG_FAKE_API cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t stream) {
  if (in_use.exchange(true)) ++state.overlaps;
  settings.stream = stream;
  settings.workspace = nullptr;
  settings.workspace_bytes = 0;
  settings.workspace_reset = true;
  return record(with_settings("cublasSetStream_v2"));
}

FG_FAKE_API cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void* workspace, size_t bytes) {
  settings.workspace = workspace;
  settings.workspace_bytes = bytes;
  settings.workspace_reset = false;
  std::this_thread::yield();  // where calls are not kept apart, another one comes between
  return record(with_settings("cublasSetWorkspace_v2"));
}

FG_FAKE_API cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t mode) {
  settings.math_mode = mode;
  return record(with_settings("cublasSetMathMode"));
}

FG_FAKE_API cublasStatus_t cublasGemmEx_64(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b,
                                               int64_t m, int64_t n, int64_t k, const void* alpha, const void* a,
                                               cudaDataType type_a, int64_t lda, const void* b, cudaDataType type_b,
                                               int64_t ldb, const void* beta, void* c, cudaDataType type_c, int64_t ldc,
                                               cublasComputeType_t compute, cublasGemmAlgo_t) {
  FakeCublasCall call = with_settings("cublasGemmEx_64");
  call.op_a = op_a, call.op_b = op_b, call.m = m, call.n = n, call.k = k;
  call.alpha = *static_cast<const float*>(alpha), call.beta = *static_cast<const float*>(beta);
  call.a = a, call.b = b, call.c = c, call.lda = lda, call.ldb = ldb, call.ldc = ldc;
  call.type_a = type_a, call.type_b = type_b, call.type_c = type_c, call.compute = compute;
  if (state.multiplies) multiply(call, a, b, c, 0);
  const cublasStatus_t status = record(call);
  in_use = false;
  return status;
}

FG_FAKE_API cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, cudaDataType type_a, int64_t lda, long long int stride_a, const void* b, cudaDataType type_b,
    int64_t ldb, long long int stride_b, const void* beta, void* c, cudaDataType type_c, int64_t ldc,
    long long int stride_c, int64_t batch, cublasComputeType_t compute, cublasGemmAlgo_t) {
  FakeCublasCall call = with_settings("cublasGemmStridedBatchedEx_64");
  call.op_a = op_a, call.op_b = op_b, call.m = m, call.n = n, call.k = k, call.batch = batch;
  call.alpha = *static_cast<const float*>(alpha), call.beta = *static_cast<const float*>(beta);
  call.a = a, call.b = b, call.c = c, call.lda = lda, call.ldb = ldb, call.ldc = ldc;
  call.stride_a = stride_a, call.stride_b = stride_b, call.stride_c = stride_c;
  call.type_a = type_a, call.type_b = type_b, call.type_c = type_c, call.compute = compute;
  for (int64_t entry = 0; state.multiplies && entry < batch; ++entry) multiply(call, a, b, c, entry);
  return record(call);
}

FG_FAKE_API cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b,
                                                      int64_t m, int64_t n, int64_t k, const void* alpha,
                                                      const void* const a[], cudaDataType type_a, int64_t lda,
                                                      const void* const b[], cudaDataType type_b, int64_t ldb,
                                                      const void* beta, void* const c[], cudaDataType type_c,
                                                      int64_t ldc, int64_t batch, cublasComputeType_t compute,
                                                      cublasGemmAlgo_t) {
  FakeCublasCall call = with_settings("cublasGemmBatchedEx_64");
  call.op_a = op_a, call.op_b = op_b, call.m = m, call.n = n, call.k = k, call.batch = batch;
  call.alpha = *static_cast<const float*>(alpha), call.beta = *static_cast<const float*>(beta);
  call.a = a, call.b = b, call.c = const_cast<void**>(c), call.lda = lda, call.ldb = ldb, call.ldc = ldc;
  call.type_a = type_a, call.type_b = type_b, call.type_c = type_c, call.compute = compute;
  for (int64_t entry = 0; state.multiplies && entry < batch; ++entry) multiply(call, a[entry], b[entry], c[entry], 0);
  return record(call);
}
