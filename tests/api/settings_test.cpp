// Setters and getters of a handle, and its workspace slots.
#include <limits>

#include "tests/api/host_device.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

fg_stream_t stream_number(std::uintptr_t number) { return reinterpret_cast<fg_stream_t>(number); }

std::string last() { return fg_last_error(); }

}  // namespace

TEST_CASE("settings start at their defaults and keep what is set", "[api][settings]") {
  const auto owner = make_host_handle();
  fg_handle_t h = owner.get();
  fg_stream_t stream = stream_number(1);
  fg_pointer_mode_t pointer_mode = FG_POINTER_MODE_DEVICE;
  fg_math_mode_t math_mode = FG_MATH_TF32;
  int sm_count = -1;
  REQUIRE(fg_get_stream(h, &stream) == FG_STATUS_SUCCESS);
  REQUIRE(fg_get_pointer_mode(h, &pointer_mode) == FG_STATUS_SUCCESS);
  REQUIRE(fg_get_math_mode(h, &math_mode) == FG_STATUS_SUCCESS);
  REQUIRE(fg_get_sm_count_target(h, &sm_count) == FG_STATUS_SUCCESS);
  CHECK(stream == nullptr);
  CHECK(pointer_mode == FG_POINTER_MODE_HOST);
  CHECK(math_mode == FG_MATH_DEFAULT);
  CHECK(sm_count == 0);

  REQUIRE(fg_set_stream(h, stream_number(64)) == FG_STATUS_SUCCESS);
  REQUIRE(fg_set_pointer_mode(h, FG_POINTER_MODE_DEVICE) == FG_STATUS_SUCCESS);
  REQUIRE(fg_set_sm_count_target(h, kHostSmCount) == FG_STATUS_SUCCESS);
  CHECK((fg_get_stream(h, &stream) == FG_STATUS_SUCCESS && stream == stream_number(64)));
  CHECK((fg_get_pointer_mode(h, &pointer_mode) == FG_STATUS_SUCCESS && pointer_mode == FG_POINTER_MODE_DEVICE));
  CHECK((fg_get_sm_count_target(h, &sm_count) == FG_STATUS_SUCCESS && sm_count == kHostSmCount));
  for (const fg_math_mode_t mode : {FG_MATH_FP32_SEQUENTIAL, FG_MATH_FP32_TENSOR, FG_MATH_TF32, FG_MATH_DEFAULT}) {
    REQUIRE(fg_set_math_mode(h, mode) == FG_STATUS_SUCCESS);
    CHECK((fg_get_math_mode(h, &math_mode) == FG_STATUS_SUCCESS && math_mode == mode));
  }
}

TEST_CASE("settings refuse wrong values and keep the old ones", "[api][settings]") {
  const auto owner = make_host_handle();
  fg_handle_t h = owner.get();
  for (const int mode : {-1, 2}) {
    CHECK(fg_set_pointer_mode(h, static_cast<fg_pointer_mode_t>(mode)) == FG_STATUS_INVALID_VALUE);
    CHECK_THAT(last(), ContainsSubstring("mode = " + std::to_string(mode)));
  }
  for (const int mode : {-1, 4}) {
    CHECK(fg_set_math_mode(h, static_cast<fg_math_mode_t>(mode)) == FG_STATUS_INVALID_VALUE);
    CHECK_THAT(last(), ContainsSubstring("mode = " + std::to_string(mode)));
  }
  for (const int count : {-1, kHostSmCount + 1}) {
    CHECK(fg_set_sm_count_target(h, count) == FG_STATUS_INVALID_VALUE);
    CHECK_THAT(last(), ContainsSubstring("sm_count = " + std::to_string(count)) && ContainsSubstring("132"));
  }
  CHECK((owner->pointer_mode == FG_POINTER_MODE_HOST && owner->math_mode == FG_MATH_DEFAULT));
  CHECK(owner->sm_count_target == 0);
}

TEST_CASE("getters refuse null results", "[api][settings]") {
  const auto owner = make_host_handle();
  fg_handle_t h = owner.get();
  CHECK(fg_get_stream(h, nullptr) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "stream is null");
  CHECK(fg_get_pointer_mode(h, nullptr) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "mode is null");
  CHECK(fg_get_math_mode(h, nullptr) == FG_STATUS_INVALID_VALUE);
  CHECK(fg_get_sm_count_target(h, nullptr) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "sm_count is null");
}

