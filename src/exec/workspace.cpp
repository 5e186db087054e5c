// Slots of device memory, kept in a short list.
#include "src/exec/workspace.h"

#include <algorithm>

#include "src/exec/cuda_status.h"

namespace fastgemm {

Workspace::Workspace(std::size_t bytes, const RuntimeCalls& runtime)
    : slot_bytes_(std::max(bytes, kMinSlotBytes)), runtime_(runtime) {}

Workspace::~Workspace() {
  // Addresses of a context that is gone may belong to someone else by now.
  if (slots_.empty() || !runtime_.context_alive(mark_)) return;
  for (const Slot& slot : slots_) runtime_.release(slot.data);
}

fg_status_t Workspace::add_stream(cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  const auto is_there = [&](const Slot& slot) { return slot.stream == stream; };
  if (std::any_of(slots_.begin(), slots_.end(), is_there)) return FG_STATUS_SUCCESS;
  slots_.reserve(slots_.size() + 1);  // may throw; nothing is allocated on the device yet
  Slot slot;
  slot.stream = stream;
  if (const cudaError_t error = runtime_.allocate(&slot.data, slot_bytes_); error != cudaSuccess) {
    return status_from_cuda(error);
  }
  if (slots_.empty()) mark_ = runtime_.mark_context();
  slots_.push_back(slot);
  return FG_STATUS_SUCCESS;
}

void Workspace::set_user(void* data, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  has_user_ = data != nullptr;
  user_ = has_user_ ? WorkspaceSpan{data, bytes} : WorkspaceSpan{};
}

WorkspaceSpan Workspace::find(cudaStream_t stream) const {
  const std::lock_guard lock(mutex_);
  if (has_user_) return user_;
  for (const Slot& slot : slots_) {
    if (slot.stream == stream) return {slot.data, slot_bytes_};
  }
  return {};
}

}  // namespace fastgemm
