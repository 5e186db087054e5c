#include "tests/emulation/engine/shared_memory.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

namespace {

constexpr unsigned char kPoison = 0xff;  // NaN in FP32 and FP16

// By slot. Too large to clear for each launch; Block's clocks never fall, so it need not be. Pages that nobody touches,
// most of those of a large cluster, are never there.
struct ReadClocks {
  struct Free {
    void operator()(std::uint32_t* data) const { std::free(data); }
  };
  std::unique_ptr<std::uint32_t, Free> data;
  std::size_t size = 0;

  void grow(std::size_t wanted) {
    if (wanted <= size) return;
    data.reset();
    data.reset(static_cast<std::uint32_t*>(std::calloc(wanted, sizeof(std::uint32_t))));
    if (data == nullptr) throw std::bad_alloc();
    size = wanted;
  }
};
thread_local std::vector<ReadClocks> read_clock_storage;

}  // namespace

void SharedMemory::start_launch(const GridShape& shape, const Options& options, std::size_t slot) {
  bytes_ = static_cast<std::uint32_t>(shape.shared_bytes);
  cluster_ = static_cast<std::uint32_t>(shape.cluster);
  threads_ = shape.threads * shape.cluster;
  cell_bytes_ = static_cast<std::uint32_t>(options.cell_bytes);
  stop_at_unwritten_ = options.stop_at_unwritten;
  data_.resize((cluster_ - 1) * kRankStride + bytes_);
  cells_.resize(data_.size() / cell_bytes_ + 1);
  const std::size_t stamps = cells_.size() * static_cast<std::size_t>(threads_);
  if (read_clock_storage.size() <= slot) read_clock_storage.resize(slot + 1);
  read_clock_storage[slot].grow(stamps);
  read_clock_ = read_clock_storage[slot].data.get();
}

void SharedMemory::start_block() {
  std::fill(data_.begin(), data_.end(), kPoison);
  std::fill(cells_.begin(), cells_.end(), Cell{});
}

void SharedMemory::check_range(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                               const char* operation, Reach reach) const {
  const std::uint32_t rank = address < kBase ? 0 : (address - kBase) / kRankStride;
  const std::uint32_t in_block = address - kBase - rank * kRankStride;
  const bool reached =
      reach == Reach::kCluster ? rank < cluster_ : static_cast<int>(rank) == thread.rank;
  if (address < kBase || !reached || in_block > bytes_ || in_block + bytes > bytes_) {
    fail(thread, Fault::kBounds, operation,
         "shared address base + " + std::to_string(static_cast<std::int64_t>(address) - kBase) +
             " is outside the block's " + std::to_string(bytes_) + " bytes");
  }
  if (address % bytes != 0) {
    fail(thread, Fault::kAlignment, operation, "shared address base + " + std::to_string(address - kBase) +
                                                   " is not aligned to " + std::to_string(bytes) + " bytes");
  }
}

std::string SharedMemory::writer_text(int writer) const {
  if (writer >= threads_) return "a bulk copy counted on mbarrier number " + std::to_string(writer - threads_);
  return "thread " + std::to_string(writer) + " (warp " + std::to_string(writer / 32) + ")";
}

void SharedMemory::fail_at(const Thread& thread, std::size_t cell, const char* operation, const char* what, int other,
                           Fault fault) const {
  std::string text = "shared address base + " + std::to_string(cell * cell_bytes_) + ": " + what;
  if (other >= 0) text += " by " + writer_text(other);
  fail(thread, fault, operation, text);
}

void SharedMemory::fail_in_use(const Thread& thread, std::size_t at, const char* operation, const char* access) const {
  const Cell& cell = cells_[at];
  const bool copy = cell.state == State::kInFlight;
  const std::string what = std::string(access) + (copy ? " under an unfinished copy" : ", where an mbarrier was made");
  fail_at(thread, at, operation, what.c_str(), cell.writer, copy ? Fault::kCopyInFlight : Fault::kBarrier);
}

void SharedMemory::check_cell_readable(const Thread& thread, std::size_t at, const char* operation) const {
  const Cell& cell = cells_[at];
  if (cell.state == State::kNeverWritten) {
    if (stop_at_unwritten_) fail_at(thread, at, operation, "read, but never written", -1, Fault::kUninitialised);
    return;
  }
  if (cell.state != State::kWritten) fail_in_use(thread, at, operation, "read");
  if (thread.clock[cell.writer] < cell.write_clock) {
    fail_at(thread, at, operation, "read with no barrier after the write", cell.writer);
  }
}

