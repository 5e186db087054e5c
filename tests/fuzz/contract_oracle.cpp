// Sizes are 128-bit here, so that no product of them overflows.
#include "tests/fuzz/contract_oracle.h"

#include <bit>
#include <cmath>
#include <limits>

namespace fastgemm::test {
namespace {

using Wide = Int128;

constexpr Wide kMostBytes = std::numeric_limits<std::int64_t>::max();

Wide magnitude(Wide value) { return value < 0 ? -value : value; }

float value_of_half(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return static_cast<float>(fraction != 0.0 ? std::nan("") : sign * HUGE_VAL);
  if (exponent == 0) return static_cast<float>(sign * fraction * 0x1p-24);
  return static_cast<float>(sign * (1.0 + fraction / 1024.0) * std::exp2(exponent - 15));
}

class Judge {
 public:
  explicit Judge(const FuzzCall& x) : x_(x) {}

  Verdict judge() {
    if (x_.null_handle) return {FG_STATUS_NOT_INITIALIZED, "handle"};
    if (x_.form == Form::kDescriptor && !check_descriptor_head()) return verdict_;
    settle();
    if (!check_product() || (x_.form == Form::kDescriptor && !check_descriptor_tail())) return verdict_;
    describe();
    return verdict_;
  }

 private:
  // ---- what the rules speak of ----

  bool host() const { return x_.pointer_mode == FG_POINTER_MODE_HOST; }
  bool descriptor() const { return x_.form == Form::kDescriptor; }
  bool half_scalars() const { return x_.half && !descriptor(); }
  bool zero(std::uint32_t bits) const { return (bits & (half_scalars() ? 0x7fffu : 0x7fffffffu)) == 0; }
  float value(std::uint32_t bits) const { return half_scalars() ? value_of_half(bits) : std::bit_cast<float>(bits); }

  void settle() {
    size_ab_ = x_.type_ab == FG_R_16F ? 2 : 4;
    size_cd_ = x_.type_cd == FG_R_16F ? 2 : 4;
    null_alpha_ = host() ? x_.null_alpha : x_.device_alpha == 0;
    null_beta_ = host() ? x_.null_beta : x_.device_beta == 0;
    writes_ = x_.m != 0 && x_.n != 0 && x_.batch_count != 0;
    const bool alpha_zero = host() && !null_alpha_ && zero(x_.alpha_bits);
    beta_zero_ = host() && !null_beta_ && zero(x_.beta_bits);
    reads_ab_ = writes_ && x_.k != 0 && !alpha_zero;
    d_apart_ = x_.d != 0 && x_.d != x_.c;
    c_free_ = x_.d != 0 && beta_zero_;  // "may be NULL, and ldc anything"
  }

  bool wrong(const char* argument, fg_status_t status = FG_STATUS_INVALID_VALUE) {
    verdict_.status = status;
    verdict_.argument = argument;
    return false;
  }

  bool pointer_is_bad(std::uintptr_t address, int size) const {
    const unsigned alignment = x_.form == Form::kPointers ? 8u : static_cast<unsigned>(size);
    return address == 0 || address % alignment != 0;
  }
  bool device_scalar_is_bad(std::uintptr_t address) const { return address % (half_scalars() ? 2u : 4u) != 0; }

  // Elements from the first to the last of a matrix that has any.
  static Wide elements(Wide rows, Wide columns, Wide ld) { return ld * (columns - 1) + rows; }
  Wide batches() const { return x_.batched() && x_.batch_count > 0 ? x_.batch_count : 1; }
  bool too_large(Wide matrix, Wide stride, int size) const {
    const Wide most = kMostBytes / size, steps = batches() - 1;
    if (matrix > most || (steps > 0 && magnitude(stride) > most / steps)) return true;  // the product might overflow
    return magnitude(stride) * steps + matrix > most;
  }
  // Entries that pointers name cannot overlap in C, so together they are as large as if one followed the other.
  bool output_too_large(Wide matrix, Wide stride) const {
    return too_large(matrix, x_.form == Form::kPointers ? matrix : stride, size_cd_);
  }
  bool overlaps(Wide matrix, Wide stride) const {
    return x_.form != Form::kPointers && batches() > 1 && magnitude(stride) < matrix;
  }

  // ---- the rules, in header order ----

  static bool is_type(int type) { return type == FG_R_32F || type == FG_R_16F; }

