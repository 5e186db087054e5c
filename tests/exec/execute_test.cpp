// Running a plan: the kernel's launch, the fallback, or a status that says why neither.
#include "src/exec/execute.h"

#include "src/exec/cuda_status.h"
#include "tests/exec/fallback_fixture.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

cudaError_t launch_answer = cudaSuccess;
int launches = 0;

cudaError_t answer_launch(const GemmProblem&, const LaunchContext&) {
  ++launches;
  return launch_answer;
}

const KernelEntry kEntry{.name = "fake_f32_8x8x8_s1", .launch = answer_launch};

}  // namespace

TEST_CASE("a plan with a kernel launches it once and tells its error", "[exec][execute]") {
  struct Row {
    cudaError_t error;
    fg_status_t status;
  };
  const Row row = GENERATE(values<Row>({
      {cudaSuccess, FG_STATUS_SUCCESS},
      {cudaErrorNoKernelImageForDevice, FG_STATUS_ARCH_MISMATCH},
      {cudaErrorInvalidDeviceFunction, FG_STATUS_ARCH_MISMATCH},
      {cudaErrorMemoryAllocation, FG_STATUS_ALLOC_FAILED},
      {cudaErrorLaunchFailure, FG_STATUS_EXECUTION_FAILED},
      {cudaErrorIllegalAddress, FG_STATUS_EXECUTION_FAILED},
      {cudaErrorLaunchOutOfResources, FG_STATUS_EXECUTION_FAILED},
      {cudaErrorInvalidConfiguration, FG_STATUS_INTERNAL_ERROR},
      {cudaErrorContextIsDestroyed, FG_STATUS_NOT_INITIALIZED},
      {cudaErrorCudartUnloading, FG_STATUS_NOT_INITIALIZED},
      {cudaErrorNotSupported, FG_STATUS_NOT_SUPPORTED},
  }));
  launch_answer = row.error;
  launches = 0;
  Plan plan;
  plan.entry = &kEntry;
  const ExecuteResult result = execute(plan, fake_problem(DataType::kFloat32), {}, nullptr);
  CHECK(launches == 1);
  CHECK(result.status == row.status);
  if (row.error == cudaSuccess) {
    CHECK(result.error.empty());
    return;
  }
  CHECK_THAT(result.error, ContainsSubstring(kEntry.name) && ContainsSubstring(cudaGetErrorName(row.error)));
}

TEST_CASE("no CUDA error is called a success", "[exec][execute]") {
  for (int code = 1; code < 1000; ++code) {
    REQUIRE(status_from_cuda(static_cast<cudaError_t>(code)) != FG_STATUS_SUCCESS);
  }
  CHECK(status_from_cuda(cudaSuccess) == FG_STATUS_SUCCESS);
}

TEST_CASE_METHOD(FallbackFixture, "a plan without a kernel goes to cuBLAS", "[exec][execute]") {
  open();
  CHECK(execute({}, fake_problem(DataType::kFloat32), context(), fallback.get()).status == FG_STATUS_SUCCESS);
  CHECK(calls_of("cublasGemmEx_64").size() == 1);
}

TEST_CASE("without cuBLAS the answer is NOT_SUPPORTED and what to set", "[exec][execute]") {
  const ExecuteResult result = execute({}, fake_problem(DataType::kFloat32), {}, nullptr);
  CHECK(result.status == FG_STATUS_NOT_SUPPORTED);
  CHECK_THAT(result.error, ContainsSubstring("cuBLAS") && ContainsSubstring("FASTGEMM_CUBLAS"));
}

TEST_CASE_METHOD(FallbackFixture, "a refused plan does not reach cuBLAS", "[exec][execute]") {
  open();
  Plan plan;
  plan.refused = true;
  plan.reason = "because";
  const ExecuteResult result = execute(plan, fake_problem(DataType::kFloat32), context(), fallback.get());
  CHECK(result.status == FG_STATUS_NOT_SUPPORTED);
  CHECK(result.error == "because");
  CHECK(cublas.calls.empty());
}