void SharedMemory::record_read(const Thread& thread, std::size_t at) {
  Cell& cell = cells_[at];
  read_clock_[at * static_cast<std::size_t>(threads_) + static_cast<std::size_t>(thread.index)] =
      thread.clock[thread.index];
  cell.latest_read = std::max(cell.latest_read, thread.clock[thread.index]);
}

void SharedMemory::check_cell_read(const Thread& thread, std::size_t at, const char* operation) {
  check_cell_readable(thread, at, operation);
  if (cells_[at].state != State::kNeverWritten) record_read(thread, at);
}

void SharedMemory::check_cell_write(const Thread& thread, std::size_t at, const char* operation) const {
  const Cell& cell = cells_[at];
  if (cell.bulk_reads > 0) {
    fail_at(thread, at, operation, "written while a bulk copy or wgmma may still read it", -1, Fault::kCopyInFlight);
  }
  if (cell.state > State::kWritten) fail_in_use(thread, at, operation, "written");
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
                                   const char* operation, Reach reach) {
  check_range(thread, address, bytes, operation, reach);
  if (bytes < cell_bytes_) {
    fail(thread, Fault::kLaunch, operation, "the race detector's grain, Options::cell_bytes, is too coarse for this");
  }
  const Cells cells = cells_of(address, bytes);
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) check_cell_write(thread, cell, operation);
  set_written(thread.index, thread.clock[thread.index], cells);
  return &data_[address - kBase];
}

void SharedMemory::set_written(int writer, std::uint32_t stamp, Cells cells) {
  for (std::size_t at = cells.begin; at < cells.end; ++at) {
    Cell& cell = cells_[at];
    cell.write_clock = stamp;
    cell.writer = static_cast<std::uint16_t>(writer);
    cell.state = State::kWritten;
  }
}

void SharedMemory::set_state(Cells cells, State state) {
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) cells_[cell].state = state;
}

void SharedMemory::start_copy(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                              const char* operation) {
  std::memset(write(thread, address, bytes, operation), kPoison, bytes);
  set_state(cells_of(address, bytes), State::kInFlight);
}

void SharedMemory::land_copy(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                             const unsigned char* data) {
  std::memcpy(&data_[address - kBase], data, bytes);
  set_written(thread.index, thread.clock[thread.index], cells_of(address, bytes));
}

void SharedMemory::make_barrier(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                                const char* operation) {
  std::memset(write(thread, address, bytes, operation), kPoison, bytes);
  set_state(cells_of(address, bytes), State::kBarrier);
}

void SharedMemory::check_cell_proxy(const Thread& thread, std::size_t at, const char* operation) const {
  const Cell& cell = cells_[at];
  if (cell.state != State::kWritten || cell.writer >= threads_) return;
  if (thread.proxied[cell.writer] < cell.write_clock) {
    fail_at(thread, at, operation, "no fence_proxy_async since the write", cell.writer, Fault::kProxy);
  }
}

void SharedMemory::start_bulk_write(const Thread& thread, std::uint32_t address, std::uint32_t bytes, int agent,
                                    const char* operation) {
  check_range(thread, address, bytes, operation, Reach::kCluster);
  const Cells cells = cells_of(address, bytes);
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) {
    check_cell_write(thread, cell, operation);
    check_cell_proxy(thread, cell, operation);
  }
  std::memset(&data_[address - kBase], kPoison, bytes);
  set_written(agent, 0, cells);
  set_state(cells, State::kInFlight);
}

void SharedMemory::start_bulk_read(const Thread& thread, std::uint32_t address, std::uint32_t bytes,
                                   const char* operation) {
  check_range(thread, address, bytes, operation);
  const Cells cells = cells_of(address, bytes);
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) {
    check_cell_readable(thread, cell, operation);
    check_cell_proxy(thread, cell, operation);
    if (++cells_[cell].bulk_reads == 0) fail_at(thread, cell, operation, "too many reads at once", -1, Fault::kLaunch);
  }
}

const unsigned char* SharedMemory::end_bulk_read(const Thread& thread, std::uint32_t address, std::uint32_t bytes) {
  const Cells cells = cells_of(address, bytes);
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) {
    --cells_[cell].bulk_reads;
    record_read(thread, cell);
  }
  return &data_[address - kBase];
}

void SharedMemory::land_bulk_write(std::uint32_t address, std::uint32_t bytes, int agent, std::uint32_t stamp,
                                   const unsigned char* data) {
  std::memcpy(&data_[address - kBase], data, bytes);
  set_written(agent, stamp, cells_of(address, bytes));
}

}  // namespace fastgemm::emulation
