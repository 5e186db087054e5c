// Plays libcublasLt with four heuristics: the first fails, the third is fastest with 2 ms of the fake clock.
#include <cublasLt.h>

#include <cstring>

#include "tests/cli/fake/fake_gpu.h"
#include "tests/cli/fake/host_product.h"

#define FG_FAKE_API extern "C" __attribute__((visibility("default")))

namespace {

struct Desc {
  bool transposed_a = false;
  bool transposed_b = false;
};
struct Layout {
  cudaDataType type;
  std::int64_t rows, columns, ld;
};

constexpr int kHeuristics = 4;
constexpr double kMs[kHeuristics] = {0.5, 2.5, 2.0, 9.0};

Desc& desc_of(cublasLtMatmulDesc_t desc) { return *reinterpret_cast<Desc*>(desc); }
const Layout& layout_of(cublasLtMatrixLayout_t layout) { return *reinterpret_cast<const Layout*>(layout); }

}  // namespace

FG_FAKE_API cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<char*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t, cudaDataType_t) {
  *desc = reinterpret_cast<cublasLtMatmulDesc_t>(new Desc);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete &desc_of(desc);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                                          cublasLtMatmulDescAttributes_t attribute, const void* value,
                                                          size_t) {
  const bool transposed = *static_cast<const cublasOperation_t*>(value) != CUBLAS_OP_N;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) desc_of(desc).transposed_a = transposed;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) desc_of(desc).transposed_b = transposed;
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                                      uint64_t columns, int64_t ld) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), ld});
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete &layout_of(layout);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete reinterpret_cast<char*>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
FG_FAKE_API cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                                cublasLtMatmulPreferenceAttributes_t, const void*,
                                                                size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

FG_FAKE_API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                                          cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                          cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                          cublasLtMatmulPreference_t, int wanted,
                                                          cublasLtMatmulHeuristicResult_t results[], int* found) {
  *found = wanted < kHeuristics ? wanted : kHeuristics;
  for (int i = 0; i < *found; ++i) {
    results[i] = {};
    results[i].algo.data[0] = static_cast<std::uint64_t>(i);
    results[i].state = i == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}

FG_FAKE_API cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void* alpha, const void* a,
                                          cublasLtMatrixLayout_t layout_a, const void* b,
                                          cublasLtMatrixLayout_t layout_b, const void* beta, const void*,
                                          cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t layout_d,
                                          const cublasLtMatmulAlgo_t* algo, void*, size_t, cudaStream_t) {
  fake_gpu_advance(kMs[algo->data[0]]);
  const Layout& of_a = layout_of(layout_a);
  const Layout& of_d = layout_of(layout_d);
  const bool transposed_a = desc_of(desc).transposed_a;
  fastgemm::test::multiply({of_a.type == CUDA_R_16F, transposed_a, desc_of(desc).transposed_b, of_d.rows, of_d.columns,
                            transposed_a ? of_a.rows : of_a.columns, *static_cast<const float*>(alpha),
                            *static_cast<const float*>(beta), a, of_a.ld, b, layout_of(layout_b).ld, d, of_d.ld});
  return CUBLAS_STATUS_SUCCESS;
}
