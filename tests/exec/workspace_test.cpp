// One slot of device memory a stream.
#include "src/exec/workspace.h"

#include <algorithm>
#include <set>
#include <thread>

#include "tests/exec/fake_runtime.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

constexpr std::size_t kBytes = std::size_t{2} << 20;

cudaStream_t stream_number(int i) { return reinterpret_cast<cudaStream_t>(std::intptr_t{16} * i); }

}  // namespace

TEST_CASE("each stream has a slot of its own, made once", "[exec][workspace]") {
  FakeRuntime& runtime = reset_fake_runtime();
  Workspace workspace(kBytes, fake_runtime());
  CHECK(runtime.live.empty());
  std::set<void*> slots;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(workspace.add_stream(stream_number(i)) == FG_STATUS_SUCCESS);
    REQUIRE(workspace.add_stream(stream_number(i)) == FG_STATUS_SUCCESS);
    const WorkspaceSpan span = workspace.find(stream_number(i));
    CHECK(span.bytes == kBytes);
    slots.insert(span.data);
  }
  CHECK(slots.size() == 5);
  CHECK(slots.count(nullptr) == 0);
  CHECK(runtime.live.size() == 5);
  for (const FakeAllocation& allocation : runtime.live) {
    CHECK(allocation.bytes == kBytes + kSlotFlags * sizeof(std::uint32_t));
  }
}

TEST_CASE("each stream has flags of its own behind its slot, all zero", "[exec][workspace]") {
  reset_fake_runtime();
  const std::size_t bytes = kBytes + GENERATE(0, 1, 255);
  Workspace workspace(bytes, fake_runtime());
  std::set<std::uint32_t*> flags;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(workspace.add_stream(stream_number(i)) == FG_STATUS_SUCCESS);
    const WorkspaceSpan span = workspace.find(stream_number(i));
    REQUIRE(span.flag_count == kSlotFlags);
    CHECK(std::all_of(span.flags, span.flags + span.flag_count, [](std::uint32_t flag) { return flag == 0; }));
    CHECK(reinterpret_cast<unsigned char*>(span.flags) >= static_cast<unsigned char*>(span.data) + span.bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(span.flags) % alignof(std::uint32_t) == 0);
    flags.insert(span.flags);
  }
  CHECK(flags.size() == 3);
  CHECK(workspace.find(stream_number(9)).flags == nullptr);
  CHECK(workspace.find(stream_number(9)).flag_count == 0);
}

TEST_CASE("a slot whose flags cannot be zeroed is no slot", "[exec][workspace]") {
  FakeRuntime& runtime = reset_fake_runtime();
  Workspace workspace(kBytes, fake_runtime());
  runtime.zero_error = cudaErrorMemoryAllocation;
  CHECK(workspace.add_stream(nullptr) == FG_STATUS_ALLOC_FAILED);
  CHECK(runtime.live.empty());
  CHECK(workspace.find(nullptr).flags == nullptr);
}

TEST_CASE("finding a slot allocates nothing", "[exec][workspace]") {
  FakeRuntime& runtime = reset_fake_runtime();
  Workspace workspace(kBytes, fake_runtime());
  const WorkspaceSpan span = workspace.find(stream_number(3));
  CHECK(span.data == nullptr);
  CHECK(span.bytes == 0);
  CHECK(runtime.live.empty());
}

TEST_CASE("a slot is never too small for cuBLAS", "[exec][workspace]") {
  reset_fake_runtime();
  Workspace workspace(GENERATE(std::size_t{0}, std::size_t{1}, kMinSlotBytes - 1), fake_runtime());
  REQUIRE(workspace.add_stream(nullptr) == FG_STATUS_SUCCESS);
  CHECK(workspace.find(nullptr).bytes == kMinSlotBytes);
  CHECK(workspace.slot_bytes() == kMinSlotBytes);
}

TEST_CASE("the caller's workspace takes the place of all slots until it is taken back", "[exec][workspace]") {
  reset_fake_runtime();
  Workspace workspace(kBytes, fake_runtime());
  REQUIRE(workspace.add_stream(nullptr) == FG_STATUS_SUCCESS);
  const WorkspaceSpan own = workspace.find(nullptr);
  int memory = 0;
  workspace.set_user(&memory, sizeof(memory));
  CHECK(workspace.find(nullptr).data == &memory);
  CHECK(workspace.find(nullptr).bytes == sizeof(memory));
  CHECK(workspace.find(stream_number(9)).data == &memory);
  CHECK(workspace.find(nullptr).flags == own.flags);
  CHECK(workspace.find(stream_number(9)).flags == nullptr);
  workspace.set_user(nullptr, 0);
  CHECK(workspace.find(nullptr).data == own.data);
  CHECK(workspace.find(nullptr).bytes == kBytes);
}

TEST_CASE("without device memory a stream gets no slot, and may ask again", "[exec][workspace]") {
  FakeRuntime& runtime = reset_fake_runtime();
  Workspace workspace(kBytes, fake_runtime());
  runtime.allocate_error = cudaErrorMemoryAllocation;
  CHECK(workspace.add_stream(nullptr) == FG_STATUS_ALLOC_FAILED);
  CHECK(workspace.find(nullptr).data == nullptr);
  runtime.allocate_error = cudaSuccess;
  CHECK(workspace.add_stream(nullptr) == FG_STATUS_SUCCESS);
  CHECK(workspace.find(nullptr).data != nullptr);
}

TEST_CASE("slots are given back, unless their context is gone", "[exec][workspace]") {
  FakeRuntime& runtime = reset_fake_runtime();
  const bool alive = GENERATE(true, false);
  {
    Workspace workspace(kBytes, fake_runtime());
    for (int i = 0; i < 3; ++i) REQUIRE(workspace.add_stream(stream_number(i)) == FG_STATUS_SUCCESS);
    runtime.alive = alive;
  }
  CHECK(runtime.releases == (alive ? 3 : 0));
  CHECK(runtime.live.size() == (alive ? 0u : 3u));
}

TEST_CASE("slots are found while others are made", "[exec][workspace]") {
  reset_fake_runtime();
  Workspace workspace(0, fake_runtime());
  REQUIRE(workspace.add_stream(nullptr) == FG_STATUS_SUCCESS);
  const void* first = workspace.find(nullptr).data;
  bool moved = false;
  std::thread reader([&] {
    for (int i = 0; i < 20000; ++i) moved = moved || workspace.find(nullptr).data != first;
  });
  for (int i = 1; i < 100; ++i) workspace.add_stream(stream_number(i));
  reader.join();
  CHECK_FALSE(moved);
}
