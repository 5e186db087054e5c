#include "tests/emulation/engine/async_copies.h"

#include <cstring>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

void AsyncCopies::clear() {
  copies_.clear();
  groups_.clear();
  open_ = 0;
}

void AsyncCopies::issue(const Thread& thread, std::uint32_t destination, const void* source, int width, int valid,
                        const char* operation) {
  if (valid < 0 || valid > width) {
    fail(thread, Fault::kBounds, operation, "source size " + std::to_string(valid) + " is not within the copy's width");
  }
  Copy copy{destination, width, valid, source, {}};
  if (valid > 0) {
    global_memory().check_read(thread, source, static_cast<std::size_t>(valid), static_cast<std::size_t>(width),
                               operation);
    std::memcpy(copy.data, source, static_cast<std::size_t>(valid));
  }
  thread.block->shared().start_copy(thread, destination, static_cast<std::uint32_t>(width), operation);
  copies_.push_back(copy);
  ++open_;
}

void AsyncCopies::commit() {
  groups_.push_back(open_);
  open_ = 0;
}

void AsyncCopies::wait(const Thread& thread, int pending) {
  if (groups_.size() <= static_cast<std::size_t>(pending)) return;
  const std::size_t done_groups = groups_.size() - static_cast<std::size_t>(pending);
  std::size_t done = 0;
  for (std::size_t group = 0; group < done_groups; ++group) done += groups_[group];
  for (std::size_t at = 0; at < done; ++at) {
    Copy& copy = copies_[at];
    if (thread.block->options().copies_read_late && copy.valid > 0) {
      std::memcpy(copy.data, copy.source, static_cast<std::size_t>(copy.valid));
    }
    thread.block->shared().land_copy(thread, copy.destination, static_cast<std::uint32_t>(copy.width), copy.data);
  }
  copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(done));
  groups_.erase(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(done_groups));
}

}  // namespace fastgemm::emulation
