// One or several cuBLAS calls a product, with passes of the epilogue before or after where cuBLAS has none.
#include "src/exec/cublas_fallback.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "src/base/environment.h"
#include "src/dispatch/fallback_rules.h"
#include "src/exec/cublas_library.h"
#include "src/exec/cuda_status.h"
#include "src/exec/execute.h"
#include "src/exec/product_panels.h"
#include "src/exec/runtime_calls.h"
#include "src/exec/workspace.h"

namespace fastgemm {

namespace {

constexpr std::size_t kWorkspaceAlignment = 256;                   // what cublasSetWorkspace asks for
constexpr std::size_t kReserveBytes = std::size_t{4} << 20;        // at least four times kMinCublasBytes
constexpr std::size_t kMinCublasBytes = std::size_t{64} << 10;     // under 16 KiB cuBLAS fails with ALLOC_FAILED
constexpr std::size_t kCublasBytesEnough = std::size_t{32} << 20;  // its own default on Hopper

// Memory of one call: cuBLAS's workspace and the FP32 product of which D is made.
struct CallMemory {
  WorkspaceSpan cublas;
  WorkspaceSpan product;
};

// What keeps cuBLAS to the arithmetic of a math mode, whatever the environment says (NVIDIA_TF32_OVERRIDE, emulation).
struct Arithmetic {
  cublasMath_t math_mode;
  cublasComputeType_t compute_type;
};

cudaDataType_t cuda_type(DataType type) { return type == DataType::kFloat32 ? CUDA_R_32F : CUDA_R_16F; }

cublasOperation_t cublas_op(Op op) { return op == Op::kN ? CUBLAS_OP_N : CUBLAS_OP_T; }

Arithmetic arithmetic_of(const GemmProblem& problem) {
  if (problem.type_ab == DataType::kFloat16) {
    return {CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, CUBLAS_COMPUTE_32F};
  }
  if (problem.math_mode == MathMode::kTf32) return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F_FAST_TF32};
  return {CUBLAS_PEDANTIC_MATH, CUBLAS_COMPUTE_32F_PEDANTIC};
}

ExecuteResult cublas_failure(const char* call, cublasStatus_t status) {
  fg_status_t mapped = static_cast<fg_status_t>(status);
  // The problem was found valid, so a value that cuBLAS refuses is ours; licence errors have no status here.
  if (status == CUBLAS_STATUS_INVALID_VALUE || status == CUBLAS_STATUS_LICENSE_ERROR) mapped = FG_STATUS_INTERNAL_ERROR;
  return {mapped, std::string(call) + " answered status " + std::to_string(static_cast<int>(status))};
}

bool needs_copy(const GemmProblem& problem) { return problem.beta.value != 0.0f && !is_in_place(problem); }

WorkspaceSpan aligned(WorkspaceSpan span) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(span.data) % kWorkspaceAlignment;
  const std::size_t skip = past == 0 ? 0 : kWorkspaceAlignment - past;
  if (span.data == nullptr || span.bytes <= skip) return {};
  return {static_cast<char*>(span.data) + skip, span.bytes - skip};
}

// cuBLAS gets all of it, or a quarter where a product needs room too.
CallMemory divide_memory(WorkspaceSpan launch, WorkspaceSpan reserve, bool needs_product) {
  const WorkspaceSpan whole = launch.bytes >= 4 * kMinCublasBytes ? launch : reserve;
  if (!needs_product) return {whole, {}};
  const std::size_t share = std::min(whole.bytes / 4, kCublasBytesEnough) / kWorkspaceAlignment * kWorkspaceAlignment;
  return {{whole.data, share}, {static_cast<char*>(whole.data) + share, whole.bytes - share}};
}

}  // namespace

struct CublasFallback::State {
  State(CublasLibrary opened, const RuntimeCalls& calls) : library(std::move(opened)), runtime(calls) {}
  ~State();

  ExecuteResult multiply(const GemmProblem& problem) const;
  ExecuteResult apply(const ApplyParams& params, cudaStream_t stream) const;
  ExecuteResult copy_c_to_d(const GemmProblem& problem, cudaStream_t stream) const;
  ExecuteResult finish_in_place(const GemmProblem& problem, cudaStream_t stream) const;
  ExecuteResult multiply_in_panels(const GemmProblem& problem, WorkspaceSpan product, cudaStream_t stream) const;
  ExecuteResult multiply_and_finish(const GemmProblem& problem, const CallMemory& memory, cudaStream_t stream) const;
  ExecuteResult begin(const GemmProblem& problem, WorkspaceSpan memory, cudaStream_t stream) const;

  CublasLibrary library;
  const RuntimeCalls& runtime;
  cublasHandle_t handle = nullptr;
  ContextMark mark;
  int version = 0;
  std::string no_apply;  // why the epilogue pass cannot run on this device; empty: it can
  WorkspaceSpan reserve;
  std::mutex mutex;  // stream, workspace and math mode belong to the handle, so calls take turns
};

