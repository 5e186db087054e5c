// The contract of fastgemm.h read a second time, without a look at src/problem: what a call has to answer and, where it
// multiplies, what has to reach the kernel.
#pragma once

#include "kernels/contract.h"
#include "tests/fuzz/fuzz_call.h"

namespace fastgemm::test {

struct Verdict {
  fg_status_t status = FG_STATUS_SUCCESS;
  const char* argument = "";  // the wrong one that decides, as the header spells it
  bool works = false;         // a product is run
  GemmProblem problem;        // then; only what contract.h says a kernel may look at
};

Verdict judge(const FuzzCall& call);

// What is wrong with the problem that reached a kernel; empty where it is the one that `verdict` asks for.
const char* difference(const Verdict& verdict, const GemmProblem& seen);

}  // namespace fastgemm::test
