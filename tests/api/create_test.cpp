// fg_create on this machine, whatever it has. tests/abi runs it in processes of their own, with the GPUs hidden.
#include "fastgemm/fastgemm.h"
#include "tests/support/catch.h"

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
