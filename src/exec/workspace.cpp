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

fg_status_t Workspace::make_slot(Slot* slot, std::string* text) const {
  constexpr std::size_t kAlignment = 256;
  constexpr std::size_t kFlagBytes = kSlotFlags * sizeof(std::uint32_t);
  const std::size_t flag_offset = (slot_bytes_ + kAlignment - 1) / kAlignment * kAlignment;
  const char* call = "allocating";
  cudaError_t error = runtime_.allocate(&slot->data, flag_offset + kFlagBytes);
  if (error == cudaSuccess) {
    slot->flags = reinterpret_cast<std::uint32_t*>(static_cast<unsigned char*>(slot->data) + flag_offset);
    call = "zeroing the flags of";
    error = runtime_.zero(slot->flags, kFlagBytes);
    if (error != cudaSuccess) runtime_.release(slot->data);
  }
  if (error == cudaSuccess) return FG_STATUS_SUCCESS;
  if (text != nullptr) {
    const std::string bytes = std::to_string(slot_bytes_) + " bytes of workspace (FASTGEMM_WORKSPACE_MB)";
    *text = cuda_error_text(std::string(call) + " " + bytes, error);
  }
  return status_from_cuda(error);
}

fg_status_t Workspace::add_stream(cudaStream_t stream, std::string* error) {
  const std::lock_guard lock(mutex_);
  const auto is_there = [&](const Slot& slot) { return slot.stream == stream; };
  if (std::any_of(slots_.begin(), slots_.end(), is_there)) return FG_STATUS_SUCCESS;
  slots_.reserve(slots_.size() + 1);  // may throw; nothing is allocated on the device yet
  Slot slot;
  slot.stream = stream;
  if (const fg_status_t status = make_slot(&slot, error); status != FG_STATUS_SUCCESS) return status;
  if (slots_.empty()) mark_ = runtime_.mark_context();
  slots_.push_back(slot);
  return FG_STATUS_SUCCESS;
}

void Workspace::set_user(void* data, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  has_user_ = data != nullptr;
  user_ = has_user_ ? WorkspaceSpan{.data = data, .bytes = bytes} : WorkspaceSpan{};
}

WorkspaceSpan Workspace::find(cudaStream_t stream) const {
  const std::lock_guard lock(mutex_);
  WorkspaceSpan span = user_;
  for (const Slot& slot : slots_) {
    if (slot.stream != stream) continue;
    if (!has_user_) span = {.data = slot.data, .bytes = slot_bytes_};
    span.flags = slot.flags;
    span.flag_count = kSlotFlags;
  }
  return span;
}

}  // namespace fastgemm
