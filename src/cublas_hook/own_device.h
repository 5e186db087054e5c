// This library's kernels on one CUDA context: for all threads, whatever cuBLAS handles they have.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <vector>

#include "src/api/handle.h"
#include "src/cublas_hook/offer.h"

namespace fastgemm::hook {

enum class Capture { kNo, kYes, kUnknown };
using CaptureOf = Capture (*)(cudaStream_t stream);

// Settings travel with each offer, so one handle serves all threads, and its plans, code and memory are there once. It
// has no cuBLAS: what the dispatcher would leave to that is passed on to the program's own.
class OwnDevice {
 public:
  OwnDevice(std::unique_ptr<fg_handle> handle, CaptureOf capture_of)
      : handle_(std::move(handle)), capture_of_(capture_of) {}

  // See offer.h. The context is the current one.
  std::optional<cublasStatus_t> run(const Offer& offer);

 private:
  struct Chosen {
    std::shared_ptr<const Plan> plan;  // null: none of ours
    WorkspaceSpan memory;
    bool uses_memory = false;
  };

  Chosen choose(const GemmProblem& problem, const Offer& offer);
  std::shared_ptr<const Plan> plan_with(const WorkspaceSpan& memory, const GemmProblem& problem, int sm_count);
  WorkspaceSpan memory_of(const Offer& offer);
  bool add_memory_of(cudaStream_t stream);
  int planned_sms(const Offer& offer) const;
  cublasStatus_t launch(const Chosen& chosen, const GemmProblem& problem, const Offer& offer);

  // Each stream that multiplies has workspace for as long as the process lives, streams that are gone included.
  static constexpr std::size_t kMaxStreams = 16;
  static constexpr std::size_t kTurns = 16;

  std::unique_ptr<fg_handle> handle_;
  CaptureOf capture_of_;
  std::mutex streams_mutex_;
  std::vector<cudaStream_t> streams_;  // that have memory, or were refused it
  std::array<std::mutex, kTurns> turns_;
};

// A handle on the current device with all its kernels; null, with a line in the log, where there is nothing to run.
std::unique_ptr<fg_handle> make_own_handle();

Capture capture_of(cudaStream_t stream);

}  // namespace fastgemm::hook
