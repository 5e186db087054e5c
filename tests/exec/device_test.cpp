// What the library says of the GPU, and of the lack of one.
#include "src/exec/device.h"

#include "tests/support/catch.h"

using namespace fastgemm;

TEST_CASE("every reason for having no GPU is told apart", "[exec][device]") {
  struct Row {
    cudaError_t error;
    int count;
    int driver;
    const char* words;
  };
  const Row rows[] = {
      {cudaErrorInsufficientDriver, 0, 0, "no NVIDIA driver"},
      {cudaErrorInsufficientDriver, 0, 12040, "knows CUDA 12.4, too old for this library's CUDA"},
      {cudaErrorStubLibrary, 0, 0, "stub"},
      {cudaErrorNoDevice, 0, 13000, "no CUDA device"},
      {cudaSuccess, 0, 13000, "no CUDA device"},
      {cudaErrorSystemDriverMismatch, 0, 13000, "different versions"},
      {cudaErrorInitializationError, 0, 13000, "fork"},
      {cudaErrorUnknown, 0, 13000, "cudaErrorUnknown"},
  };
  for (const Row& row : rows) {
    const std::string reason = no_device_reason(row.error, row.count, row.driver);
    CHECK_THAT(reason, ContainsSubstring("no usable GPU"));
    CHECK_THAT(reason, ContainsSubstring(row.words));
  }
  CHECK(no_device_reason(cudaSuccess, 1, 13000).empty());
}

TEST_CASE("a GPU before compute capability 7.5 is too old", "[exec][device]") {
  DeviceInfo device;
  device.compute_capability = 70;
  const DeviceResult refused = accept_device(device, "Some GPU");
  CHECK(refused.status == FG_STATUS_NOT_INITIALIZED);
  CHECK_THAT(refused.error, ContainsSubstring("Some GPU") && ContainsSubstring("7.0") && ContainsSubstring("7.5"));
  device.compute_capability = GENERATE(75, 80, 90, 120);
  const DeviceResult accepted = accept_device(device, "Some GPU");
  CHECK(accepted.status == FG_STATUS_SUCCESS);
  CHECK(accepted.device.compute_capability == device.compute_capability);
}

TEST_CASE("memory bandwidth follows from clock and width", "[exec][device]") {
  CHECK(memory_bandwidth_gbps(5001000, 256) == Approx(320.064));   // T4, GDDR6
  CHECK(memory_bandwidth_gbps(3201000, 6144) == Approx(4916.736));  // H200, HBM3e
  CHECK(memory_bandwidth_gbps(0, 6144) == 0.0);
}

TEST_CASE("asking for the device answers in full or says why not", "[exec][device]") {
  const DeviceResult result = query_current_device();
  if (result.status == FG_STATUS_SUCCESS) {
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(result.error.empty());
    CHECK(result.device.compute_capability >= kMinComputeCapability);
    CHECK(result.device.sm_count > 0);
    CHECK(result.device.clock_ghz > 0.1);
    CHECK(result.device.shared_bytes_per_block >= 48 * 1024);
  } else {
    CHECK(result.status == FG_STATUS_NOT_INITIALIZED);
    CHECK_THAT(result.error, ContainsSubstring("no usable GPU"));
  }
}

// CTest starts this one with the toolkit's stub first on the library path.
TEST_CASE("the toolkit's stub driver is told from a driver", "[.own-process-stub]") {
  const DeviceResult result = query_current_device();
  CHECK(result.status == FG_STATUS_NOT_INITIALIZED);
  CHECK_THAT(result.error, ContainsSubstring("no usable GPU") && ContainsSubstring("stub"));
}
