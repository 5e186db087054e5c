#include "src/cli/explain_text.h"

#include <sstream>
#include <vector>

namespace fastgemm::cli {

ExplainResult explain_on_gpu(fg_handle_t handle, const Shape& shape, const void* a, const void* b, void* c) {
  fg_gemm_desc desc;
  fg_gemm_desc_init(&desc);
  desc.transa = shape.op_a == Op::kN ? FG_OP_N : FG_OP_T;
  desc.transb = shape.op_b == Op::kN ? FG_OP_N : FG_OP_T;
  desc.type_ab = desc.type_cd = shape.type == DataType::kFloat32 ? FG_R_32F : FG_R_16F;
  desc.m = shape.m;
  desc.n = shape.n;
  desc.k = shape.k;
  desc.alpha = &shape.alpha;
  desc.beta = &shape.beta;
  desc.A = a;
  desc.B = b;
  desc.C = c;
  desc.lda = shape.lda;
  desc.ldb = shape.ldb;
  desc.ldc = shape.ldc;
  ExplainResult result;
  std::vector<char> text(std::size_t{64} << 10);  // a line a kernel; the table holds tens of them
  result.status = fg_explain(handle, &desc, text.data(), text.size());
  if (result.status == FG_STATUS_SUCCESS) {
    result.text = text.data();
    result.kernel = explain_value(result.text, "kernel");
  } else {
    result.text = std::string(fg_status_name(result.status)) + ": " + fg_last_error();
  }
  return result;
}

std::string explain_value(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key + ": ")) return line.substr(key.size() + 2);
  }
  return "";
}

}  // namespace fastgemm::cli