  bool check_descriptor_head() {
    if (x_.null_descriptor) return wrong("desc");
    if (x_.struct_size != sizeof(fg_gemm_desc)) return wrong("struct_size");
    if (!is_type(x_.type_ab)) return wrong("type_ab");
    if (!is_type(x_.type_cd)) return wrong("type_cd");
    if (x_.use_handle_math_mode == 0 && (x_.own_math_mode < 0 || x_.own_math_mode > 3)) return wrong("math_mode");
    if (x_.type_ab == FG_R_32F && x_.type_cd == FG_R_16F) return wrong("type_cd", FG_STATUS_NOT_SUPPORTED);
    return true;
  }

  bool check_product() {
    if (x_.transa < 0 || x_.transa > 2) return wrong("transa");
    if (x_.transb < 0 || x_.transb > 2) return wrong("transb");
    if (x_.m < 0) return wrong("m");
    if (x_.n < 0) return wrong("n");
    if (x_.k < 0) return wrong("k");
    if (writes_ && (null_alpha_ || (!host() && device_scalar_is_bad(x_.device_alpha)))) return wrong("alpha");
    return check_inputs() && check_c() && (x_.batch_count >= 0 || !x_.batched() || wrong("batch_count"));
  }

  bool check_inputs() {
    const bool plain_a = x_.transa == 0, plain_b = x_.transb == 0;
    const Wide rows_a = plain_a ? x_.m : x_.k, columns_a = plain_a ? x_.k : x_.m;
    const Wide rows_b = plain_b ? x_.k : x_.n, columns_b = plain_b ? x_.n : x_.k;
    if (reads_ab_ && pointer_is_bad(x_.a, size_ab_)) return wrong("A");
    if (x_.lda < 1 || x_.lda < rows_a) return wrong("lda");
    if (reads_ab_ && x_.batch_count > 0 && too_large(elements(rows_a, columns_a, x_.lda), x_.stride_a, size_ab_)) {
      return wrong("A");
    }
    if (reads_ab_ && pointer_is_bad(x_.b, size_ab_)) return wrong("B");
    if (x_.ldb < 1 || x_.ldb < rows_b) return wrong("ldb");
    if (reads_ab_ && x_.batch_count > 0 && too_large(elements(rows_b, columns_b, x_.ldb), x_.stride_b, size_ab_)) {
      return wrong("B");
    }
    return true;
  }

  bool check_c() {
    if (writes_ && (null_beta_ || (!host() && device_scalar_is_bad(x_.device_beta)))) return wrong("beta");
    const bool used = writes_ && !c_free_;
    if (used && pointer_is_bad(x_.c, size_cd_)) return wrong("C");
    if (c_free_) return true;
    if (x_.ldc < 1 || x_.ldc < x_.m) return wrong("ldc");
    if (!used || x_.batch_count <= 0) return true;
    const Wide matrix = elements(x_.m, x_.n, x_.ldc);
    if (d_apart_ ? too_large(matrix, x_.stride_c, size_cd_) : output_too_large(matrix, x_.stride_c)) return wrong("C");
    if (!d_apart_ && overlaps(matrix, x_.stride_c)) return wrong("stride_c");
    return true;
  }

  bool check_descriptor_tail() {
    const Wide matrix = elements(x_.m, x_.n, x_.ldd);
    if (x_.d == 0 && x_.ldd != 0 && x_.ldd != x_.ldc) return wrong("ldd");
    if (x_.d != 0 && writes_ && pointer_is_bad(x_.d, size_cd_)) return wrong("D");
    if (x_.d != 0 && (x_.ldd < 1 || x_.ldd < x_.m)) return wrong("ldd");
    const bool in_place = x_.d != 0 && !d_apart_ && writes_ && !beta_zero_;
    if (in_place && x_.ldd != x_.ldc) return wrong("ldd");
    if (in_place && batches() > 1 && x_.stride_d != x_.stride_c) return wrong("stride_d");
    if (x_.d != 0 && writes_ && output_too_large(matrix, x_.stride_d)) return wrong("D");
    if (x_.d != 0 && writes_ && overlaps(matrix, x_.stride_d)) return wrong("stride_d");
    if (x_.activation < 0 || x_.activation > 2) return wrong("activation");
    if (x_.bias != 0 && writes_ && pointer_is_bad(x_.bias, size_cd_)) return wrong("bias");
    if (x_.bias != 0 && writes_ && too_large(x_.m, x_.stride_bias, size_cd_)) return wrong("bias");
    return true;
  }

  // ---- what reaches the kernel ----

  Scalar scalar(std::uintptr_t device, std::uint32_t bits) const {
    const DataType type = half_scalars() ? DataType::kFloat16 : DataType::kFloat32;
    if (!host()) return {.device = reinterpret_cast<const void*>(device), .device_type = type};
    return {.value = value(bits), .device_type = type};
  }

