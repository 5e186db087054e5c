// The trace line of a product; its grammar stands in log.h.
#include <charconv>

#include "src/base/log.h"

namespace fastgemm {
namespace {

class TokenLine {
 public:
  void add(std::string_view key, std::string_view value) {
    text_ += ' ';
    text_ += key;
    text_ += '=';
    text_ += value;
  }
  void add(std::string_view key, std::int64_t value) { add(key, std::string_view(std::to_string(value))); }
  void add(std::string_view key, const Scalar& scalar) {
    if (scalar.device != nullptr) return add(key, std::string_view("device"));
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, scalar.value).ptr;
    add(key, std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_ = "gemm";
};

std::string_view type_name(const GemmProblem& problem) {
  if (problem.type_ab == DataType::kFloat32) return "f32";
  return problem.type_cd == DataType::kFloat16 ? "f16" : "f16f32";
}

std::int64_t common_alignment(const GemmProblem& problem) {
  const auto bits = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  const std::uintptr_t all = bits(problem.a.data) | bits(problem.b.data) | bits(problem.c.data) | bits(problem.d.data);
  std::int64_t alignment = 1;
  while (alignment < 16 && (all & static_cast<std::uintptr_t>(alignment)) == 0) alignment *= 2;
  return alignment;
}

bool d_is_c(const GemmProblem& problem) {
  const bool c_is_read = problem.c.data != nullptr || problem.c.pointers != nullptr;
  return !c_is_read || (problem.c.data == problem.d.data && problem.c.pointers == problem.d.pointers);
}

void add_batch(const GemmProblem& problem, TokenLine* line) {
  if (problem.batch_count == 1) return;
  if (problem.d.pointers != nullptr) return line->add("pointers", 1);
  line->add("stride_a", problem.a.batch_stride);
  line->add("stride_b", problem.b.batch_stride);
  line->add("stride_c", d_is_c(problem) ? problem.d.batch_stride : problem.c.batch_stride);
  if (!d_is_c(problem)) line->add("stride_d", problem.d.batch_stride);
}

void add_epilogue(const GemmProblem& problem, TokenLine* line) {
  if (problem.activation == Activation::kRelu) line->add("act", std::string_view("relu"));
  if (problem.activation == Activation::kGelu) line->add("act", std::string_view("gelu"));
  if (problem.bias == nullptr) return;
  line->add("bias", 1);
  if (problem.batch_count > 1) line->add("stride_bias", problem.bias_stride);
}

}  // namespace

std::string format_gemm_line(const GemmProblem& problem, std::string_view kernel, double predicted_us) {
  TokenLine line;
  const char ops[2] = {problem.op_a == Op::kN ? 'N' : 'T', problem.op_b == Op::kN ? 'N' : 'T'};
  line.add("type", type_name(problem));
  line.add("ops", std::string_view(ops, 2));
  line.add("m", problem.m);
  line.add("n", problem.n);
  line.add("k", problem.k);
  line.add("lda", problem.a.ld);
  line.add("ldb", problem.b.ld);
  line.add("ldc", d_is_c(problem) ? problem.d.ld : problem.c.ld);
  line.add("alpha", problem.alpha);
  line.add("beta", problem.beta);
  line.add("batch", problem.batch_count);
  line.add("math", kMathModeNames[static_cast<std::size_t>(problem.math_mode)]);
  if (!d_is_c(problem)) line.add("ldd", problem.d.ld);
  add_batch(problem, &line);
  if (common_alignment(problem) < 16) line.add("align", common_alignment(problem));
  add_epilogue(problem, &line);
  line.add("kernel", kernel);
  char time[32];
  const auto end = std::to_chars(time, time + sizeof time, predicted_us, std::chars_format::fixed, 1).ptr;
  line.add("us", std::string_view(time, static_cast<std::size_t>(end - time)));
  return line.take();
}

}  // namespace fastgemm
