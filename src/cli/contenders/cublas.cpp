#include "src/cli/contenders/cublas.h"

#include <cuda_fp16.h>

namespace fastgemm::cli {
namespace {

std::string text(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS ? "" : cublas_status_text(status); }

cublasOperation_t operation(Op op) { return op == Op::kN ? CUBLAS_OP_N : CUBLAS_OP_T; }

// A cuBLAS handle with the run's workspace, for the contenders that need one.
class CublasContender : public Contender {
 public:
  CublasContender(std::shared_ptr<const CublasLibrary> cublas, MathMode math, Workspace workspace)
      : cublas_(std::move(cublas)), math_(math), workspace_(workspace) {}
  ~CublasContender() override {
    if (handle_ != nullptr) cublas_->destroy(handle_);
  }

  std::string create() {
    std::string error = text(cublas_->create(&handle_));
    if (error.empty() && math_ == MathMode::kTf32) {
      error = text(cublas_->set_math_mode(handle_, CUBLAS_TF32_TENSOR_OP_MATH));
    }
    return error;
  }

  std::string prepare(const Operands& operands, const QuickTimes&) override {
    operands_ = operands;
    std::string error = text(cublas_->set_stream(handle_, operands.stream));
    // After the stream: setting that puts the default workspace back.
    if (error.empty()) error = text(cublas_->set_workspace(handle_, workspace_.data, workspace_.bytes));
    return error;
  }

 protected:
  std::shared_ptr<const CublasLibrary> cublas_;
  MathMode math_;
  Workspace workspace_;
  cublasHandle_t handle_ = nullptr;
  Operands operands_;
};

class CublasGemm final : public CublasContender {
 public:
  CublasGemm(std::shared_ptr<const CublasLibrary> cublas, DataType type, MathMode math, Workspace workspace)
      : CublasContender(std::move(cublas), math, workspace), type_(type) {}

  std::string name() const override { return type_ == DataType::kFloat32 ? "cublasSgemm" : "cublasHgemm"; }

  std::string launch() override {
    const Shape& s = operands_.shape;
    if (type_ == DataType::kFloat32) {
      return text(cublas_->sgemm(handle_, operation(s.op_a), operation(s.op_b), s.m, s.n, s.k, &s.alpha,
                                 static_cast<const float*>(operands_.a), s.lda, static_cast<const float*>(operands_.b),
                                 s.ldb, &s.beta, static_cast<float*>(operands_.c), s.ldc));
    }
    const __half alpha = __float2half(s.alpha);
    const __half beta = __float2half(s.beta);
    return text(cublas_->hgemm(handle_, operation(s.op_a), operation(s.op_b), s.m, s.n, s.k, &alpha,
                               static_cast<const __half*>(operands_.a), s.lda, static_cast<const __half*>(operands_.b),
                               s.ldb, &beta, static_cast<__half*>(operands_.c), s.ldc));
  }

 private:
  DataType type_;
};

class CublasGemmEx final : public CublasContender {
 public:
  using CublasContender::CublasContender;
  std::string name() const override { return "cublasGemmEx"; }

  std::string launch() override {
    const Shape& s = operands_.shape;
    const cudaDataType_t type = s.type == DataType::kFloat32 ? CUDA_R_32F : CUDA_R_16F;
    return text(cublas_->gemm_ex(handle_, operation(s.op_a), operation(s.op_b), s.m, s.n, s.k, &s.alpha, operands_.a,
                                 type, s.lda, operands_.b, type, s.ldb, &s.beta, operands_.c, type, s.ldc,
                                 compute_type(s.type), CUBLAS_GEMM_DEFAULT));
  }

 private:
  // FP32 data: pedantic, which no environment variable turns into TF32.
  cublasComputeType_t compute_type(DataType type) const {
    if (type == DataType::kFloat16) return CUBLAS_COMPUTE_32F;
    return math_ == MathMode::kTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F_PEDANTIC;
  }
};

template <class Made>
std::unique_ptr<Contender> created(std::unique_ptr<Made> contender, std::string* reason) {
  *reason = contender->create();
  if (!reason->empty()) return nullptr;
  return contender;
}

}  // namespace

std::unique_ptr<Contender> make_cublas_gemm(std::shared_ptr<const CublasLibrary> cublas, DataType type, MathMode math,
                                            Workspace workspace, std::string* reason) {
  return created(std::make_unique<CublasGemm>(std::move(cublas), type, math, workspace), reason);
}

std::unique_ptr<Contender> make_cublas_gemm_ex(std::shared_ptr<const CublasLibrary> cublas, MathMode math,
                                               Workspace workspace, std::string* reason) {
  return created(std::make_unique<CublasGemmEx>(std::move(cublas), math, workspace), reason);
}

}  // namespace fastgemm::cli
