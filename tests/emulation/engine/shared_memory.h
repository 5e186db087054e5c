// A block's shared memory with a race detector.
//
// Every cell (2 or 4 bytes) remembers its last writer and every thread's last read, each stamped with the clock of the
// thread that did it. Threads carry vector clocks that barriers join, so an access is ordered after an earlier one
// exactly when the thread's clock has reached the other's stamp (Flanagan, Freund: "FastTrack: efficient and precise
// dynamic race detection").
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/emulation/engine/options.h"
#include "tests/emulation/engine/violation.h"

namespace fastgemm::emulation {

struct GridShape;
struct Thread;

class SharedMemory {
 public:
  // The window does not start at 0, and is aligned to no more than shared_base() promises.
  static constexpr std::uint32_t kBase = 9 * 128;
  // From a block of a cluster to the next: so far that wgmma descriptors, which hold 18 bits of an address, name the
  // same place in each.
  static constexpr std::uint32_t kRankStride = 1u << 18;

  // Within the thread's own block, or any of its cluster.
  enum class Reach { kBlock, kCluster };

  // `slot` counts the blocks that are resident at once.
  void start_launch(const GridShape& shape, const Options& options, std::size_t slot);
  // Fills the memory with NaN patterns that count as never written.
  void start_block();

  template <class Value>
  Value load(const Thread& thread, std::uint32_t address, const char* operation) {
    Value value;
    std::memcpy(&value, read(thread, address, sizeof(Value), operation), sizeof(Value));
    return value;
  }

  template <class Value>
  void store(const Thread& thread, std::uint32_t address, const Value& value, const char* operation,
             Reach reach = Reach::kBlock) {
    std::memcpy(write(thread, address, sizeof(Value), operation, reach), &value, sizeof(Value));
  }

  // Records a read or write of aligned bytes and returns where they are. A read of part of a cell counts as one of the
  // whole cell; a write of part of a cell is refused.
  const unsigned char* read(const Thread& thread, std::uint32_t address, std::uint32_t bytes, const char* operation);
  unsigned char* write(const Thread& thread, std::uint32_t address, std::uint32_t bytes, const char* operation,
                       Reach reach = Reach::kBlock);

  // Bounds and alignment alone.
  void check_range(const Thread& thread, std::uint32_t address, std::uint32_t bytes, const char* operation,
                   Reach reach = Reach::kBlock) const;

  // An asynchronous copy by `thread`: from start to land, nobody may touch the bytes, which hold NaN patterns.
  void start_copy(const Thread& thread, std::uint32_t address, std::uint32_t bytes, const char* operation);
  void land_copy(const Thread& thread, std::uint32_t address, std::uint32_t bytes, const unsigned char* data);

  // Gives aligned bytes to an mbarrier for good; plain accesses to them are faults from then on.
  void make_barrier(const Thread& thread, std::uint32_t address, std::uint32_t bytes, const char* operation);

  // The same for a bulk copy that `thread` starts: the agent, a number from the block's threads on, counts as writer.
  // What threads have written before must have passed a proxy fence.
  void start_bulk_write(const Thread& thread, std::uint32_t address, std::uint32_t bytes, int agent,
                        const char* operation);
  void land_bulk_write(std::uint32_t address, std::uint32_t bytes, int agent, std::uint32_t stamp,
                       const unsigned char* data);

  // A read by a bulk copy or wgmma, on behalf of `thread`: from start to end, nobody may write the bytes. It counts as
  // the thread's own read at the end. What threads have written must have passed a proxy fence.
  void start_bulk_read(const Thread& thread, std::uint32_t address, std::uint32_t bytes, const char* operation);
  const unsigned char* end_bulk_read(const Thread& thread, std::uint32_t address, std::uint32_t bytes);

 private:
  enum class State : std::uint8_t { kNeverWritten, kWritten, kInFlight, kBarrier };
  struct Cell {
    std::uint32_t write_clock = 0;
    std::uint32_t latest_read = 0;  // the highest of the readers' stamps
    std::uint16_t writer = 0;  // a thread, or an agent
    State state = State::kNeverWritten;
    std::uint8_t bulk_reads = 0;  // under way
  };

  struct Cells {
    std::size_t begin;
    std::size_t end;
  };
  Cells cells_of(std::uint32_t address, std::uint32_t bytes) const {
    return {(address - kBase) / cell_bytes_, (address - kBase + bytes + cell_bytes_ - 1) / cell_bytes_};
  }
  void check_cell_readable(const Thread& thread, std::size_t cell, const char* operation) const;
  void record_read(const Thread& thread, std::size_t cell);
  void check_cell_read(const Thread& thread, std::size_t cell, const char* operation);
  void check_cell_write(const Thread& thread, std::size_t cell, const char* operation) const;
  void set_state(Cells cells, State state);
  void check_cell_proxy(const Thread& thread, std::size_t cell, const char* operation) const;
  void set_written(int writer, std::uint32_t stamp, Cells cells);
  std::string writer_text(int writer) const;
  [[noreturn]] void fail_at(const Thread& thread, std::size_t cell, const char* operation, const char* what,
                            int other, Fault fault = Fault::kRace) const;
  [[noreturn]] void fail_in_use(const Thread& thread, std::size_t cell, const char* operation,
                                const char* access) const;

  std::uint32_t bytes_ = 0;  // of a block
  std::uint32_t cluster_ = 1;
  int threads_ = 0;
  std::uint32_t cell_bytes_ = 4;
  bool stop_at_unwritten_ = false;
  std::vector<unsigned char> data_;
  std::vector<Cell> cells_;
  std::uint32_t* read_clock_ = nullptr;  // (cell, thread); what earlier blocks left is older than any clock now
};

}  // namespace fastgemm::emulation
