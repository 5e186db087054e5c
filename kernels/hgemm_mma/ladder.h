// The ladder of techniques: six kernels from one template, each with one technique more than the one before. They show
// what each technique is worth and are no part of the library; only the bench links them.
#pragma once

#include <span>

#include "kernels/contract.h"

namespace fastgemm {

struct LadderRung {
  int number = 0;
  const char* title = nullptr;
  KernelEntry entry;  // A and B not transposed, 16-byte alignment
};

std::span<const LadderRung> hgemm_ladder();

}  // namespace fastgemm
