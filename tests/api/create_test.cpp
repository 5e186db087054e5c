// fg_create on this machine, whatever it has, and its steps one by one. tests/abi runs it in processes of their own,
// with the GPUs hidden.
#include "tests/api/host_device.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

TEST_CASE("fg_create needs somewhere to put the handle", "[api][create]") {
  CHECK(fg_create(nullptr) == FG_STATUS_INVALID_VALUE);
  CHECK(std::string(fg_last_error()) == "handle is null");
}

TEST_CASE("fg_create makes a handle, or says why it cannot", "[api][create]") {
  fg_handle_t handle = reinterpret_cast<fg_handle_t>(std::uintptr_t{1});
  const fg_status_t status = fg_create(&handle);
  if (status == FG_STATUS_SUCCESS) {
    CHECK(std::string(fg_last_error()).empty());
    CHECK(fg_destroy(handle) == FG_STATUS_SUCCESS);
    return;
  }
  CHECK(handle == nullptr);
  CHECK_THAT(std::string(fg_last_error()), ContainsSubstring("no usable GPU: "));
  CHECK(status == FG_STATUS_NOT_INITIALIZED);
  CHECK(fg_destroy(handle) == FG_STATUS_NOT_INITIALIZED);
}

TEST_CASE("kernels are kept where the device is in range and their code loads", "[api][create]") {
  KernelEntry old = host_f32_kernel(), fits = old, later = old, no_image = old;
  old.max_compute_capability = 75;
  old.prepare = later.prepare = [] { return cudaErrorUnknown; };  // not even asked
  later.min_compute_capability = 100;
  no_image.prepare = [] { return cudaErrorNoKernelImageForDevice; };
  const KernelEntry* const table[] = {&old, &fits, &later, &no_image};
  Outcome outcome;
  const auto available = load_kernels({.compute_capability = 90}, table, &outcome);
  REQUIRE(available.size() == 1);
  CHECK(available[0] == &fits);
  fits.min_compute_capability = fits.max_compute_capability = 90;
  CHECK(load_kernels({.compute_capability = 90}, table, &outcome).size() == 1);
  CHECK(outcome.status == FG_STATUS_SUCCESS);
}

TEST_CASE("a kernel that cannot be loaded for want of memory is an error, not a missing kernel", "[api][create]") {
  KernelEntry unlucky = host_f32_kernel();
  unlucky.prepare = [] { return cudaErrorMemoryAllocation; };
  const KernelEntry* const table[] = {&unlucky, &host_f16_kernel()};
  Outcome outcome;
  load_kernels({.compute_capability = 90}, table, &outcome);
  CHECK(outcome.status == FG_STATUS_ALLOC_FAILED);
  CHECK_THAT(outcome.error, ContainsSubstring("host_f32") && ContainsSubstring("cudaErrorMemoryAllocation"));
}

TEST_CASE("FASTGEMM_MATH and FASTGEMM_KERNEL configure a new handle", "[api][create]") {
  const auto owner = make_host_handle();
  Environment settings;
  CHECK(apply_environment(*owner, settings).status == FG_STATUS_SUCCESS);
  CHECK(owner->math_mode == FG_MATH_DEFAULT);
  const std::pair<const char*, fg_math_mode_t> modes[] = {{"tf32", FG_MATH_TF32},
                                                          {"fp32_tensor", FG_MATH_FP32_TENSOR},
                                                          {"fp32_sequential", FG_MATH_FP32_SEQUENTIAL},
                                                          {"default", FG_MATH_DEFAULT}};
  for (const auto& [name, mode] : modes) {
    settings.math = name;
    CHECK(apply_environment(*owner, settings).status == FG_STATUS_SUCCESS);
    CHECK(owner->math_mode == mode);
  }
  settings.kernel = "no_such_kernel";
  const Outcome unknown = apply_environment(*owner, settings);
  CHECK(unknown.status == FG_STATUS_INVALID_VALUE);
  CHECK_THAT(unknown.error, ContainsSubstring("FASTGEMM_KERNEL: there is no kernel \"no_such_kernel\"; there are: "));
  settings.kernel = "cublas";
  CHECK(apply_environment(*owner, settings).status == FG_STATUS_NOT_SUPPORTED);
}