CublasFallback::State::~State() {
  // Without its context the handle's memory is gone already, and at exit cuBLAS itself may be.
  if (handle == nullptr || !runtime.context_alive(mark)) return;
  library.functions.destroy(handle);
  if (reserve.data != nullptr) runtime.release(reserve.data);
}

// One cuBLAS call, D in place of C.
ExecuteResult CublasFallback::State::multiply(const GemmProblem& p) const {
  const CublasFunctions& f = library.functions;
  const cublasComputeType_t compute = arithmetic_of(p).compute_type;
  const cudaDataType_t ab = cuda_type(p.type_ab);
  const cudaDataType_t cd = cuda_type(p.type_cd);
  const cublasOperation_t op_a = cublas_op(p.op_a);
  const cublasOperation_t op_b = cublas_op(p.op_b);
  const float* alpha = &p.alpha.value;
  const float* beta = &p.beta.value;
  const char* call = nullptr;
  cublasStatus_t status{};
  if (p.d.pointers != nullptr) {
    call = "cublasGemmBatchedEx_64";
    status = f.gemm_batched(handle, op_a, op_b, p.m, p.n, p.k, alpha, p.a.pointers, ab, p.a.ld, p.b.pointers, ab,
                            p.b.ld, beta, p.d.pointers, cd, p.d.ld, p.batch_count, compute, CUBLAS_GEMM_DEFAULT);
  } else if (p.batch_count > 1) {
    call = "cublasGemmStridedBatchedEx_64";
    status = f.gemm_strided_batched(handle, op_a, op_b, p.m, p.n, p.k, alpha, p.a.data, ab, p.a.ld, p.a.batch_stride,
                                    p.b.data, ab, p.b.ld, p.b.batch_stride, beta, p.d.data, cd, p.d.ld,
                                    p.d.batch_stride, p.batch_count, compute, CUBLAS_GEMM_DEFAULT);
  } else {
    call = "cublasGemmEx_64";
    status = f.gemm(handle, op_a, op_b, p.m, p.n, p.k, alpha, p.a.data, ab, p.a.ld, p.b.data, ab, p.b.ld, beta,
                    p.d.data, cd, p.d.ld, compute, CUBLAS_GEMM_DEFAULT);
  }
  return status == CUBLAS_STATUS_SUCCESS ? ExecuteResult{} : cublas_failure(call, status);
}

ExecuteResult CublasFallback::State::apply(const ApplyParams& params, cudaStream_t stream) const {
  const cudaError_t error = runtime.launch_apply(params, stream);
  if (error == cudaSuccess) return {};
  return {status_from_cuda(error), cuda_error_text("launching the epilogue pass", error)};
}

ExecuteResult CublasFallback::State::copy_c_to_d(const GemmProblem& problem, cudaStream_t stream) const {
  ApplyParams copy;
  copy.problem = problem;
  copy.problem.k = 0;
  copy.problem.beta = Scalar{.value = 1.0f};
  copy.problem.bias = nullptr;
  copy.problem.activation = Activation::kNone;
  return apply(copy, stream);
}

// Bias and activation on an FP32 D that holds alpha * op(A) * op(B) + beta * C.
ExecuteResult CublasFallback::State::finish_in_place(const GemmProblem& problem, cudaStream_t stream) const {
  ApplyParams finish;
  finish.problem = problem;
  finish.problem.alpha = Scalar{.value = 1.0f};
  finish.problem.beta = Scalar{.value = 0.0f};
  finish.product = static_cast<const float*>(problem.d.data);
  finish.product_ld = problem.d.ld;
  finish.product_batch_stride = problem.d.batch_stride;
  return apply(finish, stream);
}

// FP16 D with bias or activation: the product in FP32, then everything else with one rounding.
ExecuteResult CublasFallback::State::multiply_in_panels(const GemmProblem& problem, WorkspaceSpan product,
                                                        cudaStream_t stream) const {
  const ProductPanel size = largest_panel(problem, product.bytes);
  ProductPanel panel = size;
  do {
    ApplyParams finish;
    finish.problem = panel_problem(problem, panel);
    finish.product = static_cast<const float*>(product.data);
    finish.product_ld = panel.rows;
    finish.product_batch_stride = panel.rows * panel.columns;
    GemmProblem multiplication = finish.problem;
    multiplication.type_cd = DataType::kFloat32;
    multiplication.alpha = Scalar{.value = 1.0f};
    multiplication.beta = Scalar{.value = 0.0f};
    multiplication.d = Output{.data = product.data, .ld = panel.rows, .batch_stride = finish.product_batch_stride};
    if (ExecuteResult result = multiply(multiplication); result.status != FG_STATUS_SUCCESS) return result;
    if (ExecuteResult result = apply(finish, stream); result.status != FG_STATUS_SUCCESS) return result;
  } while (next_panel(problem, size, &panel));
  return {};
}

