// Kernels by name: listing, availability, forcing.
#include <set>

#include "tests/api/host_device.h"
#include "tests/api/product_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

std::string last() { return fg_last_error(); }

}  // namespace

TEST_CASE("the kernel list is the table, and ends", "[api][kernels]") {
  const auto& table = kernel_table();
  std::set<std::string> names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    REQUIRE(fg_kernel_name(static_cast<int>(i)) != nullptr);
    CHECK(std::string(fg_kernel_name(static_cast<int>(i))) == table[i]->name);
    names.insert(table[i]->name);
  }
  CHECK(names.size() == table.size());
  CHECK(fg_kernel_name(static_cast<int>(table.size())) == nullptr);
  CHECK(fg_kernel_name(-1) == nullptr);
}

TEST_CASE("availability of kernels and of cuBLAS", "[api][kernels]") {
  const auto owner = make_host_handle();
  int available = -1;
  CHECK(fg_get_kernel_available(owner.get(), "cublas", &available) == FG_STATUS_SUCCESS);
  CHECK(available == 0);
  for (const KernelEntry* entry : kernel_table()) {  // the host device has none of the real ones
    available = -1;
    CHECK(fg_get_kernel_available(owner.get(), entry->name, &available) == FG_STATUS_SUCCESS);
    CHECK(available == 0);
  }
  available = -1;
  CHECK(fg_get_kernel_available(owner.get(), "no_such_kernel", &available) == FG_STATUS_INVALID_VALUE);
  CHECK(available == -1);
  CHECK_THAT(last(), ContainsSubstring("there is no kernel \"no_such_kernel\"") && ContainsSubstring("cublas"));
  CHECK(fg_get_kernel_available(owner.get(), nullptr, &available) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "name is null");
  CHECK(fg_get_kernel_available(owner.get(), "cublas", nullptr) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "available is null");
  CHECK(fg_get_kernel_available(nullptr, nullptr, nullptr) == FG_STATUS_NOT_INITIALIZED);
}

TEST_CASE("forcing by name refuses what is not there", "[api][kernels]") {
  const auto owner = make_host_handle();
  CHECK(fg_set_kernel(owner.get(), "no_such_kernel") == FG_STATUS_INVALID_VALUE);
  for (const KernelEntry* entry : kernel_table()) CHECK_THAT(last(), ContainsSubstring(entry->name));
  CHECK(fg_set_kernel(owner.get(), "cublas") == FG_STATUS_NOT_SUPPORTED);
  CHECK_THAT(last(), ContainsSubstring("none on the host device"));
  for (const KernelEntry* entry : kernel_table()) {
    CHECK(fg_set_kernel(owner.get(), entry->name) == FG_STATUS_ARCH_MISMATCH);
    CHECK_THAT(last(), ContainsSubstring(entry->name) && ContainsSubstring("compute capability 90"));
  }
  CHECK(owner->forced == nullptr);
  CHECK_FALSE(owner->force_fallback);
  CHECK(fg_set_kernel(owner.get(), "") == FG_STATUS_SUCCESS);
  CHECK(fg_set_kernel(owner.get(), nullptr) == FG_STATUS_SUCCESS);
  CHECK(fg_set_kernel(nullptr, "cublas") == FG_STATUS_NOT_INITIALIZED);
}

TEST_CASE("a forced kernel takes every product or says that it cannot", "[api][kernels]") {
  const auto owner = make_host_handle();
  owner->forced = &host_f32_kernel();
  const EntryPoint& sgemm = entry_points()[0];
  const EntryPoint& hgemm = entry_points()[1];
  CHECK(ProductCase(sgemm, owner.get()).run() == FG_STATUS_SUCCESS);
  CHECK(ProductCase(hgemm, owner.get()).run() == FG_STATUS_NOT_SUPPORTED);
  CHECK_THAT(last(), ContainsSubstring("host_f32"));
  CHECK(fg_set_kernel(owner.get(), nullptr) == FG_STATUS_SUCCESS);
  CHECK(ProductCase(hgemm, owner.get()).run() == FG_STATUS_SUCCESS);
}

TEST_CASE("a row may be forced into all the parts it takes, and into no more", "[api][kernels]") {
  const auto model = make_host_handle();
  fg_handle handle(model->device, kernel_table(), kHostWorkspaceBytes, host_runtime());
  for (const KernelEntry* entry : kernel_table()) {  // none in a build without device code
    if (entry->max_splits == 1) continue;
    const std::string name = std::string(entry->name) + "/";
    CHECK(fg_set_kernel(&handle, (name + std::to_string(entry->max_splits)).c_str()) == FG_STATUS_SUCCESS);
    CHECK(handle.forced_splits == entry->max_splits);
    CHECK(fg_set_kernel(&handle, (name + std::to_string(entry->max_splits + 1)).c_str()) == FG_STATUS_INVALID_VALUE);
  }
}
