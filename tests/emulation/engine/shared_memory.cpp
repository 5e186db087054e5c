#include "tests/emulation/engine/shared_memory.h"

#include <algorithm>
#include <string>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

namespace {

constexpr unsigned char kPoison = 0xff;  // NaN in FP32 and FP16

// Too large to clear for each launch; Block's clocks never fall, so it need not be.
thread_local std::vector<std::uint32_t> read_clock_storage;

}  // namespace

void SharedMemory::start_launch(std::int64_t bytes, int threads, const Options& options) {
  bytes_ = static_cast<std::uint32_t>(bytes);
  threads_ = threads;
  cell_bytes_ = static_cast<std::uint32_t>(options.cell_bytes);
  stop_at_unwritten_ = options.stop_at_unwritten;
  data_.resize(bytes_);
  cells_.resize(bytes_ / cell_bytes_ + 1);
  const std::size_t stamps = cells_.size() * static_cast<std::size_t>(threads);
  if (read_clock_storage.size() < stamps) read_clock_storage.resize(stamps);
  read_clock_ = read_clock_storage.data();
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
}

void SharedMemory::fail_at(const Thread& thread, std::size_t cell, const char* operation, const char* what,
                           int other) const {
  Fault fault = Fault::kRace;
  std::string text = "shared address base + " + std::to_string(cell * cell_bytes_) + ": " +
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
  Cell& cell = cells_[at];
  if (cell.state == State::kNeverWritten) {
    if (stop_at_unwritten_) fail_at(thread, at, operation, "read, but never written", -1);
    return;
  }
  if (cell.state == State::kInFlight) fail_at(thread, at, operation, "read under an unfinished copy", cell.writer);
  if (thread.clock[cell.writer] < cell.write_clock) {
    fail_at(thread, at, operation, "read with no barrier after the write", cell.writer);
  }
  read_clock_[at * static_cast<std::size_t>(threads_) + static_cast<std::size_t>(thread.index)] =
      thread.clock[thread.index];
  cell.latest_read = std::max(cell.latest_read, thread.clock[thread.index]);
}

void SharedMemory::check_cell_write(const Thread& thread, std::size_t at, const char* operation) const {
  const Cell& cell = cells_[at];
  if (cell.state == State::kInFlight) fail_at(thread, at, operation, "written under an unfinished copy", cell.writer);
  if (cell.state == State::kWritten && thread.clock[cell.writer] < cell.write_clock) {
    fail_at(thread, at, operation, "written with no barrier after the write", cell.writer);
  }
  if (cell.latest_read <= thread.settled) return;  // whoever has read it
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
  const Cells cells = cells_of(address, bytes);
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) check_cell_read(thread, cell, operation);
  return &data_[address - kBase];
}

unsigned char* SharedMemory::write(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                                   const char* operation) {
  check_range(thread, address, bytes, operation);
  if (bytes < cell_bytes_) {
    fail(thread, Fault::kLaunch, operation, "the race detector's grain, Options::cell_bytes, is too coarse for this");
  }
  const Cells cells = cells_of(address, bytes);
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) check_cell_write(thread, cell, operation);
  set_written(thread, cells);
  return &data_[address - kBase];
}

void SharedMemory::set_written(const Thread& thread, Cells cells) {
  for (std::size_t at = cells.begin; at < cells.end; ++at) {
    Cell& cell = cells_[at];
    cell.write_clock = thread.clock[thread.index];
    cell.writer = static_cast<std::uint16_t>(thread.index);
    cell.state = State::kWritten;
  }
}

void SharedMemory::start_copy(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                              const char* operation) {
  std::memset(write(thread, address, bytes, operation), kPoison, bytes);
  const Cells cells = cells_of(address, bytes);
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) cells_[cell].state = State::kInFlight;
}

void SharedMemory::land_copy(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                             const unsigned char* data) {
  std::memcpy(&data_[address - kBase], data, bytes);
  set_written(thread, cells_of(address, bytes));
}

}  // namespace fastgemm::emulation
