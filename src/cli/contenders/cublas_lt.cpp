// The fastest of cublasLt's heuristics, found by a short run of all of them: what a user who tunes would get.
#include <algorithm>
#include <array>
#include <vector>

#include "src/cli/contenders/cublas.h"

namespace fastgemm::cli {
namespace {

constexpr int kTries = 5;

std::string text(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS ? "" : cublas_status_text(status); }

// Largest power of two, at most 256 (what cublasLt assumes by default), that divides the address.
std::uint32_t address_alignment(const void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address) | 256;
  return static_cast<std::uint32_t>(value & (~value + 1));
}

class CublasLt final : public Contender {
 public:
  CublasLt(std::shared_ptr<const CublasLtLibrary> lt, MathMode math, Workspace workspace)
      : lt_(std::move(lt)), math_(math), workspace_(workspace) {}
  ~CublasLt() override {
    release();
    if (handle_ != nullptr) lt_->destroy(handle_);
  }

  std::string create() { return text(lt_->create(&handle_)); }
  std::string name() const override { return "cublasLt"; }
  std::string detail() const override { return "heuristic " + std::to_string(chosen_); }

  std::string prepare(const Operands& operands, const QuickTimes& quick_times) override {
    operands_ = operands;
    release();
    std::string error = describe_product();
    if (error.empty()) error = find_algorithms();
    if (error.empty()) error = choose(quick_times);
    return error;
  }

  std::string launch() override { return launch_algorithm(chosen_); }

 private:
  std::string describe_product() {
    const Shape& s = operands_.shape;
    const cudaDataType_t type = s.type == DataType::kFloat32 ? CUDA_R_32F : CUDA_R_16F;
    const bool tf32 = math_ == MathMode::kTf32 && s.type == DataType::kFloat32;
    const cublasOperation_t op_a = s.op_a == Op::kN ? CUBLAS_OP_N : CUBLAS_OP_T;
    const cublasOperation_t op_b = s.op_b == Op::kN ? CUBLAS_OP_N : CUBLAS_OP_T;
    const cublasStatus_t steps[] = {
        lt_->desc_create(&desc_, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F),
        lt_->desc_set(desc_, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof op_a),
        lt_->desc_set(desc_, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof op_b),
        lt_->layout_create(&layout_a_, type, static_cast<std::uint64_t>(s.rows_a()),
                           static_cast<std::uint64_t>(s.columns_a()), s.lda),
        lt_->layout_create(&layout_b_, type, static_cast<std::uint64_t>(s.rows_b()),
                           static_cast<std::uint64_t>(s.columns_b()), s.ldb),
        lt_->layout_create(&layout_c_, type, static_cast<std::uint64_t>(s.m), static_cast<std::uint64_t>(s.n), s.ldc),
    };
    for (const cublasStatus_t step : steps) {
      if (step != CUBLAS_STATUS_SUCCESS) return text(step);
    }
    return "";
  }

  std::string find_algorithms() {
    cublasLtMatmulPreference_t preference = nullptr;
    cublasStatus_t status = lt_->preference_create(&preference);
    if (status != CUBLAS_STATUS_SUCCESS) return text(status);
    lt_->preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_.bytes,
                        sizeof workspace_.bytes);
    const std::uint32_t align_a = address_alignment(operands_.a);
    const std::uint32_t align_b = address_alignment(operands_.b);
    const std::uint32_t align_c = address_alignment(operands_.c);
    lt_->preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &align_a, sizeof align_a);
    lt_->preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &align_b, sizeof align_b);
    lt_->preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &align_c, sizeof align_c);
    lt_->preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &align_c, sizeof align_c);
    int found = 0;
    status = lt_->get_heuristic(handle_, desc_, layout_a_, layout_b_, layout_c_, layout_c_, preference, kLtHeuristics,
                                heuristics_.data(), &found);
    lt_->preference_destroy(preference);
    found_ = status == CUBLAS_STATUS_SUCCESS ? found : 0;
    if (found_ == 0) return "no heuristic for this product (" + cublas_status_text(status) + ")";
    return "";
  }

  std::string choose(const QuickTimes& quick_times) {
    std::vector<Launch> launches;
    for (int i = 0; i < found_; ++i) launches.push_back([this, i] { return launch_algorithm(i); });
    const std::vector<double> times = quick_times(launches, kTries);
    chosen_ = -1;
    for (int i = 0; i < found_; ++i) {
      const double time = times[static_cast<std::size_t>(i)];
      if (time >= 0.0 && (chosen_ < 0 || time < times[static_cast<std::size_t>(chosen_)])) chosen_ = i;
    }
    return chosen_ < 0 ? "no heuristic runs" : "";
  }

  std::string launch_algorithm(int index) {
    const cublasLtMatmulHeuristicResult_t& heuristic = heuristics_[static_cast<std::size_t>(index)];
    if (heuristic.state != CUBLAS_STATUS_SUCCESS) return text(heuristic.state);
    const Shape& s = operands_.shape;
    return text(lt_->matmul(handle_, desc_, &s.alpha, operands_.a, layout_a_, operands_.b, layout_b_, &s.beta,
                            operands_.c, layout_c_, operands_.c, layout_c_, &heuristic.algo, workspace_.data,
                            workspace_.bytes, operands_.stream));
  }

  void release() {
    if (desc_ != nullptr) lt_->desc_destroy(desc_);
    desc_ = nullptr;
    for (cublasLtMatrixLayout_t* layout : {&layout_a_, &layout_b_, &layout_c_}) {
      if (*layout != nullptr) lt_->layout_destroy(*layout);
      *layout = nullptr;
    }
  }

  std::shared_ptr<const CublasLtLibrary> lt_;
  MathMode math_;
  Workspace workspace_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t layout_a_ = nullptr;
  cublasLtMatrixLayout_t layout_b_ = nullptr;
  cublasLtMatrixLayout_t layout_c_ = nullptr;
  std::array<cublasLtMatmulHeuristicResult_t, kLtHeuristics> heuristics_{};
  int found_ = 0;
  int chosen_ = 0;
  Operands operands_;
};

}  // namespace

std::unique_ptr<Contender> make_cublas_lt(std::shared_ptr<const CublasLtLibrary> lt, MathMode math, Workspace workspace,
                                          std::string* reason) {
  auto contender = std::make_unique<CublasLt>(std::move(lt), math, workspace);
  *reason = contender->create();
  if (!reason->empty()) return nullptr;
  return contender;
}

}  // namespace fastgemm::cli
