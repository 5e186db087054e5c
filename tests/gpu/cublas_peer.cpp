#include "tests/gpu/cublas_peer.h"

#include <dlfcn.h>

#include <cstdlib>

namespace fastgemm::gpu_tests {

CublasPeer::CublasPeer() {
  const char* named = std::getenv("FASTGEMM_CUBLAS");
  void* library = nullptr;
  for (const char* name : {named, "libcublas.so.13", "libcublas.so.12"}) {
    if (library == nullptr && name != nullptr) library = dlopen(name, RTLD_NOW);
  }
  if (library == nullptr) {
    error_ = "libcublas was not found";
    return;
  }
  const auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
  destroy_ = reinterpret_cast<Destroy>(dlsym(library, "cublasDestroy_v2"));
  set_stream_ = reinterpret_cast<SetStream>(dlsym(library, "cublasSetStream_v2"));
  sgemm_ = reinterpret_cast<Sgemm>(dlsym(library, "cublasSgemm_v2"));
  if (create == nullptr || destroy_ == nullptr || set_stream_ == nullptr || sgemm_ == nullptr ||
      create(&handle_) != 0) {
    handle_ = nullptr;
    error_ = "libcublas cannot be used";
  }
}

CublasPeer::~CublasPeer() {
  if (handle_ != nullptr) destroy_(handle_);
}

int CublasPeer::sgemm(const GemmProblem& p, float* d, cudaStream_t stream) const {
  const int status = set_stream_(handle_, stream);
  if (status != 0) return status;
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  return sgemm_(handle_, p.op_a == Op::kT, p.op_b == Op::kT, narrow(p.m), narrow(p.n), narrow(p.k), &p.alpha.value,
                static_cast<const float*>(p.a.data), narrow(p.a.ld), static_cast<const float*>(p.b.data),
                narrow(p.b.ld), &p.beta.value, d, narrow(p.m));
}

}  // namespace fastgemm::gpu_tests
