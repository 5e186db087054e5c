// The rules of fallback_rules.h.
#include "src/dispatch/fallback_rules.h"

namespace fastgemm {

namespace {

bool has_pointers(const GemmProblem& problem) {
  return problem.a.pointers != nullptr || problem.b.pointers != nullptr || problem.d.pointers != nullptr;
}

}  // namespace

bool fallback_trusts_addresses(const GemmProblem& problem) { return has_pointers(problem); }

bool has_epilogue(const GemmProblem& problem) {
  return problem.bias != nullptr || problem.activation != Activation::kNone;
}

bool is_in_place(const GemmProblem& problem) {
  if (problem.d.pointers != nullptr || problem.c.pointers != nullptr) {
    return static_cast<const void*>(problem.d.pointers) == static_cast<const void*>(problem.c.pointers) &&
           problem.c.ld == problem.d.ld;
  }
  return problem.c.data == problem.d.data && problem.c.ld == problem.d.ld &&
         (problem.batch_count == 1 || problem.c.batch_stride == problem.d.batch_stride);
}

const char* fallback_refusal(const GemmProblem& problem) {
  // With alpha 0 in device memory cuBLAS reads A and B, and their NaN would reach C.
  if (problem.alpha.device != nullptr || problem.beta.device != nullptr) return "scalars in device memory";
  // The extra passes around cuBLAS shift base addresses, which pointer arrays in device memory do not allow.
  if (has_pointers(problem) && has_epilogue(problem)) return "pointer arrays with bias or activation";
  if (has_pointers(problem) && problem.beta.value != 0.0f && !is_in_place(problem)) {
    return "pointer arrays with D apart from C";
  }
  return nullptr;
}

bool fallback_needs_product_buffer(const GemmProblem& problem) {
  return problem.type_cd == DataType::kFloat16 && problem.k > 0 && has_epilogue(problem);
}

std::size_t fallback_workspace_bytes(const GemmProblem& problem) {
  if (!fallback_needs_product_buffer(problem)) return 0;
  // More than this buys nothing: panels of this size already keep a GPU busy.
  constexpr double kEnough = 256.0 * 1024 * 1024;
  const double bytes = 4.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                       static_cast<double>(problem.batch_count);
  return static_cast<std::size_t>(bytes < kEnough ? bytes : kEnough);
}

}  // namespace fastgemm
