// A thread block on the CPU: its threads are fibers, run one at a time and switched wherever they wait for each other.
// The blocks of a cluster are one Block, whose threads and shared memory are theirs one after another, by rank: so clocks
// order what they do to each other as they do within a block.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "tests/emulation/engine/async_copies.h"
#include "tests/emulation/engine/bulk_copies.h"
#include "tests/emulation/engine/collective.h"
#include "tests/emulation/engine/fiber_stacks.h"
#include "tests/emulation/engine/global_memory.h"
#include "tests/emulation/engine/grid.h"
#include "tests/emulation/engine/knowledge.h"
#include "tests/emulation/engine/mbarriers.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/engine/shared_memory.h"
#include "tests/emulation/engine/violation.h"
#include "tests/emulation/engine/warpgroup_mma.h"

namespace fastgemm::emulation {

class Block;

constexpr int kMaxThreads = 1024;
constexpr int kBarriers = 16;

struct Thread {
  Block* block = nullptr;
  int index = 0;  // in the Block
  int rank = 0;   // of its block in the cluster
  std::uint32_t cluster_round = 0;  // of the cluster's barrier, that it has arrived in
  std::uint32_t* clock = nullptr;  // one entry a thread and mbarrier of the block: how far each is known to have come
  std::uint32_t* proxied = nullptr;  // one entry a thread: how far its writes are known to have passed a proxy fence
  Knowledge knowledge;               // the same as clock for the threads of other blocks
  std::uint32_t settled = 0;        // the least of them: all threads are known to be past what they did up to here
  AsyncCopies copies;
  boost::context::fiber fiber;      // where the thread stands while it is not running
  boost::context::fiber scheduler;  // where to go on when it waits
  const char* waiting_in = nullptr;  // the operation, for the report of a deadlock
  int waiting_barrier = -1;
  std::uint32_t waiting_mbarrier = 0;  // its address, or 0
  const void* polled = nullptr;        // the word of an InterBlockWords that it reads again and again
  std::uint32_t polled_value = 0;
  int polls = 0;

  int warp() const { return index / kWarpSize; }
  int lane() const { return index % kWarpSize; }
};

// The thread now running on this CPU thread; null outside a kernel.
extern constinit thread_local Thread* running;
Thread& current(const char* operation);

[[noreturn]] void fail(const Thread& thread, Fault fault, const char* operation, const std::string& text);
std::string hex(std::uintptr_t value);

class Block {
 public:
  // What stays the same for all blocks of a launch that run in the same `slot` of those resident at once.
  Block(const Options& options, const GridShape& shape, std::size_t slot, FiberStacks& stacks);

  // Begins a block, whose threads then stand at the start of `kernel`. run_thread() runs one of them to where it next
  // waits, or throws the violation that stopped it; end() gives up what is left.
  void begin(std::int64_t index, const std::function<void()>& kernel);
  bool can_run() const { return ready_warps_ != 0; }
  bool finished() const { return alive_ == 0; }
  void run_thread();
  void end();
  // Copies that may land although no thread does anything.
  bool copies_in_flight() const { return bulk_.in_flight(); }
  void land_copy() { bulk_.land_one(random_.next()); }
  std::string deadlock_text() const;

  const Options& options() const { return options_; }
  std::int64_t index() const { return index_; }  // of the cluster, where there are clusters
  std::int64_t grid_size() const { return shape_.blocks; }
  int threads() const { return static_cast<int>(threads_.size()); }

  // What a thread's own block is in the cluster: the index in the grid, the thread's in the block, and whether a block
  // has not ended.
  int cluster_size() const { return shape_.cluster; }
  std::int64_t index_of_block(const Thread& thread) const { return index_ * shape_.cluster + thread.rank; }
  int index_in_block(const Thread& thread) const { return thread.index - thread.rank * shape_.threads; }
  bool alive(int rank) const { return alive_of_[static_cast<std::size_t>(rank)] > 0; }
  // The address in the block of `rank` that corresponds to one in the thread's own.
  std::uint32_t address_in(const Thread& thread, std::uint32_t address, int rank, const char* operation) const;
  // Refuses plain accesses to the memory of a block that may not have begun yet, or that has ended.
  void check_reached(const Thread& thread, std::uint32_t address, const char* operation) const;
  SharedMemory& shared() { return shared_; }
  Mbarriers& mbarriers() { return mbarriers_; }
  BulkCopies& bulk() { return bulk_; }
  WarpgroupMma& wgmma() { return wgmma_; }

  // barrier.sync and barrier.arrive; `expected` counts threads, 0 stands for all that have not left.
  void barrier(Thread& thread, int id, int expected, bool wait, const char* operation);

  // The same for barriers 1 to 15, which need a count.
  void named_barrier(Thread& thread, int id, int expected, bool wait, const char* operation) {
    if (id < 1 || expected < kWarpSize) {
      fail(thread, Fault::kBarrier, operation,
           "barrier " + std::to_string(id) + " with " + std::to_string(expected) + " threads");
    }
    barrier(thread, id, expected, wait, operation);
  }

