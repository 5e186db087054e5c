// What the emulation stops with: a rule of the machine that a kernel broke, and where.
#pragma once

#include <stdexcept>
#include <string>

namespace fastgemm::emulation {

enum class Fault {
  kBounds,         // an access outside the block's shared memory or outside every registered allocation
  kPermission,     // a read of what must not be read, a write to what must not be written
  kAlignment,      // a vector access not aligned to its own size
  kUninitialised,  // shared memory read that nothing has written
  kCopyInFlight,   // an access to bytes whose asynchronous copy nobody has waited for
  kRace,           // two accesses with no barrier between them, one of them a write
  kProxy,          // bulk copies or wgmma and plain accesses with no proxy fence between them
  kRegisters,      // registers of wgmma without its fence, or used before its wait
  kDivergence,     // lanes of a warp in different warp-wide operations
  kBarrier,        // a barrier used with a wrong id or count
  kDeadlock,       // every thread left is waiting
  kLaunch          // a launch the driver would refuse
};

struct Violation : std::runtime_error {
  Violation(Fault what_fault, const std::string& text) : std::runtime_error(text), fault(what_fault) {}
  Fault fault;
};

}  // namespace fastgemm::emulation
