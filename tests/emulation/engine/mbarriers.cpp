#include "tests/emulation/engine/mbarriers.h"

#include <algorithm>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

namespace {

constexpr std::uint32_t kBytes = 8;
constexpr int kMaxArrivals = (1 << 20) - 1;
constexpr std::int64_t kMaxBytes = (1 << 20) - 1;

std::string place(std::uint32_t address) {
  return "the mbarrier at base + " + std::to_string(address - SharedMemory::kBase);
}

}  // namespace

void Mbarriers::init(Thread& thread, std::uint32_t address, int arrivals) {
  constexpr const char* kOperation = "mbarrier_init";
  block_.shared().check_range(thread, address, kBytes, kOperation);
  if (barriers_.count(address) != 0) fail(thread, Fault::kBarrier, kOperation, place(address) + " exists already");
  if (arrivals < 1 || arrivals > kMaxArrivals) {
    fail(thread, Fault::kBarrier, kOperation, std::to_string(arrivals) + " arrivals");
  }
  if (count() == kMaxMbarriers) fail(thread, Fault::kLaunch, kOperation, "more mbarriers than the emulation keeps");
  block_.shared().make_barrier(thread, address, kBytes, kOperation);
  Mbarrier barrier;
  barrier.number = count();
  barrier.address = address;
  barrier.arrivals = barrier.pending = arrivals;
  barrier.maker = thread.index;
  barrier.owner = thread.rank;
  barrier.made = thread.clock[thread.index];
  barrier.arriving.assign(block_.row_size(), 0u);
  barrier.done.assign(block_.row_size(), 0u);
  barriers_[address] = std::move(barrier);
}

void Mbarriers::init_fence(const Thread& thread) {
  for (auto& [address, barrier] : barriers_) barrier.fenced |= barrier.maker == thread.index;
}

Mbarrier* Mbarriers::at(std::uint32_t address) {
  const auto found = barriers_.find(address);
  return found == barriers_.end() ? nullptr : &found->second;
}

Mbarrier& Mbarriers::find(const Thread& thread, std::uint32_t address, const char* operation) {
  block_.shared().check_range(thread, address, kBytes, operation, SharedMemory::Reach::kCluster);
  if (const auto rank = static_cast<int>((address - SharedMemory::kBase) / SharedMemory::kRankStride);
      !block_.alive(rank)) {
    fail(thread, Fault::kBarrier, operation, "the block with rank " + std::to_string(rank) + " has ended");
  }
  Mbarrier* const barrier = at(address);
  if (barrier == nullptr) {
    fail(thread, Fault::kBarrier, operation,
         "no mbarrier has been made at base + " + std::to_string(address - SharedMemory::kBase));
  }
  if (thread.clock[barrier->maker] < barrier->made) {
    fail(thread, Fault::kRace, operation,
         place(address) + " is used with no barrier after its mbarrier_init by thread " +
             std::to_string(barrier->maker));
  }
  return *barrier;
}

Mbarrier& Mbarriers::for_copy(const Thread& thread, std::uint32_t address, const char* operation) {
  Mbarrier& barrier = find(thread, address, operation);
  if (!barrier.fenced) {
    fail(thread, Fault::kProxy, operation, "no mbarrier_init_fence since the mbarrier_init of " + place(address));
  }
  return barrier;
}

void Mbarriers::arrive(Thread& thread, std::uint32_t address, std::int64_t bytes, const char* operation) {
  Mbarrier& barrier = find(thread, address, operation);
  if (bytes < 0 || bytes > kMaxBytes) fail(thread, Fault::kBarrier, operation, std::to_string(bytes) + " bytes");
  if (barrier.pending == 0) {
    fail(thread, Fault::kBarrier, operation, "one arrival more than the " + std::to_string(barrier.arrivals) +
                                                 " that a phase of " + place(address) + " counts");
  }
  barrier.bytes += bytes;
  --barrier.pending;
  if (barrier.pending == 0 && barrier.bytes < 0) {
    fail(thread, Fault::kBarrier, operation,
         std::to_string(-barrier.bytes) + " bytes more have landed than " + place(address) + " was told to expect");
  }
  block_.join_row(barrier.arriving.data(), thread.clock);
  barrier.arriving_knowledge = join(barrier.arriving_knowledge, thread.knowledge);
  block_.advance(thread);
  end_phase_if_complete(barrier);
}

void Mbarriers::land(Mbarrier& barrier, std::size_t copy, std::int64_t bytes) {
  barrier.landed.push_back(copy);
  barrier.bytes -= bytes;
  end_phase_if_complete(barrier);
}

void Mbarriers::end_phase_if_complete(Mbarrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  const std::uint32_t stamp = block_.first_stamp() + barrier.phase;
  const int agent = block_.threads() + barrier.number;
  for (const std::size_t copy : barrier.landed) block_.bulk().show(copy, agent, stamp);
  barrier.landed.clear();
  barrier.arriving[static_cast<std::size_t>(agent)] = stamp;
  block_.join_row(barrier.done.data(), barrier.arriving.data());
  std::fill(barrier.arriving.begin(), barrier.arriving.end(), 0u);
  barrier.done_knowledge = join(barrier.done_knowledge, barrier.arriving_knowledge);
  barrier.arriving_knowledge = nullptr;
  ++barrier.phase;
  barrier.pending = barrier.arrivals;
  block_.wake(barrier.address);
}

bool Mbarriers::wait(Thread& thread, std::uint32_t address, int parity, bool suspends, const char* operation) {
  if (parity != 0 && parity != 1) fail(thread, Fault::kBarrier, operation, "parity " + std::to_string(parity));
  Mbarrier& barrier = find(thread, address, operation);
  if (barrier.owner != thread.rank) fail(thread, Fault::kBarrier, operation, place(address) + " is another block's");
  const auto ended = [&] { return static_cast<int>(barrier.phase & 1u) != parity; };
  if (suspends && !ended()) block_.wait_for(thread, address, operation);
  if (!ended()) return false;
  block_.learn(thread, barrier.done.data(), barrier.done_knowledge);
  return true;
}

std::string Mbarriers::state_text(std::uint32_t address) const {
  const auto found = barriers_.find(address);
  if (found == barriers_.end()) return {};
  const Mbarrier& barrier = found->second;
  return " for " + place(address) + ", in whose phase " + std::to_string(barrier.phase) + " " +
         std::to_string(barrier.arrivals - barrier.pending) + " have come of " + std::to_string(barrier.arrivals) +
         " and " + std::to_string(barrier.bytes) + " bytes are missing";
}

}  // namespace fastgemm::emulation
