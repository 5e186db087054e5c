// Argument checks and normalisation. A check is one line; their order is that of the public header.
#include "src/problem/make_problem.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

#include "src/base/half.h"

namespace fastgemm {
namespace {

std::string text_of(std::int64_t value) { return std::to_string(value); }

std::string equation(const char* name, std::int64_t value) { return std::string(name) + " = " + text_of(value); }

// Scalar the host knows. Read bytewise: the address of a host scalar need not be aligned.
float read_host_scalar(const void* address, DataType type) {
  if (type == DataType::kFloat16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, address, sizeof bits);
    return half_to_float(bits);
  }
  float value = 0.0f;
  std::memcpy(&value, address, sizeof value);
  return value;
}

bool is_host_zero(const GemmArguments& x, const void* address) {
  return x.pointer_mode == FG_POINTER_MODE_HOST && address != nullptr &&
         read_host_scalar(address, x.type_scalar) == 0.0f;  // true of -0.0 as well
}

// Which memory a call touches, as far as that can be told before the arguments are known to be valid.
struct Touched {
  explicit Touched(const GemmArguments& x)
      : batch_count(x.batched ? x.batch_count : 1),
        output(x.m != 0 && x.n != 0 && batch_count != 0),
        a_and_b(output && x.k != 0 && !is_host_zero(x, x.alpha)),
        c_is_output(x.d == nullptr || x.d == x.c),
        c_read(output && !is_host_zero(x, x.beta)) {}

