#include "src/cli/verify.h"

#include <algorithm>
#include <cstdio>

#include "src/cli/device_ops.h"

namespace fastgemm::cli {
namespace {

constexpr std::size_t kVerdicts = 1024;      // cases in flight
constexpr std::size_t kKeptFailures = 50;
constexpr const char* kRoleNames[kMatrixCount] = {"A", "B", "C", "D", "bias"};

std::string status_text(fg_status_t status) {
  std::string text = std::string("answered ") + fg_status_name(status);
  const char* detail = fg_last_error();
  if (detail != nullptr && detail[0] != '\0') text += std::string(": ") + detail;
  return text;
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// gelu goes through a tanh that no two implementations round alike (cuBLAS's is the GPU's 11-bit approximation);
// everything else here is exact.
double tolerance_of(const Case& c) {
  if (c.activation != FG_ACTIVATION_GELU) return 0.0;
  const bool own_kernel = !c.kernel.empty() && c.kernel != "cublas";
  if (c.type_cd == DataType::kFloat16) return own_kernel ? 0x1p-10 : 0x1p-9;
  return own_kernel ? 0x1p-17 : 0x1p-10;
}

// Grows a device buffer that is only ever read by work already waited for.
bool grow(char** buffer, std::size_t* have, std::size_t want) {
  if (want <= *have) return true;
  cudaFree(*buffer);
  *buffer = nullptr;
  *have = 0;
  const std::size_t bytes = std::max(want + want / 4, std::size_t{16} << 20);
  cudaError_t status = cudaMalloc(reinterpret_cast<void**>(buffer), bytes);
  if (status == cudaSuccess) {
    *have = bytes;
    return true;
  }
  cudaGetLastError();
  if (cudaMalloc(reinterpret_cast<void**>(buffer), want) != cudaSuccess) return false;
  *have = want;
  return true;
}

}  // namespace

std::unique_ptr<Verifier> Verifier::create(std::string* error, fg_handle_t handle) {
  std::unique_ptr<Verifier> verifier(new Verifier);
  if (handle == nullptr) {
    const fg_status_t status = fg_create(&verifier->handle_);
    if (status != FG_STATUS_SUCCESS) {
      *error = "fg_create " + status_text(status);
      return nullptr;
    }
    verifier->owns_handle_ = true;
  } else {
    verifier->handle_ = handle;
  }
  cudaError_t status = cudaStreamCreateWithFlags(&verifier->stream_, cudaStreamNonBlocking);
  if (status == cudaSuccess) {
    status = cudaMalloc(reinterpret_cast<void**>(&verifier->verdicts_), kVerdicts * sizeof(CaseVerdict));
  }
  if (status == cudaSuccess) {
    // In the cases' own stream: a plain memset runs in the default stream, beside which this one does not wait.
    status = cudaMemsetAsync(verifier->verdicts_, 0, kVerdicts * sizeof(CaseVerdict), verifier->stream_);
  }
  if (status != cudaSuccess) {
    *error = std::string("CUDA: ") + cudaGetErrorString(status);
    return nullptr;
  }
  const fg_status_t streamed = fg_set_stream(verifier->handle_, verifier->stream_);
  if (streamed != FG_STATUS_SUCCESS) {
    *error = "fg_set_stream " + status_text(streamed);
    return nullptr;
  }
  return verifier;
}

Verifier::~Verifier() {
  if (stream_ != nullptr) cudaStreamSynchronize(stream_);
  for (const cudaGraphExec_t graph : graphs_) cudaGraphExecDestroy(graph);
  if (owns_handle_) {
    fg_destroy(handle_);
  } else if (handle_ != nullptr) {
    fg_set_stream(handle_, nullptr);
  }
  cudaFree(arena_);
  cudaFree(expected_);
  cudaFree(verdicts_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

void Verifier::fail(const Case& c, const std::string& what) {
  ++failed_;
  if (failures_.size() < kKeptFailures) failures_.push_back({c, what});
}

bool Verifier::cuda_ok(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return true;
  dead_ = true;
  const Case last = pending_.empty() ? Case{} : pending_.back().the_case;
  std::string what = std::string(doing) + ": " + cudaGetErrorString(status);
  if (pending_.size() > 1) {
    what += " (in one of the last " + std::to_string(pending_.size()) + " cases up to this one; run one by one to see)";
  }
  fail(last, what);
  return false;
}

bool Verifier::reserve(std::size_t stretches, std::size_t expected) {
  if (stretches <= arena_bytes_ && expected <= expected_bytes_) return true;
  finish();
  return !dead_ && grow(&arena_, &arena_bytes_, stretches) && grow(&expected_, &expected_bytes_, expected);
}

fg_status_t Verifier::force_kernel(const std::string& name) {
  if (name == forced_) return FG_STATUS_SUCCESS;
  const fg_status_t status = fg_set_kernel(handle_, name.empty() ? nullptr : name.c_str());
  if (status == FG_STATUS_SUCCESS) forced_ = name;
  return status;
}

// The call, as it is or captured into a graph. What CUDA says against the graph goes to *error.
fg_status_t Verifier::call(const Case& c, const CaseLayout& layout, std::string* error) {
  if (!c.captured) return make_call(handle_, c, layout);
  cudaError_t status = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
  if (status != cudaSuccess) {
    *error = std::string("no capture began: ") + cudaGetErrorString(status);
    return FG_STATUS_SUCCESS;
  }
  const fg_status_t answer = make_call(handle_, c, layout);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  status = cudaStreamEndCapture(stream_, &graph);
  if (status == cudaSuccess) status = cudaGraphInstantiate(&executable, graph, 0);
  if (graph != nullptr) cudaGraphDestroy(graph);
  if (status == cudaSuccess) {
    graphs_.push_back(executable);
    status = cudaGraphLaunch(executable, stream_);
  }
  if (status != cudaSuccess) {
    cudaGetLastError();  // else the next launch would be blamed
    *error = std::string("captured: ") + cudaGetErrorString(status);
  }
  return answer;
}

void Verifier::add(const Case& c) {
  if (dead_) return;
  const CaseLayout size = lay_out(c, nullptr);
  if (!reserve(size.bytes, size.expected_bytes)) {
    if (!dead_) fail(c, "not enough device memory for the case");
    return;
  }
  const CaseLayout layout = lay_out(c, arena_);
  auto* expected = reinterpret_cast<double*>(expected_);
  Pending pending{c, layout.image, false, {}};
  cudaError_t status = prepare_case(layout.image, stream_);
  if (status == cudaSuccess) status = reference_gemm(layout.problem, expected, c.m, stream_);
  fg_status_t answer = force_kernel(c.kernel);
  if (answer == FG_STATUS_SUCCESS) answer = call(c, layout, &pending.error);
  if (answer == FG_STATUS_NOT_SUPPORTED && !c.kernel.empty()) {
    pending.declined = true;
    // Nothing may have been written: D is judged like an input.
    pending.image.matrices[kMatrixC] = pending.image.matrices[kMatrixD];
    pending.image.matrices[kMatrixD].total = 0;
  } else if (answer != FG_STATUS_SUCCESS) {
    pending.error = status_text(answer);
  }
  pending_.push_back(std::move(pending));
  const Pending& added = pending_.back();
  if (status == cudaSuccess) {
    status = check_case(added.image, expected, tolerance_of(c), verdicts_ + pending_.size() - 1, stream_);
  }
  if (!cuda_ok(status, "launching a case")) return;
  if (pending_.size() == kVerdicts || one_by_one_) finish();
}

void Verifier::finish() {
  if (pending_.empty() || dead_) return;
  std::vector<CaseVerdict> verdicts(pending_.size());
  const std::size_t bytes = pending_.size() * sizeof(CaseVerdict);
  cudaError_t status = cudaMemcpyAsync(verdicts.data(), verdicts_, bytes, cudaMemcpyDeviceToHost, stream_);
  if (status == cudaSuccess) status = cudaMemsetAsync(verdicts_, 0, bytes, stream_);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream_);
  if (cuda_ok(status, "running cases")) {
    for (std::size_t i = 0; i < pending_.size(); ++i) judge(pending_[i], verdicts[i]);
  }
  for (const cudaGraphExec_t graph : graphs_) cudaGraphExecDestroy(graph);
  graphs_.clear();
  pending_.clear();
}

void Verifier::judge(const Pending& pending, const CaseVerdict& verdict) {
  if (pending.declined) {
    ++declined_;
  } else {
    ++ran_;
  }
  std::string what = pending.error;
  for (int role = 0; role < kMatrixCount && what.empty(); ++role) {
    if (verdict.wrong[role] == 0) continue;
    const MatrixImage& matrix = pending.image.matrices[role];
    const auto first = static_cast<std::int64_t>(~verdict.last_first[role]);
    what = std::string(kRoleNames[pending.declined && role == kMatrixC ? int{kMatrixD} : role]) + ": " +
           std::to_string(verdict.wrong[role]) + " elements wrong, the first at " + describe_place(matrix, first);
    if (role == kMatrixD && verdict.sample != 0) {
      what += "; got " + number(verdict.got) + ", wanted " + number(verdict.wanted) + " at " +
              describe_place(matrix, static_cast<std::int64_t>(verdict.sample - 1));
    }
  }
  if (!what.empty()) fail(pending.the_case, what);
}

}  // namespace fastgemm::cli
