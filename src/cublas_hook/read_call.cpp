// Types and the caller's handle.
#include "src/cublas_hook/read_call.h"

#include <cstdlib>
#include <string_view>

namespace fastgemm::hook {
namespace {

bool read_type(cudaDataType_t type, DataType* to) {
  const int value = raw_enum(type);
  *to = value == CUDA_R_16F ? DataType::kFloat16 : DataType::kFloat32;
  return value == CUDA_R_16F || value == CUDA_R_32F;
}

bool is_switched_on(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
}

}  // namespace

bool environment_allows_less() {
  static const bool allows = is_switched_on("NVIDIA_TF32_OVERRIDE") || is_switched_on("CUBLAS_EMULATE_SINGLE_PRECISION");
  return allows;
}

bool read_types(cudaDataType_t type_a, cudaDataType_t type_b, cudaDataType_t type_c, GemmArguments* to) {
  if (raw_enum(type_a) != raw_enum(type_b)) return false;
  if (!read_type(type_a, &to->type_ab) || !read_type(type_c, &to->type_cd)) return false;
  return to->type_ab == DataType::kFloat16 || to->type_cd == DataType::kFloat32;
}

bool is_plain_fp32(cublasComputeType_t compute_type) {
  const int value = raw_enum(compute_type);
  return value == CUBLAS_COMPUTE_32F || value == CUBLAS_COMPUTE_32F_PEDANTIC;
}

// Others name kernels of cuBLAS, or ask it to measure.
bool is_default(cublasGemmAlgo_t algorithm) {
  const int value = raw_enum(algorithm);
  return value == CUBLAS_GEMM_DEFAULT || value == CUBLAS_GEMM_DEFAULT_TENSOR_OP;
}

bool read_handle(const Target& target, cublasHandle_t handle, Offer* offer) {
  if (target.get_stream == nullptr || target.get_pointer_mode == nullptr || target.get_math_mode == nullptr ||
      target.get_sm_count_target == nullptr) {
    return false;
  }
  if (offer->arguments.type_ab == DataType::kFloat32) {
    if (environment_allows_less()) return false;
    cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
    if (target.get_math_mode(handle, &math_mode) != CUBLAS_STATUS_SUCCESS) return false;
    // Not a choice between FP32 and less: no reductions in FP16, which ours never do.
    const int mode = raw_enum(math_mode) & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    if (mode != CUBLAS_DEFAULT_MATH && mode != CUBLAS_PEDANTIC_MATH) return false;
  }
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  if (target.get_stream(handle, &offer->stream) != CUBLAS_STATUS_SUCCESS) return false;
  if (target.get_pointer_mode(handle, &pointer_mode) != CUBLAS_STATUS_SUCCESS) return false;
  if (target.get_sm_count_target(handle, &offer->sm_count_target) != CUBLAS_STATUS_SUCCESS) return false;
  const int mode = raw_enum(pointer_mode);
  offer->arguments.pointer_mode = mode == CUBLAS_POINTER_MODE_DEVICE ? FG_POINTER_MODE_DEVICE : FG_POINTER_MODE_HOST;
  return mode == CUBLAS_POINTER_MODE_DEVICE || mode == CUBLAS_POINTER_MODE_HOST;
}

}  // namespace fastgemm::hook
