// What every name of cuBLAS does here: offer the product to this library's kernels, else pass the call on as it came.
#pragma once

#include "src/cublas_hook/read_call.h"
#include "src/cublas_hook/statistics.h"
#include "src/cublas_hook/target.h"

namespace fastgemm::hook {

// True while this thread is inside cuBLAS or our own kernels on our account: what arrives then, such as the
// cublasLtMatmul that libcublas calls, is part of a call that has been decided on.
class InsideScope {
 public:
  InsideScope() { inside_ = true; }
  ~InsideScope() { inside_ = false; }
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;
  static bool inside() { return inside_; }

 private:
  // Read at every call: the model that costs one load.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local bool inside_;
};

// FASTGEMM_DROPIN=off: everything is passed on.
bool acts();

// Counts a call, and traces what became of it. `offered`: its types, modes and descriptor are ones that ours take.
void note_call(Entry entry, bool offered, bool served);

template <class... Arguments>
cublasStatus_t pass_on(const Target& target, Arguments... arguments) {
  if (target.function == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  return reinterpret_cast<cublasStatus_t (*)(Arguments...)>(target.function)(arguments...);
}

// `read` fills an offer from the call, or tells that it is not ours. The arguments have exactly the types of the
// entry's parameters: they are passed on as such.
template <class Read, class... Arguments>
cublasStatus_t answer(Entry entry, const void* return_address, const Read& read, Arguments... arguments) {
  const Target& target = target_of(entry, return_address);
  if (InsideScope::inside()) return pass_on(target, arguments...);
  const InsideScope inside;
  Offer offer;
  std::optional<cublasStatus_t> status;
  const bool offered = acts() && read(target, &offer);
  if (offered) status = run_own(offer);
  note_call(entry, offered, status.has_value());
  return status.has_value() ? *status : pass_on(target, arguments...);
}

// The same for a call with a cuBLAS handle, in one of the forms of read_call.h.
template <class Form, class... Arguments>
cublasStatus_t answer_gemm(Entry entry, const void* return_address, cublasHandle_t handle, Arguments... arguments) {
  const auto read = [&](const Target& target, Offer* offer) {
    return Form::read(&offer->arguments, arguments...) && read_handle(target, handle, offer);
  };
  return answer(entry, return_address, read, handle, arguments...);
}

}  // namespace fastgemm::hook
