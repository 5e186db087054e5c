#include "tests/emulation/engine/block.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace fastgemm::emulation {

namespace {

constexpr std::uint32_t kLastClock = 0xf0000000u;
thread_local std::uint32_t latest_clock = 0;  // no block so far has gone past it

}  // namespace

constinit thread_local Thread* running = nullptr;

Thread& current(const char* operation) {
  if (running == nullptr) throw Violation(Fault::kLaunch, std::string(operation) + ": called outside a kernel");
  return *running;
}

std::string hex(std::uintptr_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

void fail(const Thread& thread, Fault fault, const char* operation, const std::string& text) {
  const int index = thread.block->index_in_block(thread);
  throw Violation(fault, "block " + std::to_string(thread.block->index_of_block(thread)) + ", thread " +
                             std::to_string(index) + " (warp " + std::to_string(index / kWarpSize) + ", lane " +
                             std::to_string(thread.lane()) + "), " + operation + ": " + text);
}

Block::Block(const Options& options, const GridShape& shape, std::size_t slot, FiberStacks& stacks)
    : options_(options),
      shape_(shape),
      random_(options.seed + slot),
      stacks_(stacks),
      threads_(static_cast<std::size_t>(shape.threads * shape.cluster)),
      warps_(threads_.size() / kWarpSize),
      barriers_(static_cast<std::size_t>(cluster_barrier()) + 1),
      stride_(threads_.size() + kMaxMbarriers),
      clocks_(threads_.size() * row_size()) {
  shared_.start_launch(shape, options, slot);
  for (int index = 0; index < threads(); ++index) {
    threads_[index].block = this;
    threads_[index].index = index;
    threads_[index].rank = index / shape.threads;
    threads_[index].clock = &clocks_[static_cast<std::size_t>(index) * row_size()];
    threads_[index].proxied = threads_[index].clock + stride_;
  }
}

void Block::begin(std::int64_t index, const std::function<void()>& kernel) {
  index_ = index;
  kernel_ = &kernel;
  shared_.start_block();
  mbarriers_.start_block();
  bulk_.start_block();
  wgmma_.start_block();
  reset_clocks();
  for (auto& barrier : barriers_) barrier = Barrier{};  // a violation may have left one half full
  for (auto& barrier : barriers_) barrier.clock.assign(row_size(), 0u);
  barriers_.back().opened_clock.assign(row_size(), 0u);
  violation_ = nullptr;
  start_threads();
}

void Block::end() {
  running = nullptr;
  for (auto& thread : threads_) thread.fiber = {};  // unwinds what a violation has left of the block
  latest_clock = std::max(latest_clock, *std::max_element(clocks_.begin(), clocks_.end()));
}

// Clocks only grow, so that stamps left by earlier blocks count as long past.
void Block::reset_clocks() {
  if (latest_clock > kLastClock) throw Violation(Fault::kLaunch, "the race detector's clock has run out");
  std::fill(clocks_.begin(), clocks_.end(), latest_clock);
  first_stamp_ = latest_clock + 1;
  proxy_fences_ = false;
  for (auto& thread : threads_) {
    thread.settled = latest_clock;
    thread.knowledge = nullptr;
    advance(thread);
  }
}

void Block::join_row(std::uint32_t* into, const std::uint32_t* from) const {
  const std::size_t clocks = threads_.size() + static_cast<std::size_t>(mbarriers_.count());
  for (std::size_t at = 0; at < clocks; ++at) into[at] = std::max(into[at], from[at]);
  if (!proxy_fences_) return;
  for (std::size_t at = stride_; at < row_size(); ++at) into[at] = std::max(into[at], from[at]);
}

// What the thread now knows of the others, from a barrier they came to.
void Block::learn(Thread& thread, const std::uint32_t* row, const Knowledge& knowledge) {
  join_row(thread.clock, row);
  thread.settled = *std::min_element(thread.clock, thread.clock + threads());
  thread.knowledge = join(thread.knowledge, knowledge);
}

void Block::proxy_fence(Thread& thread) {
  proxy_fences_ = true;
  for (int at = 0; at < threads(); ++at) thread.proxied[at] = std::max(thread.proxied[at], thread.clock[at]);
}

Knowledge Block::release(Thread& thread) {
  BlockClocks mine;
  if (thread.knowledge) mine = *thread.knowledge;
  mine[index_] = std::make_shared<const std::vector<std::uint32_t>>(thread.clock, thread.clock + threads());
  advance(thread);
  return std::make_shared<const BlockClocks>(std::move(mine));
}

void Block::acquire(Thread& thread, const Knowledge& knowledge) {
  if (!knowledge) return;
  thread.knowledge = join(thread.knowledge, knowledge);
  const auto own = knowledge->find(index_);  // what this block released has come back through another one
  if (own == knowledge->end()) return;
  for (int at = 0; at < threads(); ++at) thread.clock[at] = std::max(thread.clock[at], (*own->second)[at]);
}

void Block::start_threads() {
  std::iota(warp_order_, warp_order_ + warps_.size(), std::uint8_t{0});
  random_.shuffle(warp_order_, warp_order_ + warps_.size());
  for (std::size_t place = 0; place < warps_.size(); ++place) warp_place_[warp_order_[place]] = place;
  for (auto& warp : warps_) {
    warp = Warp{};
    std::iota(warp.lane_order, warp.lane_order + kWarpSize, std::uint8_t{0});
    random_.shuffle(warp.lane_order, warp.lane_order + kWarpSize);
    for (int place = 0; place < kWarpSize; ++place) warp.place[warp.lane_order[place]] = place;
  }
  ready_warps_ = 0;
  alive_ = threads();
  alive_of_.assign(static_cast<std::size_t>(shape_.cluster), shape_.threads);
  accesses_to_switch_ = options_.preempt_every;
  for (auto& thread : threads_) {
    thread.copies.clear();
    thread.waiting_in = nullptr;
    thread.waiting_barrier = -1;
    thread.waiting_mbarrier = 0;
    thread.polls = 0;
    thread.fiber = boost::context::fiber(
        std::allocator_arg, FiberStacks::Allocator(stacks_), [this, &thread](boost::context::fiber&& from) {
          thread.scheduler = std::move(from);
          try {
            (*kernel_)();
            leave(thread);
          } catch (const Violation&) {
            violation_ = std::current_exception();
          }
          return std::move(thread.scheduler);
        });
    make_ready(thread);
  }
  last_warp_ = warp_order_[0];
}

void Block::run_thread() {
  if (bulk_.in_flight() && !options_.loads_land_late && random_.below(16) == 0) land_copy();
  const int at = choose_warp();
  Warp& warp = warps_[at];
  const int place = std::countr_zero(warp.ready);
  warp.ready &= ~(1u << place);
  if (warp.ready == 0) ready_warps_ &= ~(1u << warp_place_[at]);
  Thread& thread = threads_[at * kWarpSize + warp.lane_order[place]];
  running = &thread;
  thread.fiber = std::move(thread.fiber).resume();
  running = nullptr;
  if (violation_) std::rethrow_exception(violation_);
  if (!finished()) return;
  wgmma_.end_block(thread);
  if (bulk_.unfinished()) {
    fail(thread, Fault::kCopyInFlight, "the end of the block", "bulk copies to its shared memory are not finished");
  }
}

int Block::choose_warp() {
  int place = std::countr_zero(ready_warps_);
  if (options_.schedule == Schedule::kRandom) {
    const bool stay = (ready_warps_ >> warp_place_[last_warp_] & 1u) != 0 && random_.below(16) != 0;
    std::uint32_t candidates = ready_warps_;
    for (auto skip = random_.below(std::popcount(candidates)); skip > 0; --skip) candidates &= candidates - 1;
    place = stay ? warp_place_[last_warp_] : std::countr_zero(candidates);
  }
  last_warp_ = warp_order_[place];
  return last_warp_;
}

void Block::make_ready(const Thread& thread) {
  Warp& warp = warps_[thread.warp()];
  warp.ready |= 1u << warp.place[thread.lane()];
  ready_warps_ |= 1u << warp_place_[thread.warp()];
}

void Block::suspend(Thread& thread, const char* operation) {
  thread.waiting_in = operation;
  thread.scheduler = std::move(thread.scheduler).resume();
  thread.waiting_in = nullptr;
}

void Block::wait_for(Thread& thread, std::uint32_t mbarrier, const char* operation) {
  if (random_.below(8) == 0) return yield(thread, operation);
  thread.waiting_mbarrier = mbarrier;
  suspend(thread, operation);
  thread.waiting_mbarrier = 0;
}

void Block::wake(std::uint32_t mbarrier) {
  for (const auto& thread : threads_) {
    if (thread.waiting_mbarrier == mbarrier) make_ready(thread);
  }
}

void Block::switch_now(Thread& thread) {
  accesses_to_switch_ = 1 + static_cast<std::int64_t>(random_.below(2 * static_cast<unsigned>(options_.preempt_every)));
  std::swap(warp_order_[0], warp_order_[random_.below(warps_.size())]);
  ready_warps_ = 0;
  for (std::size_t place = 0; place < warps_.size(); ++place) {
    warp_place_[warp_order_[place]] = place;
    if (warps_[warp_order_[place]].ready != 0) ready_warps_ |= 1u << place;
  }
  yield(thread, "a switch of threads");
}

void Block::leave(const Thread& thread) {
  bulk_.store_end(thread);
  wgmma_.end_thread(thread);
  --alive_;
  --alive_of_[static_cast<std::size_t>(thread.rank)];
  for (const int place : {thread.rank * kBarriers, cluster_barrier()}) {
    if (barriers_[place].arrived > 0 && barriers_[place].expected == 0) open_if_complete(place);
  }
}

std::uint32_t Block::address_in(const Thread& thread, std::uint32_t address, int rank, const char* operation) const {
  if (rank < 0 || rank >= shape_.cluster) {
    fail(thread, Fault::kBounds, operation,
         "rank " + std::to_string(rank) + " of a cluster of " + std::to_string(shape_.cluster));
  }
  return address + static_cast<std::uint32_t>(rank - thread.rank) * SharedMemory::kRankStride;
}

void Block::check_reached(const Thread& thread, std::uint32_t address, const char* operation) const {
  const auto rank = static_cast<int>((address - SharedMemory::kBase) / SharedMemory::kRankStride);
  if (rank >= shape_.cluster || rank == thread.rank) return;
  const std::string block = "the block with rank " + std::to_string(rank);
  if (!alive(rank)) fail(thread, Fault::kBarrier, operation, block + " has ended");
  if (thread.clock[rank * shape_.threads] < first_stamp_) {
    fail(thread, Fault::kRace, operation, block + " is reached with no barrier after its beginning");
  }
}

void Block::cluster_arrive(Thread& thread) {
  thread.cluster_round = come_to_barrier(thread, cluster_barrier()).round;
  open_if_complete(cluster_barrier());
}

void Block::cluster_wait(Thread& thread) {
  constexpr const char* kOperation = "cluster_wait";
  Barrier& barrier = barriers_.back();
  if (barrier.round != thread.cluster_round) {
    return learn(thread, barrier.opened_clock.data(), barrier.opened_knowledge);
  }
  barrier.waiting.push_back(&thread);
  thread.waiting_barrier = cluster_barrier();
  suspend(thread, kOperation);
  thread.waiting_barrier = -1;
}

void Block::barrier(Thread& thread, int id, int expected, bool wait, const char* operation) {
  if (id < 0 || id >= kBarriers) fail(thread, Fault::kBarrier, operation, "no barrier " + std::to_string(id));
  if (expected % kWarpSize != 0 || expected < 0 || expected > shape_.threads) {
    fail(thread, Fault::kBarrier, operation,
         std::to_string(expected) + " threads at barrier " + std::to_string(id) + " of a block of " +
             std::to_string(shape_.threads));
  }
  const int place = thread.rank * kBarriers + id;
  Barrier& barrier = barriers_[place];
  if (barrier.arrived > 0 && barrier.expected != expected) {
    fail(thread, Fault::kBarrier, operation,
         "expects " + std::to_string(expected) + " threads at barrier " + std::to_string(id) +
             ", where earlier ones expect " + std::to_string(barrier.expected));
  }
  come_to_barrier(thread, place).expected = expected;
  if (wait) barrier.waiting.push_back(&thread);
  open_if_complete(place);
  if (!wait) return;
  thread.waiting_barrier = place;
  suspend(thread, operation);
  thread.waiting_barrier = -1;
}

Block::Barrier& Block::come_to_barrier(Thread& thread, int place) {
  Barrier& barrier = barriers_[place];
  if (barrier.arrived == 0) std::fill(barrier.clock.begin(), barrier.clock.end(), 0u);
  ++barrier.arrived;
  join_row(barrier.clock.data(), thread.clock);
  barrier.knowledge = join(barrier.knowledge, thread.knowledge);
  advance(thread);
  return barrier;
}

// How many threads a barrier waits for that expects no certain number.
int Block::threads_left(int place) const {
  return place == cluster_barrier() ? alive_ : alive_of_[static_cast<std::size_t>(place / kBarriers)];
}

void Block::open_if_complete(int place) {
  Barrier& barrier = barriers_[place];
  if (barrier.arrived < (barrier.expected == 0 ? threads_left(place) : barrier.expected)) return;
  ++barrier.round;
  if (place == cluster_barrier()) {
    barrier.opened_clock = barrier.clock;
    barrier.opened_knowledge = barrier.knowledge;
  }
  for (Thread* thread : barrier.waiting) {
    learn(*thread, barrier.clock.data(), barrier.knowledge);
    make_ready(*thread);
  }
  barrier.waiting.clear();
  barrier.knowledge = nullptr;
  barrier.arrived = 0;
  barrier.expected = 0;
}

Block::Warp& Block::join_collective(Thread& thread, const char* operation, void* operands) {
  Warp& warp = warps_[thread.warp()];
  if (warp.arrived == 0) warp.operation = operation;
  if (std::strcmp(warp.operation, operation) != 0) {
    fail(thread, Fault::kDivergence, operation,
         "while other lanes of the warp are in " + std::string(warp.operation));
  }
  warp.operands[thread.lane()] = operands;
  warp.arrived |= 1u << thread.lane();
  return warp;
}

void Block::release_warp(int at) {
  warps_[at].arrived = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) make_ready(threads_[at * kWarpSize + lane]);
}

