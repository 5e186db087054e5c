// Sizes are small but for what makes a difference on the host: alignment, batches, panels. No address is followed.
#include "tests/faults/scenarios.h"

#include <cstdint>

namespace fastgemm::test {
namespace {

constexpr float kTwo = 2.0f, kHalf = 0.5f, kZero = 0.0f;
constexpr fg_half kHalfTwo = {0x4000}, kHalfHalf = {0x3800};

template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

fg_stream_t stream(int number) { return at<CUstream_st>(0x5000u + 16u * static_cast<unsigned>(number)); }

// ---- life of a handle ----

fg_status_t create(Session& s) { return fg_create(&s.handle); }
fg_status_t destroy(Session& s) { return fg_destroy(s.handle); }
fg_status_t second_stream(Session& s) { return fg_set_stream(s.handle, stream(1)); }
fg_status_t lend_workspace(Session& s) { return fg_set_workspace(s.handle, at<void>(0x100000), 1 << 20); }
fg_status_t return_workspace(Session& s) { return fg_set_workspace(s.handle, nullptr, 0); }
fg_status_t force_cublas(Session& s) { return fg_set_kernel(s.handle, "cublas"); }
fg_status_t stream_under_lent_workspace(Session& s) { return fg_set_stream(s.handle, stream(2)); }

// ---- products ----

fg_status_t sgemm(Session& s) {
  return fg_sgemm(s.handle, FG_OP_N, FG_OP_N, 300, 200, 100, &kTwo, at<float>(0x10000), 300, at<float>(0x20000), 100,
                  &kHalf, at<float>(0x30000), 300);
}
fg_status_t large_sgemm(Session& s, fg_operation_t transa, fg_operation_t transb) {
  return fg_sgemm(s.handle, transa, transb, 4096, 4096, 4096, &kTwo, at<float>(0x10000), 4096, at<float>(0x20000),
                  4096, &kHalf, at<float>(0x30000), 4096);
}
fg_status_t tensor_sgemm(Session& s, int m, int n) {
  fg_status_t status = fg_set_math_mode(s.handle, FG_MATH_FP32_TENSOR);
  if (status != FG_STATUS_SUCCESS) return status;
  status = fg_sgemm(s.handle, FG_OP_N, FG_OP_T, m, n, 300, &kTwo, at<float>(0x10000), m, at<float>(0x20000), n, &kHalf,
                    at<float>(0x30000), m);
  const bool told = status != FG_STATUS_SUCCESS && status != FG_STATUS_NOT_SUPPORTED;  // the next call would untell it
  return told || fg_set_math_mode(s.handle, FG_MATH_DEFAULT) == FG_STATUS_SUCCESS ? status : FG_STATUS_INTERNAL_ERROR;
}
fg_status_t thin_sgemm(Session& s, int m, int n) {
  return fg_sgemm(s.handle, FG_OP_N, FG_OP_N, m, n, 100, &kTwo, at<float>(0x10000), m, at<float>(0x20000), 100, &kHalf,
                  at<float>(0x30000), m);
}
fg_status_t thin_hgemm(Session& s, int m, int n) {
  return fg_hgemm(s.handle, FG_OP_N, FG_OP_N, m, n, 100, &kHalfTwo, at<fg_half>(0x10000), m, at<fg_half>(0x20000), 100,
                  &kHalfHalf, at<fg_half>(0x30000), m);
}
fg_status_t plain_hgemm(Session& s, int m, int n) {  // beta 0, all in whole chunks of 16 bytes
  constexpr fg_half kZero = {0};
  return fg_hgemm(s.handle, FG_OP_N, FG_OP_N, m, n, 128, &kHalfTwo, at<fg_half>(0x10000), m, at<fg_half>(0x20000), 128,
                  &kZero, at<fg_half>(0x30000), m);
}
fg_status_t sgemm_odd(Session& s) {
  return fg_sgemm_64(s.handle, FG_OP_T, FG_OP_C, 33, 17, 9, &kTwo, at<float>(0x10004), 9, at<float>(0x20004), 17,
                     &kHalf, at<float>(0x30004), 33);
}
fg_status_t hgemm(Session& s) {
  return fg_hgemm(s.handle, FG_OP_N, FG_OP_T, 256, 256, 64, &kHalfTwo, at<fg_half>(0x10000), 256,
                  at<fg_half>(0x20000), 256, &kHalfHalf, at<fg_half>(0x30000), 256);
}
fg_status_t hgemm_odd(Session& s) {
  return fg_hgemm(s.handle, FG_OP_T, FG_OP_N, 31, 33, 65, &kHalfTwo, at<fg_half>(0x10002), 65, at<fg_half>(0x20002),
                  65, &kHalfHalf, at<fg_half>(0x30002), 31);
}
fg_status_t strided(Session& s) {
  return fg_sgemm_strided_batched(s.handle, FG_OP_N, FG_OP_N, 40, 30, 20, &kTwo, at<float>(0x10000), 40, 800,
                                  at<float>(0x20000), 20, 0, &kHalf, at<float>(0x30000), 40, 1200, 5);
}
fg_status_t pointers(Session& s) {
  return fg_hgemm_batched(s.handle, FG_OP_N, FG_OP_N, 40, 30, 20, &kHalfTwo, at<fg_half*>(0x10000), 40,
                          at<fg_half*>(0x20000), 20, &kHalfHalf, at<fg_half*>(0x30000), 40, 5);
}
fg_status_t no_inner_size(Session& s) {
  return fg_sgemm(s.handle, FG_OP_N, FG_OP_N, 40, 30, 0, &kTwo, nullptr, 40, nullptr, 1, &kHalf, at<float>(0x30000), 40);
}
fg_status_t nothing(Session& s) {
  return fg_sgemm(s.handle, FG_OP_N, FG_OP_N, 0, 30, 20, nullptr, nullptr, 1, nullptr, 20, nullptr, nullptr, 1);
}

// The launch of every kernel there is, on a product that it takes.
fg_status_t every_kernel(Session& s) {
  // A failure may have left another mode.
  if (const fg_status_t status = fg_set_math_mode(s.handle, FG_MATH_DEFAULT); status != FG_STATUS_SUCCESS) return status;
  for (int i = 0; fg_kernel_name(i) != nullptr; ++i) {
    fg_status_t status = fg_set_kernel(s.handle, fg_kernel_name(i));
    if (status == FG_STATUS_ARCH_MISMATCH) continue;
    if (status == FG_STATUS_SUCCESS) status = FG_STATUS_NOT_SUPPORTED;
    for (const fg_operation_t transa : {FG_OP_N, FG_OP_T}) {  // some take only certain layouts
      for (const fg_operation_t transb : {FG_OP_N, FG_OP_T}) {
        if (status == FG_STATUS_NOT_SUPPORTED) status = large_sgemm(s, transa, transb);
      }
    }
    if (status == FG_STATUS_NOT_SUPPORTED) status = tensor_sgemm(s, 300, 200);  // some, only in their own mode
    if (status == FG_STATUS_NOT_SUPPORTED) status = tensor_sgemm(s, 4096, 2048);
    if (status == FG_STATUS_NOT_SUPPORTED) status = hgemm(s);
    if (status == FG_STATUS_NOT_SUPPORTED) status = plain_hgemm(s, 256, 16);  // some, only plain or thin aligned ones
    if (status == FG_STATUS_NOT_SUPPORTED) status = plain_hgemm(s, 16, 256);
    for (const int side : {1, 8}) {  // some, only products with a short side
      if (status == FG_STATUS_NOT_SUPPORTED) status = thin_sgemm(s, 1000, side);
      if (status == FG_STATUS_NOT_SUPPORTED) status = thin_sgemm(s, side, 1000);
      if (status == FG_STATUS_NOT_SUPPORTED) status = thin_hgemm(s, 1000, side);
      if (status == FG_STATUS_NOT_SUPPORTED) status = thin_hgemm(s, side, 1000);
    }
    if (status != FG_STATUS_SUCCESS) return status;
  }
  return fg_set_kernel(s.handle, nullptr);
}

fg_gemm_desc descriptor(fg_data_type_t ab, fg_data_type_t cd) {
  fg_gemm_desc desc;
  fg_gemm_desc_init(&desc);
  desc.type_ab = ab;
  desc.type_cd = cd;
  desc.m = 700;
  desc.n = 600;
  desc.k = 50;
  desc.alpha = &kTwo;
  desc.beta = &kHalf;
  desc.A = at<void>(0x10000);
  desc.B = at<void>(0x20000);
  desc.C = at<void>(0x30000);
  desc.D = at<void>(0x40000);
  desc.lda = desc.ldc = desc.ldd = 700;
  desc.ldb = 50;
  return desc;
}

fg_status_t d_apart(Session& s) {
  const fg_gemm_desc desc = descriptor(FG_R_32F, FG_R_32F);
  return fg_gemm_ex(s.handle, &desc);
}
fg_status_t relu_in_place(Session& s) {
  fg_gemm_desc desc = descriptor(FG_R_16F, FG_R_32F);
  desc.D = nullptr;
  desc.ldd = 0;
  desc.bias = at<void>(0x50000);
  desc.activation = FG_ACTIVATION_RELU;
  return fg_gemm_ex(s.handle, &desc);
}
fg_status_t gelu_in_panels(Session& s) {  // its FP32 product of 1.7 MB does not fit 1 MiB
  fg_gemm_desc desc = descriptor(FG_R_16F, FG_R_16F);
  desc.bias = at<void>(0x50000);
  desc.activation = FG_ACTIVATION_GELU;
  return fg_gemm_ex(s.handle, &desc);
}
fg_status_t tf32(Session& s) {
  fg_gemm_desc desc = descriptor(FG_R_32F, FG_R_32F);
  desc.beta = &kZero;
  desc.use_handle_math_mode = 0;
  desc.math_mode = FG_MATH_TF32;
  return fg_gemm_ex(s.handle, &desc);
}

// ---- questions ----

fg_status_t explain(Session& s) {
  const fg_gemm_desc desc = descriptor(FG_R_32F, FG_R_32F);
  char text[200];
  return fg_explain(s.handle, &desc, text, sizeof text);
}
fg_status_t workspace_size(Session& s) {
  const fg_gemm_desc desc = descriptor(FG_R_16F, FG_R_16F);
  size_t bytes = 0;
  return fg_get_workspace_size(s.handle, &desc, &bytes);
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {.name = "our kernels on compute capability 9.0",
       .steps = {{"create", create}, {"sgemm", sgemm}, {"sgemm, odd", sgemm_odd}, {"hgemm", hgemm},
                 {"hgemm, odd", hgemm_odd}, {"strided batch", strided}, {"pointer batch", pointers},
                 {"k = 0", no_inner_size}, {"m = 0", nothing}, {"D apart", d_apart}, {"gelu", gelu_in_panels},
                 {"TF32", tf32}, {"every kernel", every_kernel}, {"explain", explain},
                 {"workspace size", workspace_size}, {"destroy", destroy}}},
      {.name = "our kernels on compute capability 7.5",
       .compute_capability = 75,
       .steps = {{"create", create}, {"sgemm", sgemm}, {"hgemm", hgemm}, {"hgemm, odd", hgemm_odd},
                 {"every kernel", every_kernel}, {"destroy", destroy}}},
      {.name = "cuBLAS forced",
       .environment = {{"FASTGEMM_LOG", "trace"}, {"FASTGEMM_LOG_FILE", "/dev/null"}},
       .first_armed = 1,
       .steps = {{"create", create}, {"force cuBLAS", force_cublas}, {"sgemm", sgemm}, {"sgemm, odd", sgemm_odd},
                 {"hgemm", hgemm}, {"strided batch", strided}, {"pointer batch", pointers}, {"k = 0", no_inner_size},
                 {"D apart", d_apart}, {"relu in place", relu_in_place}, {"lend workspace", lend_workspace},
                 {"gelu in panels", gelu_in_panels}, {"TF32", tf32}, {"destroy", destroy}}},
      {.name = "the handle's device is not current",
       .program_device = 1,
       .first_armed = 1,
       .steps = {{"create", create}, {"sgemm", sgemm}, {"hgemm", hgemm}, {"second stream", second_stream},
                 {"the same stream", second_stream}, {"sgemm", sgemm}, {"TF32", tf32},
                 {"lend workspace", lend_workspace}, {"stream under lent workspace", stream_under_lent_workspace},
                 {"return workspace", return_workspace}, {"sgemm", sgemm}, {"destroy", destroy}}},
      {.name = "two handles of which FASTGEMM_KERNEL names cuBLAS",
       .environment = {{"FASTGEMM_KERNEL", "cublas"}, {"FASTGEMM_MATH", "tf32"}},
       .first_armed = 2,
       .steps = {{"create", create}, {"destroy", destroy}, {"create", create}, {"sgemm", sgemm}, {"destroy", destroy}}},
      {.name = "the device is too old",
       .compute_capability = 70,
       .steps = {{"create", create, FG_STATUS_NOT_INITIALIZED}}},
      {.name = "there is no device", .device_count = 0, .steps = {{"create", create, FG_STATUS_NOT_INITIALIZED}}},
      {.name = "FASTGEMM_KERNEL names no kernel",
       .environment = {{"FASTGEMM_KERNEL", "no_such_kernel"}},
       .steps = {{"create", create, FG_STATUS_INVALID_VALUE}}},
  };
  return all;
}

}  // namespace fastgemm::test
