#include "src/cli/contenders/fastgemm.h"

#include <cuda_fp16.h>

#include "fastgemm/fastgemm.h"
#include "src/cli/explain_text.h"
#include "src/cli/plan.h"

namespace fastgemm::cli {
namespace {

std::string failure(fg_status_t status) { return std::string(fg_status_name(status)) + ": " + fg_last_error(); }

fg_half to_half(float value) { return {__half_raw(__float2half(value)).x}; }

// Without the number of parts of k.
std::string row_name(const std::string& kernel) { return kernel.substr(0, kernel.find('/')); }

class FastgemmContender final : public Contender {
 public:
  FastgemmContender(fg_handle_t handle, std::string kernel, Workspace workspace)
      : handle_(handle), kernel_(std::move(kernel)), workspace_(workspace) {}
  ~FastgemmContender() override { fg_destroy(handle_); }

  std::string name() const override { return kernel_.empty() ? "fastgemm" : "fastgemm " + kernel_; }
  bool ours() const override { return true; }
  std::string detail() const override { return detail_; }

  std::string prepare(const Operands& operands, const QuickTimes&) override {
    operands_ = operands;
    fg_status_t status = fg_set_stream(handle_, operands.stream);
    // After the stream: setting that puts the handle's own back.
    if (status == FG_STATUS_SUCCESS && workspace_.data != nullptr) {
      status = fg_set_workspace(handle_, workspace_.data, workspace_.bytes);
    }
    if (status != FG_STATUS_SUCCESS) return failure(status);
    const ExplainResult explained = explain_on_gpu(handle_, operands.shape, operands.a, operands.b, operands.c);
    if (explained.status != FG_STATUS_SUCCESS) return explained.text;
    detail_ = explained.kernel;
    if (!kernel_.empty() && row_name(detail_) != row_name(kernel_)) return "this kernel does not take the product";
    return "";
  }

  std::string launch() override {
    const Shape& s = operands_.shape;
    const fg_operation_t op_a = s.op_a == Op::kN ? FG_OP_N : FG_OP_T;
    const fg_operation_t op_b = s.op_b == Op::kN ? FG_OP_N : FG_OP_T;
    fg_status_t status;
    if (s.type == DataType::kFloat32) {
      status =
          fg_sgemm_64(handle_, op_a, op_b, s.m, s.n, s.k, &s.alpha, static_cast<const float*>(operands_.a), s.lda,
                      static_cast<const float*>(operands_.b), s.ldb, &s.beta, static_cast<float*>(operands_.c), s.ldc);
    } else {
      const fg_half alpha = to_half(s.alpha);
      const fg_half beta = to_half(s.beta);
      status = fg_hgemm_64(handle_, op_a, op_b, s.m, s.n, s.k, &alpha, static_cast<const fg_half*>(operands_.a), s.lda,
                           static_cast<const fg_half*>(operands_.b), s.ldb, &beta, static_cast<fg_half*>(operands_.c),
                           s.ldc);
    }
    return status == FG_STATUS_SUCCESS ? "" : failure(status);
  }

 private:
  fg_handle_t handle_;
  std::string kernel_;
  Workspace workspace_;
  std::string detail_;
  Operands operands_;
};

}  // namespace

std::unique_ptr<Contender> make_fastgemm(const std::string& kernel, MathMode math, Workspace workspace,
                                         std::string* reason) {
  fg_handle_t handle = nullptr;
  fg_status_t status = fg_create(&handle);
  if (status != FG_STATUS_SUCCESS) {
    *reason = failure(status);
    return nullptr;
  }
  auto contender = std::make_unique<FastgemmContender>(handle, kernel, workspace);
  status = fg_set_math_mode(handle, public_math(math));
  if (status == FG_STATUS_SUCCESS && !kernel.empty()) status = fg_set_kernel(handle, kernel.c_str());
  if (status != FG_STATUS_SUCCESS) {
    *reason = failure(status);
    return nullptr;
  }
  return contender;
}

}  // namespace fastgemm::cli