  std::int64_t batch_count;
  bool output;       // something is written; otherwise pointers may be null
  bool a_and_b;
  bool c_is_output;  // D is C
  bool c_read;
};

std::string check_operation(const char* name, int value) {
  if (value >= FG_OP_N && value <= FG_OP_C) return {};
  return equation(name, value) + " is not FG_OP_N (0), FG_OP_T (1) or FG_OP_C (2)";
}

std::string check_size(const char* name, std::int64_t value) {
  return value >= 0 ? std::string() : equation(name, value) + " is negative";
}

std::string check_ld(const char* name, std::int64_t ld, const char* rows_name, std::int64_t rows) {
  const std::int64_t least = std::max<std::int64_t>(1, rows);
  if (ld >= least) return {};
  return equation(name, ld) + " is less than max(1, " + rows_name + ") = " + text_of(least);
}

// A pointer that the call follows: neither null nor between two elements.
std::string check_pointer(const char* name, const void* pointer, std::int64_t alignment) {
  if (pointer == nullptr) return std::string(name) + " is null";
  if (reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(alignment) == 0) return {};
  char address[32];
  std::snprintf(address, sizeof address, "%p", pointer);
  return std::string(name) + " = " + address + " is not a multiple of " + text_of(alignment) + " bytes";
}

// alpha or beta. Host scalars are copied bytewise, so only device ones need their alignment.
std::string check_scalar(const char* name, const void* pointer, const GemmArguments& x) {
  const bool on_device = x.pointer_mode == FG_POINTER_MODE_DEVICE;
  return check_pointer(name, pointer, on_device ? element_size(x.type_scalar) : 1);
}

constexpr std::int64_t kSaturated = std::numeric_limits<std::int64_t>::max();

// Elements from the first to the last of `columns` columns, saturated. columns, rows >= 1; ld >= 1.
std::int64_t matrix_extent(std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  std::int64_t extent = 0;
  if (__builtin_mul_overflow(ld, columns - 1, &extent)) return kSaturated;
  return __builtin_add_overflow(extent, rows, &extent) ? kSaturated : extent;
}

struct Layout {
  const char* name;
  std::int64_t rows, columns, ld, stride, batch_count;
  DataType type;
};

bool spans_too_much(const Layout& x) {
  std::int64_t bytes = 0;
  std::int64_t over_batch = 0;  // only its size counts, and that of a negative number is the larger one
  const std::int64_t backwards = x.stride < 0 ? x.stride : -x.stride;
  return __builtin_mul_overflow(backwards, x.batch_count - 1, &over_batch) ||
         __builtin_sub_overflow(matrix_extent(x.rows, x.columns, x.ld), over_batch, &bytes) ||
         __builtin_mul_overflow(bytes, element_size(x.type), &bytes);
}

// Offsets are 64-bit everywhere; a matrix that they cannot reach does not exist, and would overflow them.
std::string check_extent(const Layout& x) {
  if (!spans_too_much(x)) return {};
  return std::string(x.name) + " with ld = " + text_of(x.ld) + " and stride = " + text_of(x.stride) +
         " spans more than 2^63 - 1 bytes";
}

// The same for matrices of the output that pointers name. They lie apart, wherever that is: together they span no less
// than one after the other would.
std::string check_pointed_extent(Layout x) {
  x.stride = matrix_extent(x.rows, x.columns, x.ld);
  if (!spans_too_much(x)) return {};
  return std::string(x.name) + " with ld = " + text_of(x.ld) + " and batch_count = " + text_of(x.batch_count) +
         " spans more than 2^63 - 1 bytes";
}

std::string check_bias(const GemmArguments& x, std::int64_t batch_count) {
  std::string e = check_pointer("bias", x.bias, element_size(x.type_cd));
  if (!e.empty() || !spans_too_much({"bias", x.m, 1, x.m, x.stride_bias, batch_count, x.type_cd})) return e;
  return "bias with stride_bias = " + text_of(x.stride_bias) + " spans more than 2^63 - 1 bytes";
}

// Entries of the output that shared memory would be a race.
std::string check_output_stride(const char* name, const char* ld_name, const Layout& x) {
  const std::int64_t extent = matrix_extent(x.rows, x.columns, x.ld);
  if (x.batch_count <= 1 || x.stride >= extent || x.stride <= -extent) return {};
  return equation(name, x.stride) + " is less in size than " + ld_name + " * (n - 1) + m = " + text_of(extent) +
         ", so entries would overlap";
}

std::string check_in_place(const GemmArguments& x, std::int64_t batch_count) {
  if (x.ldd != x.ldc) return equation("ldd", x.ldd) + " differs from " + equation("ldc", x.ldc) + " although D is C";
  if (batch_count <= 1 || x.stride_d == x.stride_c) return {};
  return equation("stride_d", x.stride_d) + " differs from " + equation("stride_c", x.stride_c) + " although D is C";
}

std::string check_absent_d(const GemmArguments& x) {
  if (x.ldd == 0 || x.ldd == x.ldc) return {};
  return equation("ldd", x.ldd) + " is neither 0 nor " + equation("ldc", x.ldc) + " although D is null";
}

std::string check_activation(int value) {
  if (value >= FG_ACTIVATION_NONE && value <= FG_ACTIVATION_GELU) return {};
  return equation("activation", value) +
         " is not FG_ACTIVATION_NONE (0), FG_ACTIVATION_RELU (1) or FG_ACTIVATION_GELU (2)";
}

Layout layout_a(const GemmArguments& x, std::int64_t batch_count) {
  const bool plain = x.transa == FG_OP_N;
  const std::int64_t stride = x.pointer_batched ? 0 : x.stride_a;
  return {"A", plain ? x.m : x.k, plain ? x.k : x.m, x.lda, stride, batch_count, x.type_ab};
}

Layout layout_b(const GemmArguments& x, std::int64_t batch_count) {
  const bool plain = x.transb == FG_OP_N;
  const std::int64_t stride = x.pointer_batched ? 0 : x.stride_b;
  return {"B", plain ? x.k : x.n, plain ? x.n : x.k, x.ldb, stride, batch_count, x.type_ab};
}

Layout layout_c(const GemmArguments& x, std::int64_t batch_count) {
  return {"C", x.m, x.n, x.ldc, x.pointer_batched ? 0 : x.stride_c, batch_count, x.type_cd};
}

Layout layout_d(const GemmArguments& x, std::int64_t batch_count) {
  return {"D", x.m, x.n, x.ldd, x.pointer_batched ? 0 : x.stride_d, batch_count, x.type_cd};
}

// The arguments that every entry point has. The first text that is not empty is the answer.
std::string check_product(const GemmArguments& x, const Touched& touched) {
  const std::int64_t batch = touched.batch_count;
  const std::int64_t align_ab = x.pointer_batched ? alignof(void*) : element_size(x.type_ab);
  const std::int64_t align_cd = x.pointer_batched ? alignof(void*) : element_size(x.type_cd);
  const bool c_is_ignored = x.d != nullptr && is_host_zero(x, x.beta);
  const bool c_is_used = touched.output && !c_is_ignored;
  const bool c_strided = c_is_used && touched.c_is_output && !x.pointer_batched;
  const bool plain_a = x.transa == FG_OP_N;
  const bool plain_b = x.transb == FG_OP_N;
  std::string e;
  if (!(e = check_operation("transa", x.transa)).empty()) return e;
  if (!(e = check_operation("transb", x.transb)).empty()) return e;
  if (!(e = check_size("m", x.m)).empty()) return e;
  if (!(e = check_size("n", x.n)).empty()) return e;
  if (!(e = check_size("k", x.k)).empty()) return e;
  if (touched.output && !(e = check_scalar("alpha", x.alpha, x)).empty()) return e;
  if (touched.a_and_b && !(e = check_pointer("A", x.a, align_ab)).empty()) return e;
  if (!(e = check_ld("lda", x.lda, plain_a ? "m" : "k", plain_a ? x.m : x.k)).empty()) return e;
  if (touched.a_and_b && batch > 0 && !(e = check_extent(layout_a(x, batch))).empty()) return e;
  if (touched.a_and_b && !(e = check_pointer("B", x.b, align_ab)).empty()) return e;
  if (!(e = check_ld("ldb", x.ldb, plain_b ? "k" : "n", plain_b ? x.k : x.n)).empty()) return e;
  if (touched.a_and_b && batch > 0 && !(e = check_extent(layout_b(x, batch))).empty()) return e;
  if (touched.output && !(e = check_scalar("beta", x.beta, x)).empty()) return e;
  if (c_is_used && !(e = check_pointer("C", x.c, align_cd)).empty()) return e;
  if (!c_is_ignored && !(e = check_ld("ldc", x.ldc, "m", x.m)).empty()) return e;
  if (c_is_used && batch > 0 && !(e = check_extent(layout_c(x, batch))).empty()) return e;
  if (c_is_used && x.pointer_batched && batch > 0 && !(e = check_pointed_extent(layout_c(x, batch))).empty()) return e;
  if (c_strided && !(e = check_output_stride("strideC", "ldc", layout_c(x, batch))).empty()) return e;
  return check_size("batch_count", batch);
}

// What only the descriptor form has: D apart from C, activation, bias.
std::string check_extras(const GemmArguments& x, const Touched& touched) {
  const std::int64_t batch = touched.batch_count;
  const std::int64_t align_cd = x.pointer_batched ? alignof(void*) : element_size(x.type_cd);
  const bool d_given = x.d != nullptr;
  const bool d_strided = d_given && touched.output && !x.pointer_batched;
  const bool in_place = d_given && touched.c_is_output && touched.c_read;
  std::string e;
  if (!d_given && !(e = check_absent_d(x)).empty()) return e;
  if (d_given && touched.output && !(e = check_pointer("D", x.d, align_cd)).empty()) return e;
  if (d_given && !(e = check_ld("ldd", x.ldd, "m", x.m)).empty()) return e;
  if (in_place && !(e = check_in_place(x, batch)).empty()) return e;
  if (d_strided && !(e = check_extent(layout_d(x, batch))).empty()) return e;
  if (d_strided && !(e = check_output_stride("stride_d", "ldd", layout_d(x, batch))).empty()) return e;
  if (!(e = check_activation(x.activation)).empty()) return e;
  return x.bias != nullptr && touched.output ? check_bias(x, batch) : std::string();
}

Scalar make_scalar(const GemmArguments& x, const void* address) {
  if (x.pointer_mode == FG_POINTER_MODE_DEVICE) return {.device = address, .device_type = x.type_scalar};
  const float value = read_host_scalar(address, x.type_scalar);
  return {.value = value == 0.0f ? 0.0f : value, .device_type = x.type_scalar};  // -0.0 becomes 0
}

Operand make_operand(const GemmArguments& x, const void* address, std::int64_t ld, std::int64_t stride,
                     std::int64_t batch_count) {
  if (x.pointer_batched) return {.pointers = static_cast<const void* const*>(address), .ld = ld};
  return {.data = address, .ld = ld, .batch_stride = batch_count > 1 ? stride : 0};
}

Output make_output(const GemmArguments& x, std::int64_t batch_count) {
  void* address = x.d != nullptr ? x.d : const_cast<void*>(x.c);
  const std::int64_t ld = x.d != nullptr ? x.ldd : x.ldc;
  const std::int64_t stride = x.d != nullptr ? x.stride_d : x.stride_c;
  if (x.pointer_batched) return {.pointers = static_cast<void* const*>(address), .ld = ld};
  return {.data = address, .ld = ld, .batch_stride = batch_count > 1 ? stride : 0};
}

GemmProblem normalise(const GemmArguments& x, const Touched& touched) {
  const std::int64_t batch = touched.batch_count;
  GemmProblem problem;
  problem.type_ab = x.type_ab;
  problem.type_cd = x.type_cd;
  problem.op_a = x.transa == FG_OP_N ? Op::kN : Op::kT;
  problem.op_b = x.transb == FG_OP_N ? Op::kN : Op::kT;
  // FP16 operands are always summed in FP32 on tensor cores: there is no choice for a mode to make.
  problem.math_mode = x.type_ab == DataType::kFloat16 ? MathMode::kDefault : x.math_mode;
  problem.activation = static_cast<Activation>(x.activation);
  problem.m = x.m;
  problem.n = x.n;
  problem.batch_count = batch;
  problem.beta = make_scalar(x, x.beta);
  if (touched.a_and_b) {
    problem.k = x.k;
    problem.alpha = make_scalar(x, x.alpha);
    problem.a = make_operand(x, x.a, x.lda, x.stride_a, batch);
    problem.b = make_operand(x, x.b, x.ldb, x.stride_b, batch);
  }
  if (touched.c_read) problem.c = make_operand(x, x.c, x.ldc, x.stride_c, batch);
  problem.d = make_output(x, batch);
  problem.bias = x.bias;
  problem.bias_stride = x.bias != nullptr && batch > 1 ? x.stride_bias : 0;
  return problem;
}

// C := 1 * C and nothing else.
bool is_identity(const GemmProblem& problem, const Touched& touched) {
  return problem.k == 0 && touched.c_is_output && problem.beta.device == nullptr && problem.beta.value == 1.0f &&
         problem.activation == Activation::kNone && problem.bias == nullptr;
}

}  // namespace

ProblemResult make_problem(const GemmArguments& arguments) {
  const Touched touched(arguments);
  ProblemResult result;
  result.error = check_product(arguments, touched);
  if (result.error.empty()) result.error = check_extras(arguments, touched);
  if (!result.error.empty()) {
    result.status = FG_STATUS_INVALID_VALUE;
    return result;
  }
  result.empty = !touched.output;
  if (result.empty) return result;
  result.problem = normalise(arguments, touched);
  result.empty = is_identity(result.problem, touched);
  return result;
}

}  // namespace fastgemm
