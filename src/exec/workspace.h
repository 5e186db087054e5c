// Device memory that kernels may scribble in: one slot a stream, so that streams do not disturb each other.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "fastgemm/fastgemm.h"
#include "src/exec/runtime_calls.h"

namespace fastgemm {

struct WorkspaceSpan {
  void* data = nullptr;
  std::size_t bytes = 0;
  std::uint32_t* flags = nullptr;  // words through which the blocks of a launch talk: 0 between launches
  int flag_count = 0;
};

// A flag a block of a chained launch, and a counter: enough for GPUs several times today's largest.
inline constexpr int kSlotFlags = 4096;

// So little that nobody misses it; without any, streams would have to share what cuBLAS cannot do without.
inline constexpr std::size_t kMinSlotBytes = std::size_t{1} << 20;

// Slots live until the workspace is destroyed. cudaStreamPerThread counts as one stream: threads that share a handle on
// it must order their calls themselves.
class Workspace {
 public:
  // Slots have `bytes` (fg handles pass environment().workspace_bytes), at least kMinSlotBytes. Allocates nothing yet.
  explicit Workspace(std::size_t bytes, const RuntimeCalls& runtime = cuda_runtime());
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Makes the slot of `stream` on the current device unless it is there. Call when a stream is set, never in a product
  // call: it allocates, and waits until the flags are zero. ALLOC_FAILED when the device is out of memory; *error, where
  // given, then says what failed.
  fg_status_t add_stream(cudaStream_t stream, std::string* error = nullptr);

  // From now on every stream gets the caller's memory; null goes back to the slots. The caller orders what
  // uses it on several streams.
  void set_user(void* data, std::size_t bytes);

  // The memory for a launch on `stream`: the caller's, else the stream's slot, else none. Flags are always the slot's:
  // a stream without one has none.
  WorkspaceSpan find(cudaStream_t stream) const;

  std::size_t slot_bytes() const { return slot_bytes_; }

 private:
  struct Slot {
    cudaStream_t stream = nullptr;
    void* data = nullptr;
    std::uint32_t* flags = nullptr;  // in the same allocation, after the data
  };

  fg_status_t make_slot(Slot* slot, std::string* error) const;

  std::size_t slot_bytes_;
  const RuntimeCalls& runtime_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  WorkspaceSpan user_;
  bool has_user_ = false;
  ContextMark mark_;
};

}  // namespace fastgemm