void Block::warp_sync(Thread& thread) {
  collective(thread, "warp_sync", thread, [this](Lanes<Thread> lanes) {
    std::vector<std::uint32_t> joined(row_size(), 0u);
    Knowledge knowledge;
    for (const Thread* lane : lanes) {
      join_row(joined.data(), lane->clock);
      knowledge = join(knowledge, lane->knowledge);
    }
    for (Thread* lane : lanes) {
      learn(*lane, joined.data(), knowledge);
      advance(*lane);
    }
  });
}

std::string Block::deadlock_text() const {
  std::string text = "block " + std::to_string(index_) + ": deadlock, " + std::to_string(alive_) + " of " +
                     std::to_string(threads()) + " threads are left and all wait:";
  for (const auto& thread : threads_) {
    if (thread.waiting_in == nullptr) continue;
    const Thread* before = thread.lane() > 0 ? &threads_[thread.index - 1] : nullptr;
    const bool same = before != nullptr && before->waiting_in == thread.waiting_in &&
                      before->waiting_barrier == thread.waiting_barrier &&
                      before->waiting_mbarrier == thread.waiting_mbarrier;
    if (same) continue;  // one line for each run of lanes that wait for the same
    text += "\n  warp " + std::to_string(thread.warp()) + " from lane " + std::to_string(thread.lane()) + " in " +
            thread.waiting_in;
    if (thread.waiting_mbarrier != 0) text += mbarriers_.state_text(thread.waiting_mbarrier);
    if (thread.waiting_barrier < 0) continue;
    const Barrier& barrier = barriers_[thread.waiting_barrier];
    const bool of_cluster = thread.waiting_barrier == cluster_barrier();
    text += of_cluster ? std::string(" at the cluster's barrier")
                       : " at barrier " + std::to_string(thread.waiting_barrier % kBarriers);
    text += ", where " + std::to_string(barrier.arrived) + " have come of " +
            std::to_string(barrier.expected == 0 ? threads_left(thread.waiting_barrier) : barrier.expected);
  }
  return text;
}

}  // namespace fastgemm::emulation
