#include "tests/fuzz/fuzz_call.h"

#include <cstdlib>
#include <cstring>

#include "tests/api/entries.h"

namespace fastgemm::test {
namespace {

template <class Enum>
Enum enum_of(int value) {
  Enum result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

const void* scalar(const FuzzCall& x, bool null, std::uintptr_t device, const std::uint32_t& host) {
  if (x.pointer_mode == FG_POINTER_MODE_DEVICE) return pointer(device);
  return null ? nullptr : &host;
}

const EntryPoint& entry_of(const FuzzCall& x) {
  for (const EntryPoint& entry : entry_points()) {
    if (entry.half == x.half && entry.wide == x.wide && entry.strided == (x.form == Form::kStrided) &&
        entry.pointers == (x.form == Form::kPointers)) {
      return entry;
    }
  }
  std::abort();
}

}  // namespace

fg_gemm_desc descriptor_of(const FuzzCall& x) {
  fg_gemm_desc desc;
  fg_gemm_desc_init(&desc);
  desc.struct_size = x.struct_size;
  desc.transa = enum_of<fg_operation_t>(x.transa);
  desc.transb = enum_of<fg_operation_t>(x.transb);
  desc.type_ab = enum_of<fg_data_type_t>(x.type_ab);
  desc.type_cd = enum_of<fg_data_type_t>(x.type_cd);
  desc.math_mode = enum_of<fg_math_mode_t>(x.own_math_mode);
  desc.use_handle_math_mode = x.use_handle_math_mode;
  desc.activation = enum_of<fg_activation_t>(x.activation);
  desc.m = x.m, desc.n = x.n, desc.k = x.k, desc.batch_count = x.batch_count;
  desc.alpha = static_cast<const float*>(scalar(x, x.null_alpha, x.device_alpha, x.alpha_bits));
  desc.beta = static_cast<const float*>(scalar(x, x.null_beta, x.device_beta, x.beta_bits));
  desc.A = pointer(x.a), desc.B = pointer(x.b), desc.C = pointer(x.c), desc.D = pointer(x.d);
  desc.lda = x.lda, desc.ldb = x.ldb, desc.ldc = x.ldc, desc.ldd = x.ldd;
  desc.stride_a = x.stride_a, desc.stride_b = x.stride_b, desc.stride_c = x.stride_c, desc.stride_d = x.stride_d;
  desc.bias = pointer(x.bias);
  desc.stride_bias = x.stride_bias;
  return desc;
}

fg_status_t perform(const FuzzCall& x, fg_handle_t handle) {
  if (x.null_handle) handle = nullptr;
  if (x.form == Form::kDescriptor) {
    const fg_gemm_desc desc = descriptor_of(x);
    return fg_gemm_ex(handle, x.null_descriptor ? nullptr : &desc);
  }
  Call call;
  call.handle = handle;
  call.transa = enum_of<fg_operation_t>(x.transa);
  call.transb = enum_of<fg_operation_t>(x.transb);
  call.m = x.m, call.n = x.n, call.k = x.k;
  call.alpha = scalar(x, x.null_alpha, x.device_alpha, x.alpha_bits);
  call.A = pointer(x.a), call.lda = x.lda, call.strideA = x.stride_a;
  call.B = pointer(x.b), call.ldb = x.ldb, call.strideB = x.stride_b;
  call.beta = scalar(x, x.null_beta, x.device_beta, x.beta_bits);
  call.C = pointer(x.c), call.ldc = x.ldc, call.strideC = x.stride_c;
  call.batch_count = x.batch_count;
  return entry_of(x).call(call);
}

std::string text_of(const FuzzCall& x) {
  std::string text = x.form == Form::kDescriptor ? "fg_gemm_ex" : entry_of(x).name;
  const auto add = [&](const char* name, std::int64_t value) {
    text += std::string(" ") + name + "=" + std::to_string(value);
  };
  const auto add_address = [&](const char* name, std::uintptr_t value) { add(name, static_cast<std::int64_t>(value)); };
  add("null_handle", x.null_handle), add("pointer_mode", x.pointer_mode), add("handle_math", x.math_mode);
  add("transa", x.transa), add("transb", x.transb), add("m", x.m), add("n", x.n), add("k", x.k);
  add("null_alpha", x.null_alpha), add("alpha_bits", x.alpha_bits), add_address("device_alpha", x.device_alpha);
  add_address("A", x.a), add("lda", x.lda), add("stride_a", x.stride_a);
  add_address("B", x.b), add("ldb", x.ldb), add("stride_b", x.stride_b);
  add("null_beta", x.null_beta), add("beta_bits", x.beta_bits), add_address("device_beta", x.device_beta);
  add_address("C", x.c), add("ldc", x.ldc), add("stride_c", x.stride_c), add("batch_count", x.batch_count);
  if (x.form != Form::kDescriptor) return text;
  add("null_descriptor", x.null_descriptor), add_address("struct_size", x.struct_size);
  add("type_ab", x.type_ab), add("type_cd", x.type_cd), add("use_handle_math_mode", x.use_handle_math_mode);
  add("math_mode", x.own_math_mode), add_address("D", x.d), add("ldd", x.ldd), add("stride_d", x.stride_d);
  add("activation", x.activation), add_address("bias", x.bias), add("stride_bias", x.stride_bias);
  return text;
}

}  // namespace fastgemm::test
