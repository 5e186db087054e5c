// The case engine: makes calls through the public API on guarded, poisoned, exact-integer data and judges each element.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fastgemm/fastgemm.h"
#include "src/cli/verify_case.h"
#include "src/cli/verify_layout.h"

namespace fastgemm::cli {

struct Failure {
  Case the_case;
  std::string what;
};

// Cases go to the GPU without waiting; verdicts are read back hundreds at a time. One object serves one thread.
class Verifier {
 public:
  // Null, with the reason in *error, when there is no GPU to run on. With `handle` null it makes its own.
  static std::unique_ptr<Verifier> create(std::string* error, fg_handle_t handle = nullptr);
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  void set_one_by_one(bool value) { one_by_one_ = value; }

  // Enqueues one case. A forced kernel may answer NOT_SUPPORTED: that counts as declined, and D must be untouched.
  void add(const Case& c);
  // Waits for every case so far and reads the verdicts.
  void finish();

  fg_handle_t handle() const { return handle_; }
  cudaStream_t stream() const { return stream_; }
  // Counts up to the last finish().
  std::int64_t ran() const { return ran_; }
  std::int64_t declined() const { return declined_; }
  std::int64_t failed() const { return failed_; }
  // The first ones, in order.
  const std::vector<Failure>& failures() const { return failures_; }
  // A CUDA error has ended everything: further cases are not run.
  bool dead() const { return dead_; }

 private:
  struct Pending {
    Case the_case;
    CaseImage image;
    bool declined = false;
    std::string error;  // what is known to be wrong before the verdict
  };

  Verifier() = default;
  bool reserve(std::size_t stretches, std::size_t expected);
  void judge(const Pending& pending, const CaseVerdict& verdict);
  void fail(const Case& c, const std::string& what);
  bool cuda_ok(cudaError_t status, const char* doing);
  fg_status_t force_kernel(const std::string& name);
  fg_status_t call(const Case& c, const CaseLayout& layout, std::string* error);

  fg_handle_t handle_ = nullptr;
  bool owns_handle_ = false;
  cudaStream_t stream_ = nullptr;
  std::string forced_;
  char* arena_ = nullptr;  // the stretches, pointer arrays and scalars of one case; reused by the next in stream order
  std::size_t arena_bytes_ = 0;
  char* expected_ = nullptr;
  std::size_t expected_bytes_ = 0;
  CaseVerdict* verdicts_ = nullptr;
  std::vector<Pending> pending_;
  std::vector<cudaGraphExec_t> graphs_;  // launched, and perhaps not finished
  std::vector<Failure> failures_;
  std::int64_t ran_ = 0;
  std::int64_t declined_ = 0;
  std::int64_t failed_ = 0;
  bool one_by_one_ = false;
  bool dead_ = false;
};

}  // namespace fastgemm::cli