  template <class Place>
  Place place(std::uintptr_t address, std::int64_t ld, std::int64_t stride) const {
    Place result;
    result.ld = ld;
    if (x_.form == Form::kPointers) {
      result.pointers = reinterpret_cast<decltype(result.pointers)>(address);
    } else {
      result.data = reinterpret_cast<decltype(result.data)>(address);
      result.batch_stride = batches() > 1 ? stride : 0;
    }
    return result;
  }

  void describe() {
    const bool keeps_c = !reads_ab_ && (x_.d == 0 || x_.d == x_.c) && host() && value(x_.beta_bits) == 1.0f &&
                         x_.activation == 0 && x_.bias == 0;
    verdict_.works = writes_ && !keeps_c;
    GemmProblem& p = verdict_.problem;
    p.type_ab = x_.type_ab == FG_R_16F ? DataType::kFloat16 : DataType::kFloat32;
    p.type_cd = x_.type_cd == FG_R_16F ? DataType::kFloat16 : DataType::kFloat32;
    p.op_a = x_.transa == 0 ? Op::kN : Op::kT;
    p.op_b = x_.transb == 0 ? Op::kN : Op::kT;
    const bool own_mode = descriptor() && x_.use_handle_math_mode == 0;
    p.math_mode = x_.type_ab == FG_R_16F ? MathMode::kDefault
                                         : static_cast<MathMode>(own_mode ? x_.own_math_mode : x_.math_mode);
    p.activation = static_cast<Activation>(x_.activation);
    p.m = x_.m, p.n = x_.n, p.k = reads_ab_ ? x_.k : 0;
    p.batch_count = static_cast<std::int64_t>(batches());
    p.alpha = scalar(x_.device_alpha, x_.alpha_bits);
    p.beta = scalar(x_.device_beta, x_.beta_bits);
    p.a = place<Operand>(x_.a, x_.lda, x_.stride_a);
    p.b = place<Operand>(x_.b, x_.ldb, x_.stride_b);
    p.c = place<Operand>(x_.c, x_.ldc, x_.stride_c);
    p.d = x_.d != 0 ? place<Output>(x_.d, x_.ldd, x_.stride_d) : place<Output>(x_.c, x_.ldc, x_.stride_c);
    p.bias = reinterpret_cast<const void*>(x_.bias);
    p.bias_stride = batches() > 1 ? x_.stride_bias : 0;
  }

  const FuzzCall& x_;
  Verdict verdict_;
  int size_ab_ = 0, size_cd_ = 0;
  bool null_alpha_ = false, null_beta_ = false, beta_zero_ = false;
  bool writes_ = false, reads_ab_ = false, d_apart_ = false, c_free_ = false;
};

bool same(const Scalar& x, const Scalar& y) {
  if (x.device != y.device) return false;
  if (x.device != nullptr) return x.device_type == y.device_type;
  return x.value == y.value || (std::isnan(x.value) && std::isnan(y.value));
}

template <class Place>
bool same_place(const Place& x, const Place& y) {
  return x.data == y.data && x.pointers == y.pointers && x.ld == y.ld && x.batch_stride == y.batch_stride;
}

}  // namespace

Verdict judge(const FuzzCall& call) { return Judge(call).judge(); }

const char* difference(const Verdict& verdict, const GemmProblem& seen) {
  const GemmProblem& right = verdict.problem;
  if (seen.type_ab != right.type_ab || seen.type_cd != right.type_cd) return "types";
  if (seen.m != right.m || seen.n != right.n || seen.k != right.k) return "sizes";
  if (seen.batch_count != right.batch_count) return "batch_count";
  if (seen.math_mode != right.math_mode) return "math mode";
  if (seen.activation != right.activation) return "activation";
  if (!same(seen.beta, right.beta)) return "beta";
  const bool reads_c = right.beta.device != nullptr || right.beta.value != 0.0f;
  if (reads_c && !same_place(seen.c, right.c)) return "C";
  if (!same_place(seen.d, right.d)) return "D";
  if (seen.bias != right.bias) return "bias";
  if (right.bias != nullptr && seen.bias_stride != right.bias_stride) return "stride of bias";
  if (right.k == 0) return "";
  if (seen.op_a != right.op_a || seen.op_b != right.op_b) return "operations";
  if (!same(seen.alpha, right.alpha)) return "alpha";
  if (!same_place(seen.a, right.a)) return "A";
  if (!same_place(seen.b, right.b)) return "B";
  return "";
}

}  // namespace fastgemm::test
