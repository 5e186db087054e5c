// What a warp's matrix instructions do, in terms of all 32 lanes. Layouts: PTX ISA, "Matrix fragments for mma.m16n8k8 /
// mma.m16n8k16 with floating point type" and "ldmatrix".
#pragma once

#include <cstdint>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

struct LdmatrixLane {
  const Thread* thread;
  std::uint32_t row;
  std::uint32_t (*r)[4];
};

struct StmatrixLane {
  const Thread* thread;
  std::uint32_t row;
  const std::uint32_t (*r)[4];
};

struct MmaLane {
  float* d;
  const std::uint32_t* a;
  const std::uint32_t* b;
};

// ldmatrix.x4: lane 8 i + j gives the address of row j of matrix i.
void load_matrices(Lanes<LdmatrixLane> lanes, bool transposed, const char* operation);

// stmatrix.x4: the same the other way round.
void store_matrices(Lanes<StmatrixLane> lanes, bool transposed, const char* operation);

// mma.m16n8kK, FP16 to FP32: products exact, summed in FP32 in ascending k, rounded at each step.
template <int kK>
void multiply(Lanes<MmaLane> lanes);

}  // namespace fastgemm::emulation
