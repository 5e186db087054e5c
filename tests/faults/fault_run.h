// One run of a scenario in a child process, undisturbed or with one failing call, and the rules it is held to.
#pragma once

#include "tests/faults/call_counter.h"
#include "tests/faults/scenarios.h"

namespace fastgemm::test {

inline constexpr int kMaxSteps = 24;

// What a step did, as far as the fakes can tell.
struct Effect {
  int status = 0;
  int launches = 0;        // of kernels
  int products = 0;        // of cuBLAS
  int allocations = 0;     // live after the step
  int cublas_handles = 0;  // live after the step
  int kernels = 0;         // available to the handle
  int cublas = 0;          // available to the handle

  bool operator==(const Effect&) const = default;
};

// Filled by the child, in memory that it shares.
struct RunReport {
  bool finished = false;
  Effect effects[kMaxSteps];
  int calls = 0;         // counted in the armed steps
  long host_blocks = 0;  // left at the end
  CountedCall log[kMaxCalls];
  char failure[2000] = {};  // the first broken rule
};

struct Fault {
  int call = -1;  // number of the call that fails; -1: none
  int error = 0;
};

// Runs `scenario` in a child; `undisturbed` is the report of a run without a fault, null in that run itself. Returns
// what was wrong, empty where nothing was: a broken rule, a crash, or a hang.
std::string run_in_child(const Scenario& scenario, const Fault& fault, const RunReport* undisturbed, RunReport* report);

}  // namespace fastgemm::test