ExecuteResult CublasFallback::State::multiply_and_finish(const GemmProblem& problem, const CallMemory& memory,
                                                         cudaStream_t stream) const {
  if (fallback_needs_product_buffer(problem)) return multiply_in_panels(problem, memory.product, stream);
  if (needs_copy(problem)) {
    if (ExecuteResult result = copy_c_to_d(problem, stream); result.status != FG_STATUS_SUCCESS) return result;
  }
  if (ExecuteResult result = multiply(problem); result.status != FG_STATUS_SUCCESS) return result;
  return has_epilogue(problem) ? finish_in_place(problem, stream) : ExecuteResult{};
}

ExecuteResult CublasFallback::State::begin(const GemmProblem& problem, WorkspaceSpan memory,
                                           cudaStream_t stream) const {
  const CublasFunctions& f = library.functions;
  if (const cublasStatus_t status = f.set_stream(handle, stream); status != CUBLAS_STATUS_SUCCESS) {
    return cublas_failure("cublasSetStream", status);
  }
  // After the stream, which puts cuBLAS's own allocation back in place.
  if (const cublasStatus_t status = f.set_workspace(handle, memory.data, memory.bytes);
      status != CUBLAS_STATUS_SUCCESS) {
    return cublas_failure("cublasSetWorkspace", status);
  }
  if (const cublasStatus_t status = f.set_math_mode(handle, arithmetic_of(problem).math_mode);
      status != CUBLAS_STATUS_SUCCESS) {
    return cublas_failure("cublasSetMathMode", status);
  }
  return {};
}

CublasFallback::CublasFallback() = default;
CublasFallback::~CublasFallback() = default;

std::unique_ptr<CublasFallback> CublasFallback::open(std::string* error) {
  return open({.library = environment().cublas}, error);
}

std::unique_ptr<CublasFallback> CublasFallback::open(const FallbackOptions& options, std::string* error) {
  std::optional<CublasLibrary> library = open_cublas(options.library, error);
  if (!library) return nullptr;
  const RuntimeCalls& runtime = options.runtime != nullptr ? *options.runtime : cuda_runtime();
  std::unique_ptr<CublasFallback> fallback(new CublasFallback);
  fallback->state_ = std::make_unique<State>(std::move(*library), runtime);
  State& state = *fallback->state_;
  if (const cublasStatus_t status = state.library.functions.create(&state.handle); status != CUBLAS_STATUS_SUCCESS) {
    *error = cublas_failure("cublasCreate", status).error + " (" + state.library.path + ")";
    state.handle = nullptr;
    return nullptr;
  }
  state.mark = runtime.mark_context();
  state.library.functions.get_version(state.handle, &state.version);
  if (const cudaError_t failure = runtime.allocate(&state.reserve.data, kReserveBytes); failure != cudaSuccess) {
    *error = cuda_error_text("allocating cuBLAS's workspace", failure);
    state.reserve = {};
    return nullptr;
  }
  state.reserve.bytes = kReserveBytes;
  if (const cudaError_t failure = runtime.prepare_apply(); failure != cudaSuccess) {
    state.no_apply = cuda_error_text("the epilogue pass, which cuBLAS needs beside it, cannot be loaded", failure);
  }
  return fallback;
}

bool CublasFallback::supports(const GemmProblem& problem) { return fallback_refusal(problem) == nullptr; }

ExecuteResult CublasFallback::run(const GemmProblem& problem, const LaunchContext& context) {
  if (const char* reason = fallback_refusal(problem); reason != nullptr) {
    return {FG_STATUS_NOT_SUPPORTED, std::string("cuBLAS is not used for ") + reason};
  }
  if (!state_->no_apply.empty() && (problem.k == 0 || has_epilogue(problem) || needs_copy(problem))) {
    return {FG_STATUS_NOT_SUPPORTED, state_->no_apply};
  }
  if (problem.k == 0) return state_->apply({.problem = problem}, context.stream);
  const CallMemory memory = divide_memory(aligned({context.workspace, context.workspace_bytes}), state_->reserve,
                                          fallback_needs_product_buffer(problem));
  const std::lock_guard lock(state_->mutex);
  const RelaxedCaptureScope cublas_may_load_code(state_->runtime);  // which it does at a kernel's first use
  ExecuteResult result = state_->begin(problem, memory.cublas, context.stream);
  if (result.status == FG_STATUS_SUCCESS) result = state_->multiply_and_finish(problem, memory, context.stream);
  return result;
}

const std::string& CublasFallback::path() const { return state_->library.path; }

int CublasFallback::version() const { return state_->version; }

}  // namespace fastgemm
