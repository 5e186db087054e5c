// The C++ face: ownership, statuses and exceptions. No GPU is visible here.
#include <cstdio>
#include <string>
#include <type_traits>

#include "fastgemm/fastgemm.hpp"

static_assert(sizeof(fg::Handle) == sizeof(fg_handle_t));
static_assert(!std::is_copy_constructible_v<fg::Handle> && std::is_nothrow_move_constructible_v<fg::Handle>);

namespace {

int failures = 0;

void expect(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

void statuses() {
  fg_status_t status = FG_STATUS_SUCCESS;
  fg::Handle handle = fg::Handle::create(&status);
  expect(status == FG_STATUS_NOT_INITIALIZED, "create answers NOT_INITIALIZED");
  expect(!handle && handle.get() == nullptr, "the handle is empty");
  const float scalar = 1.0f;
  float matrix = 0.0f;
  expect(fg::gemm(handle, FG_OP_N, FG_OP_N, 1, 1, 1, &scalar, &matrix, 1, &matrix, 1, &scalar, &matrix, 1) ==
             FG_STATUS_NOT_INITIALIZED,
         "an empty handle answers NOT_INITIALIZED");
  const fg::GemmDesc desc;
  expect(desc.struct_size == sizeof(fg_gemm_desc) && desc.batch_count == 1, "a descriptor starts initialised");
  expect(fg::gemm(handle, desc) == FG_STATUS_NOT_INITIALIZED, "the descriptor form");
  fg::Handle other = std::move(handle);
  expect(!other && other.release() == nullptr, "an empty handle moves");
}

void exceptions() {
  try {
    fg::Handle handle;
    expect(false, "the constructor throws without a GPU");
  } catch (const fg::Error& error) {
    expect(error.status() == FG_STATUS_NOT_INITIALIZED, "the exception has the status");
    expect(std::string(error.what()).find("FG_STATUS_NOT_INITIALIZED: no usable GPU: ") == 0, error.what());
  }
  fg::check(FG_STATUS_SUCCESS);
}

}  // namespace

int main() {
  statuses();
  exceptions();
  return failures;
}
