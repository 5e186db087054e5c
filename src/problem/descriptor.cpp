// Reading of fg_gemm_desc.
#include "src/problem/descriptor.h"

#include "src/problem/raw_enum.h"

namespace fastgemm {
namespace {

struct TypePair {
  int ab, cd;
  DataType type_ab, type_cd;
};

constexpr TypePair kSupportedTypes[] = {
    {FG_R_32F, FG_R_32F, DataType::kFloat32, DataType::kFloat32},
    {FG_R_16F, FG_R_16F, DataType::kFloat16, DataType::kFloat16},
    {FG_R_16F, FG_R_32F, DataType::kFloat16, DataType::kFloat32},
};

bool is_type(int value) { return value == FG_R_32F || value == FG_R_16F; }

DescriptorResult wrong(fg_status_t status, std::string text) {
  DescriptorResult result;
  result.status = status;
  result.error = std::move(text);
  return result;
}

DescriptorResult invalid(const char* name, long long value, const char* why) {
  return wrong(FG_STATUS_INVALID_VALUE, std::string(name) + " = " + std::to_string(value) + why);
}

void copy_matrices(const fg_gemm_desc& desc, GemmArguments* x) {
  x->a = desc.A;
  x->b = desc.B;
  x->c = desc.C;
  x->d = desc.D;
  x->lda = desc.lda;
  x->ldb = desc.ldb;
  x->ldc = desc.ldc;
  x->ldd = desc.ldd;
  x->stride_a = desc.stride_a;
  x->stride_b = desc.stride_b;
  x->stride_c = desc.stride_c;
  x->stride_d = desc.stride_d;
  x->bias = desc.bias;
  x->stride_bias = desc.stride_bias;
}

void copy_shape(const fg_gemm_desc& desc, GemmArguments* x) {
  x->transa = raw_enum(desc.transa);
  x->transb = raw_enum(desc.transb);
  x->activation = raw_enum(desc.activation);
  x->m = desc.m;
  x->n = desc.n;
  x->k = desc.k;
  x->batched = true;
  x->batch_count = desc.batch_count;
  x->alpha = desc.alpha;
  x->beta = desc.beta;
}

}  // namespace

DescriptorResult read_descriptor(const fg_gemm_desc* desc, fg_pointer_mode_t pointer_mode, MathMode handle_math_mode) {
  if (desc == nullptr) return wrong(FG_STATUS_INVALID_VALUE, "desc is null");
  if (desc->struct_size != sizeof(fg_gemm_desc)) {
    return invalid("struct_size", static_cast<long long>(desc->struct_size), ": call fg_gemm_desc_init first");
  }
  const int type_ab = raw_enum(desc->type_ab);
  const int type_cd = raw_enum(desc->type_cd);
  const int math_mode = raw_enum(desc->math_mode);
  if (!is_type(type_ab)) return invalid("type_ab", type_ab, " is not FG_R_32F (0) or FG_R_16F (2)");
  if (!is_type(type_cd)) return invalid("type_cd", type_cd, " is not FG_R_32F (0) or FG_R_16F (2)");
  const bool own_mode = desc->use_handle_math_mode == 0;
  if (own_mode && (math_mode < FG_MATH_DEFAULT || math_mode > FG_MATH_TF32)) {
    return invalid("math_mode", math_mode, " is not one of FG_MATH_DEFAULT (0) to FG_MATH_TF32 (3)");
  }
  DescriptorResult result =
      wrong(FG_STATUS_NOT_SUPPORTED, "type_cd = FG_R_16F with type_ab = FG_R_32F is not supported");
  for (const TypePair& pair : kSupportedTypes) {
    if (pair.ab != type_ab || pair.cd != type_cd) continue;
    result = {};
    result.arguments.type_ab = pair.type_ab;
    result.arguments.type_cd = pair.type_cd;
  }
  result.arguments.pointer_mode = pointer_mode;
  result.arguments.math_mode = own_mode ? static_cast<MathMode>(math_mode) : handle_math_mode;
  copy_shape(*desc, &result.arguments);
  copy_matrices(*desc, &result.arguments);
  return result;
}

void fill_missing_pointers(GemmArguments* x) {
  static const float kOne = 1.0f;
  static const float kZero = 0.0f;
  void* const kAligned = reinterpret_cast<void*>(std::uintptr_t{256});
  if (x->alpha == nullptr) x->alpha = &kOne;
  if (x->beta == nullptr) x->beta = &kZero;
  if (x->a == nullptr) x->a = kAligned;
  if (x->b == nullptr) x->b = kAligned;
  if (x->c == nullptr) x->c = kAligned;
}

}  // namespace fastgemm
