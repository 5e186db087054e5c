// Every call that the library makes to CUDA, cuBLAS and operator new fails once, with every error it is documented to
// fail with. The calls are counted in an undisturbed run, so that new ones are covered without a change here.
#include <sys/mman.h>

#include <memory>
#include <set>

#include "src/exec/device.h"
#include "tests/faults/documented_errors.h"
#include "tests/faults/fake_cuda.h"
#include "tests/faults/fault_run.h"
#include "tests/support/catch.h"

using namespace fastgemm::test;

namespace {

constexpr std::size_t kMaxComplaints = 10;  // a run; one fault of the library shows in many

struct Unmap {
  void operator()(RunReport* report) const { munmap(report, sizeof *report); }
};
using SharedReport = std::unique_ptr<RunReport, Unmap>;

SharedReport shared_report() {
  void* memory = mmap(nullptr, sizeof(RunReport), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  return SharedReport(new (memory) RunReport);
}

std::string name_of(const CountedCall& call, int number, int error) {
  return std::string(call.function) + " (call " + std::to_string(number) + ") with error " + std::to_string(error) +
         ": ";
}

// All faults of a scenario. Returns the complaints.
std::vector<std::string> disturb(const Scenario& scenario, const RunReport& undisturbed, int* runs) {
  std::vector<std::string> complaints;
  const SharedReport report = shared_report();
  for (int call = 0; call < undisturbed.calls; ++call) {
    const CountedCall& counted = undisturbed.log[call];
    const std::vector<int> errors = documented_errors(counted.function);
    if (errors.empty()) complaints.push_back(std::string(counted.function) + " has no errors in documented_errors.cpp");
    for (const int error : errors) {
      report->finished = false;
      report->failure[0] = '\0';
      const std::string what = run_in_child(scenario, {call, error}, &undisturbed, report.get());
      ++*runs;
      if (!what.empty()) complaints.push_back(name_of(counted, call, error) + what);
      if (complaints.size() >= kMaxComplaints) return complaints;
    }
  }
  return complaints;
}

}  // namespace

TEST_CASE("each call to CUDA, cuBLAS and operator new fails once with each documented error", "[faults]") {
  int runs = 0;
  for (const Scenario& scenario : scenarios()) {
    DYNAMIC_SECTION(scenario.name) {
      const SharedReport undisturbed = shared_report();
      REQUIRE(run_in_child(scenario, {}, nullptr, undisturbed.get()) == "");
      REQUIRE(undisturbed->calls > 0);
      for (const std::string& complaint : disturb(scenario, *undisturbed, &runs)) FAIL_CHECK(complaint);
      CHECK(runs >= undisturbed->calls);
    }
  }
}

TEST_CASE("the undisturbed runs reach every function that the fakes have", "[faults]") {
  std::set<std::string> reached;
  for (const Scenario& scenario : scenarios()) {
    const SharedReport undisturbed = shared_report();
    REQUIRE(run_in_child(scenario, {}, nullptr, undisturbed.get()) == "");
    for (int call = 0; call < undisturbed->calls; ++call) reached.insert(undisturbed->log[call].function);
  }
  for (const char* function :
       {"cudaGetDeviceCount", "cudaDriverGetVersion", "cudaGetDevice", "cudaSetDevice", "cudaDeviceGetAttribute",
        "cudaGetDeviceProperties", "cudaMalloc", "cudaFree", "cudaMemsetAsync", "cudaStreamCreateWithFlags",
        "cudaStreamSynchronize", "cudaStreamDestroy", "cudaThreadExchangeStreamCaptureMode",
        "cudaGetDriverEntryPointByVersion", "cudaFuncSetAttribute", "cudaLaunchKernelExC", "cuCtxGetId",
        "cuTensorMapEncodeTiled", "cublasCreate_v2", "cublasDestroy_v2", "cublasGetVersion_v2", "cublasSetStream_v2",
        "cublasSetWorkspace_v2", "cublasSetMathMode", "cublasGemmEx_64", "cublasGemmStridedBatchedEx_64",
        "cublasGemmBatchedEx_64", "operator new"}) {
    INFO(function);
    CHECK(reached.count(function) == 1);
  }
}

TEST_CASE("the device's attributes arrive in the units of the cost model", "[faults]") {
  const fastgemm::DeviceResult result = fastgemm::query_current_device();
  REQUIRE(result.status == FG_STATUS_SUCCESS);
  CHECK(result.device.compute_capability == fake_cuda().compute_capability);
  CHECK(result.device.sm_count == kFakeSmCount);
  CHECK(result.device.l2_bytes == 50 << 20);
  CHECK(result.device.clock_ghz == Approx(1.98));         // CUDA says kHz
  CHECK(result.device.memory_gbps == Approx(4916.736));  // kHz, twice, and bits
}
