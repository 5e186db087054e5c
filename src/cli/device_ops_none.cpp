// The device operations of a build without device code: every one answers that there is no device to run on.
#include "src/cli/device_ops.h"
#include "src/cli/verify_device.h"

namespace fastgemm::cli {

namespace {
constexpr cudaError_t kNone = cudaErrorNoDevice;
}

cudaError_t fill_integers(void*, DataType, std::int64_t, int, std::uint64_t, cudaStream_t) { return kNone; }
cudaError_t fill_normal(void*, DataType, std::int64_t, std::uint64_t, cudaStream_t) { return kNone; }
cudaError_t fill_uniform(void*, DataType, std::int64_t, std::uint64_t, cudaStream_t) { return kNone; }
cudaError_t fill_wide(void*, DataType, std::int64_t, double, std::uint64_t, cudaStream_t) { return kNone; }
cudaError_t reference_gemm(const GemmProblem&, double*, std::int64_t, cudaStream_t) { return kNone; }
cudaError_t reference_magnitude(const GemmProblem&, double*, std::int64_t, cudaStream_t) { return kNone; }
cudaError_t fma_chain_gemm(const GemmProblem&, float*, std::int64_t, cudaStream_t) { return kNone; }
cudaError_t flush_l2(void*, std::int64_t, cudaStream_t) { return kNone; }
cudaError_t occupy_sms(const volatile int*, int, cudaStream_t) { return kNone; }
cudaError_t prepare_case(const CaseImage&, cudaStream_t) { return kNone; }
cudaError_t check_case(const CaseImage&, const double*, double, CaseVerdict*, cudaStream_t) { return kNone; }

cudaError_t compare(const void*, std::int64_t, const void*, std::int64_t, DataType, std::int64_t, std::int64_t,
                    Difference*, cudaStream_t) {
  return kNone;
}

cudaError_t compare_with_reference(const void*, std::int64_t, DataType, const double*, const double*, std::int64_t,
                                   std::int64_t, std::int64_t, Difference*, cudaStream_t) {
  return kNone;
}

cudaError_t hash_matrix(const void*, std::int64_t, DataType, std::int64_t, std::int64_t, std::uint64_t*,
                        cudaStream_t) {
  return kNone;
}

cudaError_t launch_empty_kernel(cudaStream_t) { return kNone; }

}  // namespace fastgemm::cli
