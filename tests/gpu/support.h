// What the GPU tests share: device memory, handles, problems, and the case engine's verdicts as Catch2 checks.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "fastgemm/fastgemm.h"
#include "kernels/contract.h"
#include "src/cli/device_ops.h"
#include "src/cli/verify.h"
#include "src/cli/verify_plan.h"
#include "tests/support/catch.h"

namespace fastgemm::gpu_tests {

using namespace fastgemm::cli;

inline void require_cuda(cudaError_t status) {
  INFO(cudaGetErrorString(status));
  REQUIRE(status == cudaSuccess);
}

inline void require_ok(fg_status_t status) {
  INFO(fg_status_name(status) << ": " << fg_last_error());
  REQUIRE(status == FG_STATUS_SUCCESS);
}

class Stream {
 public:
  Stream() { require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { require_cuda(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Handle {
 public:
  explicit Handle(cudaStream_t stream = nullptr) {
    require_ok(fg_create(&handle_));
    require_ok(fg_set_stream(handle_, stream));
  }
  ~Handle() { fg_destroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator fg_handle_t() const { return handle_; }

 private:
  fg_handle_t handle_ = nullptr;
};

// Device memory for `count` elements.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::int64_t count) : count_(count) {
    require_cuda(cudaMalloc(reinterpret_cast<void**>(&data_), static_cast<std::size_t>(count) * sizeof(T)));
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(static_cast<std::int64_t>(values.size())) {
    require_cuda(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* get() const { return data_; }
  std::int64_t count() const { return count_; }
  // Call after the work that writes it has been waited for.
  std::vector<T> read() const {
    std::vector<T> values(static_cast<std::size_t>(count_));
    require_cuda(cudaMemcpy(values.data(), data_, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

struct Shape {
  std::int64_t m, n, k;
};

// An FP32 or FP16 product with tight leading dimensions, as the references take it.
inline GemmProblem tight_problem(DataType type, fg_operation_t ta, fg_operation_t tb, const Shape& s, const void* a,
                                 const void* b, void* d, float alpha = 1.0f, float beta = 0.0f) {
  GemmProblem p;
  p.type_ab = p.type_cd = type;
  p.op_a = ta == FG_OP_N ? Op::kN : Op::kT;
  p.op_b = tb == FG_OP_N ? Op::kN : Op::kT;
  p.m = s.m;
  p.n = s.n;
  p.k = s.k;
  p.alpha.value = alpha;
  p.beta.value = beta;
  p.a = {a, nullptr, ta == FG_OP_N ? s.m : s.k, 0};
  p.b = {b, nullptr, tb == FG_OP_N ? s.k : s.n, 0};
  p.c = {d, nullptr, s.m, 0};
  p.d = {d, nullptr, s.m, 0};
  return p;
}

inline fg_operation_t operation(Op op) { return op == Op::kN ? FG_OP_N : FG_OP_T; }

// fg_sgemm on an FP32 problem with host scalars.
inline fg_status_t run_sgemm(fg_handle_t handle, const GemmProblem& p) {
  return fg_sgemm_64(handle, operation(p.op_a), operation(p.op_b), p.m, p.n, p.k, &p.alpha.value,
                     static_cast<const float*>(p.a.data), p.a.ld, static_cast<const float*>(p.b.data), p.b.ld,
                     &p.beta.value, static_cast<float*>(p.d.data), p.d.ld);
}

// The problem as fg_gemm_ex takes it, in place, with host scalars. The descriptor points into `p`.
inline fg_gemm_desc descriptor_of(const GemmProblem& p) {
  fg_gemm_desc desc;
  fg_gemm_desc_init(&desc);
  desc.transa = operation(p.op_a);
  desc.transb = operation(p.op_b);
  desc.type_ab = desc.type_cd = p.type_ab == DataType::kFloat32 ? FG_R_32F : FG_R_16F;
  desc.m = p.m;
  desc.n = p.n;
  desc.k = p.k;
  desc.alpha = &p.alpha.value;
  desc.beta = &p.beta.value;
  desc.A = p.a.data;
  desc.B = p.b.data;
  desc.C = p.c.data;
  desc.lda = p.a.ld;
  desc.ldb = p.b.ld;
  desc.ldc = p.c.ld;
  return desc;
}

inline std::unique_ptr<Verifier> make_verifier() {
  std::string error;
  auto verifier = Verifier::create(&error);
  INFO(error);
  REQUIRE(verifier != nullptr);
  return verifier;
}

// Waits for the verdicts and turns each failure into a failed check. `suite` names the calls for tests/gpu/record.py.
inline void check_verdicts(Verifier* verifier, const char* suite) {
  verifier->finish();
  for (const Failure& failure : verifier->failures()) FAIL_CHECK(spell(failure.the_case) << "\n  " << failure.what);
  CHECK(verifier->failed() == 0);
  CHECK(verifier->ran() > 0);
  std::printf("calls %s %lld\n", suite, static_cast<long long>(verifier->ran()));
  std::fflush(stdout);
}

// Families made for any problem of their type. The others may decline; what they take must be right.
inline bool is_general(const std::string& kernel) {
  return kernel.rfind("ffma_", 0) == 0 || kernel.rfind("mma", 0) == 0;
}

// ops: 0 to 3 for NN, NT, TN, TT.
inline GemmProblem ops_problem(int ops, const Shape& s, const float* a, const float* b, float* d) {
  return tight_problem(DataType::kFloat32, static_cast<fg_operation_t>(ops / 2), static_cast<fg_operation_t>(ops % 2),
                       s, a, b, d);
}

// False where a special kernel declines the problem.
inline bool run_forced(fg_handle_t handle, const std::string& kernel, const GemmProblem& p) {
  require_ok(fg_set_kernel(handle, kernel.c_str()));
  const fg_status_t status = run_sgemm(handle, p);
  if (status == FG_STATUS_NOT_SUPPORTED && !kernel.empty() && !is_general(kernel)) return false;
  require_ok(status);
  return true;
}

// The kernels with code for this GPU; with `type`, those of one type.
inline std::vector<KernelInfo> available_kernels(fg_handle_t handle) {
  std::vector<KernelInfo> kernels;
  for (const KernelInfo& kernel : list_kernels(handle)) {
    if (kernel.available) kernels.push_back(kernel);
  }
  return kernels;
}

inline std::vector<KernelInfo> available_kernels(fg_handle_t handle, DataType type) {
  std::vector<KernelInfo> kernels;
  for (const KernelInfo& kernel : available_kernels(handle)) {
    if (kernel.type == type) kernels.push_back(kernel);
  }
  return kernels;
}

inline std::int64_t environment_number(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}

inline bool has_free_memory(std::size_t bytes) {
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  require_cuda(cudaMemGetInfo(&free_bytes, &total));
  return free_bytes > bytes;
}

// Runs fg_gpu_child with `arguments` ("NAME=value mode"), as a process of its own. Its exit code, or -1.
int run_child(const std::string& arguments);

}  // namespace fastgemm::gpu_tests
