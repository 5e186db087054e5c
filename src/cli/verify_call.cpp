// The call a case describes: each entry point of the public API, both types.
#include <cuda_fp16.h>

#include <cstring>

#include "src/cli/verify_layout.h"

namespace fastgemm::cli {
namespace {

fg_operation_t operation(char trans) {
  if (trans == 'N') return FG_OP_N;
  return trans == 'T' ? FG_OP_T : FG_OP_C;
}

template <class T>
struct Api;

template <>
struct Api<float> {
  static constexpr auto kGemm = fg_sgemm;
  static constexpr auto kGemm64 = fg_sgemm_64;
  static constexpr auto kStrided = fg_sgemm_strided_batched;
  static constexpr auto kStrided64 = fg_sgemm_strided_batched_64;
  static constexpr auto kPointer = fg_sgemm_batched;
  static constexpr auto kPointer64 = fg_sgemm_batched_64;
  static float host_scalar(float value) { return value; }
};

template <>
struct Api<fg_half> {
  static constexpr auto kGemm = fg_hgemm;
  static constexpr auto kGemm64 = fg_hgemm_64;
  static constexpr auto kStrided = fg_hgemm_strided_batched;
  static constexpr auto kStrided64 = fg_hgemm_strided_batched_64;
  static constexpr auto kPointer = fg_hgemm_batched;
  static constexpr auto kPointer64 = fg_hgemm_batched_64;
  static fg_half host_scalar(float value) {
    const __half rounded = __float2half(value);
    fg_half bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    return bits;
  }
};

// A and B as the call gets them: null where the case says so and they are not to be read.
const void* factor(const Case& c, const void* data) { return c.null_unread && !reads_product(c) ? nullptr : data; }

template <class T>
fg_status_t call_typed(fg_handle_t handle, const Case& c, const GemmProblem& p) {
  const T alpha_value = Api<T>::host_scalar(c.alpha);
  const T beta_value = Api<T>::host_scalar(c.beta);
  const T* alpha = c.device_scalars ? static_cast<const T*>(p.alpha.device) : &alpha_value;
  const T* beta = c.device_scalars ? static_cast<const T*>(p.beta.device) : &beta_value;
  const auto* a = static_cast<const T*>(factor(c, p.a.data));
  const auto* b = static_cast<const T*>(factor(c, p.b.data));
  auto* d = static_cast<T*>(p.d.data);
  const auto a_array = static_cast<const T* const*>(factor(c, p.a.pointers));
  const auto b_array = static_cast<const T* const*>(factor(c, p.b.pointers));
  const auto d_array = reinterpret_cast<T* const*>(p.d.pointers);
  const fg_operation_t ta = operation(c.trans_a);
  const fg_operation_t tb = operation(c.trans_b);
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  const int m = narrow(p.m), n = narrow(p.n), k = narrow(p.k), batch = narrow(p.batch_count);
  const int lda = narrow(p.a.ld), ldb = narrow(p.b.ld), ldd = narrow(p.d.ld);
  switch (c.entry) {
    case CallEntry::kGemm:
      return Api<T>::kGemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, d, ldd);
    case CallEntry::kGemm64:
      return Api<T>::kGemm64(handle, ta, tb, p.m, p.n, p.k, alpha, a, p.a.ld, b, p.b.ld, beta, d, p.d.ld);
    case CallEntry::kStrided:
      return Api<T>::kStrided(handle, ta, tb, m, n, k, alpha, a, lda, p.a.batch_stride, b, ldb, p.b.batch_stride, beta,
                              d, ldd, p.d.batch_stride, batch);
    case CallEntry::kStrided64:
      return Api<T>::kStrided64(handle, ta, tb, p.m, p.n, p.k, alpha, a, p.a.ld, p.a.batch_stride, b, p.b.ld,
                                p.b.batch_stride, beta, d, p.d.ld, p.d.batch_stride, p.batch_count);
    case CallEntry::kPointer:
      return Api<T>::kPointer(handle, ta, tb, m, n, k, alpha, a_array, lda, b_array, ldb, beta, d_array, ldd, batch);
    case CallEntry::kPointer64:
      return Api<T>::kPointer64(handle, ta, tb, p.m, p.n, p.k, alpha, a_array, p.a.ld, b_array, p.b.ld, beta, d_array,
                                p.d.ld, p.batch_count);
    case CallEntry::kEx:
      break;  // make_call's own
  }
  return FG_STATUS_INTERNAL_ERROR;
}

fg_data_type_t data_type(DataType type) { return type == DataType::kFloat32 ? FG_R_32F : FG_R_16F; }

fg_status_t call_ex(fg_handle_t handle, const Case& c, const GemmProblem& p) {
  fg_gemm_desc desc;
  fg_gemm_desc_init(&desc);
  desc.transa = operation(c.trans_a);
  desc.transb = operation(c.trans_b);
  desc.type_ab = data_type(c.type_ab);
  desc.type_cd = data_type(c.type_cd);
  desc.activation = c.activation;
  desc.m = p.m;
  desc.n = p.n;
  desc.k = p.k;
  desc.batch_count = p.batch_count;
  desc.alpha = c.device_scalars ? static_cast<const float*>(p.alpha.device) : &c.alpha;
  desc.beta = c.device_scalars ? static_cast<const float*>(p.beta.device) : &c.beta;
  desc.A = factor(c, p.a.data);
  desc.B = factor(c, p.b.data);
  desc.C = p.c.data;
  desc.D = c.separate_d ? p.d.data : nullptr;
  desc.lda = p.a.ld;
  desc.ldb = p.b.ld;
  desc.ldc = p.c.ld;
  desc.ldd = c.separate_d ? p.d.ld : 0;
  desc.stride_a = p.a.batch_stride;
  desc.stride_b = p.b.batch_stride;
  desc.stride_c = p.c.batch_stride;
  desc.stride_d = c.separate_d ? p.d.batch_stride : 0;
  desc.bias = p.bias;
  desc.stride_bias = p.bias_stride;
  return fg_gemm_ex(handle, &desc);
}

}  // namespace

fg_status_t make_call(fg_handle_t handle, const Case& c, const CaseLayout& layout) {
  fg_status_t status =
      fg_set_pointer_mode(handle, c.device_scalars ? FG_POINTER_MODE_DEVICE : FG_POINTER_MODE_HOST);
  if (status == FG_STATUS_SUCCESS) status = fg_set_math_mode(handle, c.math);
  if (status != FG_STATUS_SUCCESS) return status;
  if (c.entry == CallEntry::kEx) return call_ex(handle, c, layout.problem);
  if (c.type_ab == DataType::kFloat32) return call_typed<float>(handle, c, layout.problem);
  return call_typed<fg_half>(handle, c, layout.problem);
}

}  // namespace fastgemm::cli