TEST_CASE("settings of a null handle", "[api][settings]") {
  fg_stream_t stream = nullptr;
  fg_pointer_mode_t pointer_mode = FG_POINTER_MODE_HOST;
  fg_math_mode_t math_mode = FG_MATH_DEFAULT;
  int sm_count = 0;
  const fg_status_t answers[] = {fg_destroy(nullptr),
                                 fg_set_stream(nullptr, nullptr),
                                 fg_get_stream(nullptr, &stream),
                                 fg_get_stream(nullptr, nullptr),
                                 fg_set_pointer_mode(nullptr, static_cast<fg_pointer_mode_t>(9)),
                                 fg_get_pointer_mode(nullptr, &pointer_mode),
                                 fg_set_math_mode(nullptr, static_cast<fg_math_mode_t>(9)),
                                 fg_get_math_mode(nullptr, &math_mode),
                                 fg_set_workspace(nullptr, nullptr, 1),
                                 fg_set_sm_count_target(nullptr, -1),
                                 fg_get_sm_count_target(nullptr, &sm_count)};
  for (const fg_status_t answer : answers) CHECK(answer == FG_STATUS_NOT_INITIALIZED);
}

TEST_CASE("each stream gets one slot, at the time it is set", "[api][settings]") {
  auto owner = make_host_handle();
  CHECK(host_device_counts().allocated == 1);  // the default stream's
  CHECK(fg_set_stream(owner.get(), stream_number(64)) == FG_STATUS_SUCCESS);
  CHECK(host_device_counts().allocated == 2);
  const void* second = owner->workspace.find(stream_number(64)).data;
  CHECK(fg_set_stream(owner.get(), nullptr) == FG_STATUS_SUCCESS);
  CHECK(fg_set_stream(owner.get(), stream_number(64)) == FG_STATUS_SUCCESS);
  CHECK(host_device_counts().allocated == 2);
  CHECK(owner->workspace.find(stream_number(64)).data == second);
  CHECK(owner->workspace.find(nullptr).data != second);
  CHECK(fg_destroy(owner.release()) == FG_STATUS_SUCCESS);
  CHECK(host_device_counts().released == 2);
}

TEST_CASE("without memory for a slot the stream stays", "[api][settings]") {
  const auto owner = make_host_handle();
  host_device_counts().out_of_memory = true;
  CHECK(fg_set_stream(owner.get(), stream_number(64)) == FG_STATUS_ALLOC_FAILED);
  CHECK_THAT(last(), ContainsSubstring("2097152 bytes"));
  CHECK(owner->stream == nullptr);
}

TEST_CASE("the caller's workspace serves all streams until it is given back", "[api][settings]") {
  alignas(256) static unsigned char lent[512];
  const auto owner = make_host_handle();
  CHECK(fg_set_workspace(owner.get(), lent, sizeof lent) == FG_STATUS_SUCCESS);
  CHECK(fg_set_stream(owner.get(), stream_number(64)) == FG_STATUS_SUCCESS);
  CHECK(host_device_counts().allocated == 1);  // none for the second stream
  CHECK(owner->workspace.find(stream_number(64)).data == lent);
  CHECK(owner->workspace.find(nullptr).data == lent);
  CHECK(fg_set_workspace(owner.get(), nullptr, 0) == FG_STATUS_SUCCESS);
  CHECK(host_device_counts().allocated == 2);
  CHECK(owner->workspace.find(stream_number(64)).bytes == kHostWorkspaceBytes);
  CHECK(owner->workspace.find(stream_number(64)).data != lent);
}

TEST_CASE("a workspace of 0 bytes is none", "[api][settings]") {
  alignas(256) static unsigned char lent[256];
  const auto owner = make_host_handle();
  CHECK(fg_set_workspace(owner.get(), lent, 0) == FG_STATUS_SUCCESS);
  CHECK(owner->workspace.find(nullptr).bytes == 0);
}

TEST_CASE("workspaces that are none are refused", "[api][settings]") {
  alignas(256) static unsigned char lent[512];
  const auto owner = make_host_handle();
  CHECK(fg_set_workspace(owner.get(), nullptr, 100) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "workspace is null, but bytes = 100");
  CHECK(fg_set_workspace(owner.get(), lent + 16, 256) == FG_STATUS_INVALID_VALUE);
  CHECK(last() == "workspace is not a multiple of 256 bytes");
  CHECK(owner->workspace.find(nullptr).bytes == kHostWorkspaceBytes);
}
