// cublasLtMatmul, and descriptors that keep what they are told. They answer for attributes as cublasLt does: its
// defaults where nothing was set, and INVALID_VALUE for a buffer of another size than the attribute's.
#include <cstring>
#include <map>

#include "tests/cublas_hook/fake_cublas.h"

namespace {

FakeCublas state;

using Attributes = std::map<int, std::vector<unsigned char>>;
struct Descriptor {
  Attributes attributes;
};

template <class Value>
std::vector<unsigned char> bytes_of(Value value) {
  std::vector<unsigned char> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

Attributes matmul_defaults(cublasComputeType_t compute_type, cudaDataType_t scale_type) {
  Attributes all;
  all[CUBLASLT_MATMUL_DESC_COMPUTE_TYPE] = bytes_of(static_cast<std::int32_t>(compute_type));
  all[CUBLASLT_MATMUL_DESC_SCALE_TYPE] = bytes_of(static_cast<std::int32_t>(scale_type));
  all[CUBLASLT_MATMUL_DESC_EPILOGUE] = bytes_of(std::uint32_t{CUBLASLT_EPILOGUE_DEFAULT});
  all[CUBLASLT_MATMUL_DESC_FILL_MODE] = bytes_of(std::int32_t{CUBLAS_FILL_MODE_FULL});
  all[CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE] = bytes_of(std::int32_t{-1});
  for (const int name : {CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB,
                         CUBLASLT_MATMUL_DESC_TRANSC, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET}) {
    all[name] = bytes_of(std::int32_t{0});
  }
  for (const int name : {CUBLASLT_MATMUL_DESC_BIAS_POINTER, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE,
                         CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                         CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER,
                         CUBLASLT_MATMUL_DESC_AMAX_D_POINTER}) {
    all[name] = bytes_of(std::int64_t{0});
  }
  return all;
}

Attributes layout_defaults(cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
  Attributes all;
  all[CUBLASLT_MATRIX_LAYOUT_TYPE] = bytes_of(static_cast<std::int32_t>(type));
  all[CUBLASLT_MATRIX_LAYOUT_ORDER] = bytes_of(std::int32_t{CUBLASLT_ORDER_COL});
  all[CUBLASLT_MATRIX_LAYOUT_ROWS] = bytes_of(rows);
  all[CUBLASLT_MATRIX_LAYOUT_COLS] = bytes_of(columns);
  all[CUBLASLT_MATRIX_LAYOUT_LD] = bytes_of(ld);
  all[CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT] = bytes_of(std::int32_t{1});
  all[CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET] = bytes_of(std::int64_t{0});
  return all;
}

template <class Handle>
Attributes& attributes_of(Handle handle) {
  return reinterpret_cast<Descriptor*>(handle)->attributes;
}

cublasStatus_t get(const Attributes& all, int name, void* buffer, size_t size, size_t* written) {
  const auto found = all.find(name);
  if (found == all.end() || found->second.size() != size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(buffer, found->second.data(), size);
  if (written != nullptr) *written = size;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set(Attributes* all, int name, const void* buffer, size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(buffer);
  (*all)[name].assign(bytes, bytes + size);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

FakeCublas* fake_cublas_lt() { return &state; }

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha, const void* A,
                              cublasLtMatrixLayout_t layoutA, const void* B, cublasLtMatrixLayout_t layoutB,
                              const void* beta, const void* C, cublasLtMatrixLayout_t layoutC, void* D,
                              cublasLtMatrixLayout_t layoutD, const cublasLtMatmulAlgo_t* algo, void* workspace,
                              size_t workspaceBytes, cudaStream_t stream) {
  return write_down(&state, __func__, handle, desc, alpha, A, layoutA, B, layoutB, beta, C, layoutC, D, layoutD, algo,
                    workspace, workspaceBytes, stream);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute_type,
                                        cudaDataType_t scale_type) {
  *desc = reinterpret_cast<cublasLtMatmulDesc_t>(new Descriptor{matmul_defaults(compute_type, scale_type)});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete reinterpret_cast<Descriptor*>(desc);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t name,
                                              const void* buffer, size_t size) {
  return set(&attributes_of(desc), name, buffer, size);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t name,
                                              void* buffer, size_t size, size_t* written) {
  return get(attributes_of(desc), name, buffer, size, written);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Descriptor{layout_defaults(type, rows, columns, ld)});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete reinterpret_cast<Descriptor*>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t name,
                                                const void* buffer, size_t size) {
  return set(&attributes_of(layout), name, buffer, size);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t name,
                                                void* buffer, size_t size, size_t* written) {
  return get(attributes_of(layout), name, buffer, size, written);
}

}  // extern "C"
