#include "tests/emulation/engine/shared_memory.h"

#include <algorithm>
#include <string>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

namespace {

constexpr unsigned char kPoison = 0xff;  // NaN in FP32 and FP16

}  // namespace

void SharedMemory::start_launch(std::int64_t bytes, int threads, int cell_bytes) {
  bytes_ = static_cast<std::uint32_t>(bytes);
  threads_ = threads;
  cell_bytes_ = cell_bytes;
  const std::size_t cells = static_cast<std::size_t>(bytes / cell_bytes + 1);
  data_.resize(bytes_);
  cells_.resize(cells);
  read_clock_.assign(cells * static_cast<std::size_t>(threads), 0u);
}

void SharedMemory::start_block() {
  std::fill(data_.begin(), data_.end(), kPoison);
  std::fill(cells_.begin(), cells_.end(), Cell{});
}

void SharedMemory::check_range(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                               const char* operation) const {
  if (address < kBase || address - kBase > bytes_ || address - kBase + bytes > bytes_) {
    fail(thread, Fault::kBounds, operation,
         "shared address base + " + std::to_string(static_cast<std::int64_t>(address) - kBase) +
             " is outside the block's " + std::to_string(bytes_) + " bytes");
  }
  if (address % bytes != 0) {
    fail(thread, Fault::kAlignment, operation, "shared address base + " + std::to_string(address - kBase) +
                                                   " is not aligned to " + std::to_string(bytes) + " bytes");
  }
  if (bytes < static_cast<std::uint32_t>(cell_bytes_)) {
    fail(thread, Fault::kLaunch, operation, "the race detector's grain, Options::cell_bytes, is too coarse for this");
  }
}

void SharedMemory::fail_at(const Thread& thread, std::size_t cell, const char* operation, const char* what,
                           int other) const {
  Fault fault = Fault::kRace;
  std::string text = "shared address base + " + std::to_string(cell * static_cast<std::size_t>(cell_bytes_)) + ": " +
                     what;
  if (other >= 0) {
    text += " by thread " + std::to_string(other) + " (warp " + std::to_string(other / 32) + ")";
    if (cells_[cell].state == State::kInFlight) fault = Fault::kCopyInFlight;
  } else {
    fault = Fault::kUninitialised;
  }
  fail(thread, fault, operation, text);
}

void SharedMemory::check_cell_read(const Thread& thread, std::size_t at, const char* operation) {
  const Cell& cell = cells_[at];
  if (cell.state == State::kNeverWritten) fail_at(thread, at, operation, "read, but never written", -1);
  if (cell.state == State::kInFlight) fail_at(thread, at, operation, "read under an unfinished copy", cell.writer);
  if (thread.clock[cell.writer] < cell.write_clock) {
    fail_at(thread, at, operation, "read with no barrier after the write", cell.writer);
  }
  read_clock_[at * static_cast<std::size_t>(threads_) + static_cast<std::size_t>(thread.index)] =
      thread.clock[thread.index];
}

void SharedMemory::check_cell_write(const Thread& thread, std::size_t at, const char* operation) const {
  const Cell& cell = cells_[at];
  if (cell.state == State::kInFlight) fail_at(thread, at, operation, "written under an unfinished copy", cell.writer);
  if (cell.state == State::kWritten && thread.clock[cell.writer] < cell.write_clock) {
    fail_at(thread, at, operation, "written with no barrier after the write", cell.writer);
  }
  const std::uint32_t* reads = &read_clock_[at * static_cast<std::size_t>(threads_)];
  const std::uint32_t* clock = thread.clock;
  std::uint32_t unordered = 0;
  for (int other = 0; other < threads_; ++other) unordered |= reads[other] > clock[other] ? 1u : 0u;
  if (unordered == 0) return;
  for (int other = 0; other < threads_; ++other) {
    if (reads[other] > clock[other]) fail_at(thread, at, operation, "written with no barrier after the read", other);
  }
}

const unsigned char* SharedMemory::read(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                                        const char* operation) {
  check_range(thread, address, bytes, operation);
  const std::size_t first = (address - kBase) / static_cast<std::uint32_t>(cell_bytes_);
  const std::size_t count = bytes / static_cast<std::uint32_t>(cell_bytes_);
  for (std::size_t cell = first; cell < first + count; ++cell) check_cell_read(thread, cell, operation);
  return &data_[address - kBase];
}

unsigned char* SharedMemory::write(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                                   const char* operation) {
  check_range(thread, address, bytes, operation);
  const std::size_t first = (address - kBase) / static_cast<std::uint32_t>(cell_bytes_);
  const std::size_t count = bytes / static_cast<std::uint32_t>(cell_bytes_);
  for (std::size_t cell = first; cell < first + count; ++cell) {
    check_cell_write(thread, cell, operation);
    cells_[cell] = {thread.clock[thread.index], static_cast<std::uint16_t>(thread.index), State::kWritten};
  }
  return &data_[address - kBase];
}

void SharedMemory::start_copy(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                              const char* operation) {
  unsigned char* destination = write(thread, address, bytes, operation);
  std::memset(destination, kPoison, bytes);
  const std::size_t first = (address - kBase) / static_cast<std::uint32_t>(cell_bytes_);
  const std::size_t count = bytes / static_cast<std::uint32_t>(cell_bytes_);
  for (std::size_t cell = first; cell < first + count; ++cell) cells_[cell].state = State::kInFlight;
}

void SharedMemory::land_copy(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                             const unsigned char* data) {
  std::memcpy(&data_[address - kBase], data, bytes);
  const std::size_t first = (address - kBase) / static_cast<std::uint32_t>(cell_bytes_);
  const std::size_t count = bytes / static_cast<std::uint32_t>(cell_bytes_);
  for (std::size_t cell = first; cell < first + count; ++cell) {
    cells_[cell] = {thread.clock[thread.index], static_cast<std::uint16_t>(thread.index), State::kWritten};
  }
}

}  // namespace fastgemm::emulation
