#include "src/cli/contenders/empty_kernel.h"

#include "src/cli/device_ops.h"

namespace fastgemm::cli {
namespace {

class EmptyKernel final : public Contender {
 public:
  std::string name() const override { return kEmptyKernelName; }
  std::string prepare(const Operands& operands, const QuickTimes&) override {
    stream_ = operands.stream;
    return "";
  }
  std::string launch() override {
    const cudaError_t error = launch_empty_kernel(stream_);
    return error == cudaSuccess ? "" : cudaGetErrorString(error);
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace

std::unique_ptr<Contender> make_empty_kernel() { return std::make_unique<EmptyKernel>(); }

}  // namespace fastgemm::cli