  // The two halves of the cluster's barrier.
  void cluster_arrive(Thread& thread);
  void cluster_wait(Thread& thread);

  // Gathers all 32 lanes; the last to come computes for all. `compute` takes a Lanes<Operands>.
  template <class Operands, class Compute>
  void collective(Thread& thread, const char* operation, Operands& mine, Compute compute) {
    Warp& warp = join_collective(thread, operation, &mine);
    if (warp.arrived == kAllLanes) {
      Operands* lanes[kWarpSize];
      for (int lane = 0; lane < kWarpSize; ++lane) lanes[lane] = static_cast<Operands*>(warp.operands[lane]);
      compute(lanes);
      release_warp(thread.warp());
    }
    suspend(thread, operation);
  }

  // __syncwarp: the lanes' memory accesses before it are ordered before those after it.
  void warp_sync(Thread& thread);

  // Called at each memory access: may switch to another thread, as often as the options say.
  void maybe_switch(Thread& thread) {
    thread.polls = 0;
    if (options_.preempt_every > 0 && --accesses_to_switch_ <= 0) switch_now(thread);
  }

  // Lets others run first.
  void yield(Thread& thread, const char* operation) {
    make_ready(thread);
    suspend(thread, operation);
  }
  // Waits until wake(address) or, sometimes, not so long.
  void wait_for(Thread& thread, std::uint32_t mbarrier, const char* operation);
  void wake(std::uint32_t mbarrier);
  void suspend(Thread& thread, const char* operation);
  void make_ready(const Thread& thread);

  // Clocks: a row has row_size() entries, those of Thread::clock and then those of Thread::proxied.
  std::size_t row_size() const { return stride_ + threads_.size(); }
  void join_row(std::uint32_t* into, const std::uint32_t* from) const;
  void advance(Thread& thread) { ++thread.clock[thread.index]; }
  void learn(Thread& thread, const std::uint32_t* row, const Knowledge& knowledge);
  // The stamp of an mbarrier's first phase: later than all that earlier blocks did.
  std::uint32_t first_stamp() const { return first_stamp_; }
  // fence.proxy.async: what the thread knows of has passed it.
  void proxy_fence(Thread& thread);
  // What a release by the thread publishes, and an acquire takes up.
  Knowledge release(Thread& thread);
  void acquire(Thread& thread, const Knowledge& knowledge);

 private:
  static constexpr std::uint32_t kAllLanes = 0xffffffffu;

  struct Warp {
    std::uint32_t ready = 0;  // lanes that can run, as places in lane_order
    std::uint8_t lane_order[kWarpSize] = {};
    std::uint8_t place[kWarpSize] = {};
    const char* operation = nullptr;  // of the collective under way
    std::uint32_t arrived = 0;
    void* operands[kWarpSize] = {};
  };

  struct Barrier {
    int expected = 0;  // of the round under way
    int arrived = 0;
    std::vector<Thread*> waiting;
    std::vector<std::uint32_t> clock;  // a row: what the threads that came have seen
    Knowledge knowledge;
    std::uint32_t round = 0;
    std::vector<std::uint32_t> opened_clock;  // the same of the round before
    Knowledge opened_knowledge;
  };

  void start_threads();
  int choose_warp();
  void switch_now(Thread& thread);
  void leave(const Thread& thread);
  Warp& join_collective(Thread& thread, const char* operation, void* operands);
  void release_warp(int warp);
  Barrier& come_to_barrier(Thread& thread, int place);
  void open_if_complete(int place);
  int threads_left(int place) const;
  int cluster_barrier() const { return kBarriers * shape_.cluster; }
  void reset_clocks();

  Options options_;
  GridShape shape_;
  std::int64_t index_ = 0;
  Random random_;
  SharedMemory shared_;
  Mbarriers mbarriers_{*this};
  BulkCopies bulk_{*this};
  WarpgroupMma wgmma_{*this};
  FiberStacks& stacks_;
  const std::function<void()>* kernel_ = nullptr;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::uint32_t ready_warps_ = 0;  // places in warp_order_
  std::uint8_t warp_order_[kWarpSize] = {};
  std::uint8_t warp_place_[kWarpSize] = {};
  int last_warp_ = 0;
  std::vector<Barrier> barriers_;  // kBarriers of each block, then the cluster's
  std::size_t stride_ = 0;             // entries of Thread::clock
  std::vector<std::uint32_t> clocks_;  // a row a thread; never fall, from launch to launch
  std::uint32_t first_stamp_ = 0;
  bool proxy_fences_ = false;          // there has been one in this block
  int alive_ = 0;
  std::vector<int> alive_of_;  // by rank
  std::int64_t accesses_to_switch_ = 0;
  std::exception_ptr violation_;
};

}  // namespace fastgemm::emulation
