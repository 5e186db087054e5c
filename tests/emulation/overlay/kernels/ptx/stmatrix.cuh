// Host version of kernels/ptx/stmatrix.cuh.
#pragma once

#include "kernels/ptx/simt.cuh"
#include "tests/emulation/engine/fragments.h"

namespace fastgemm::ptx {

inline void stmatrix_any(SharedAddress row, const std::uint32_t (&r)[4], bool transposed, const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  emulation::StmatrixLane mine{&thread, row, &r};
  const auto compute = [transposed, operation](emulation::Lanes<emulation::StmatrixLane> lanes) {
    emulation::store_matrices(lanes, transposed, operation);
  };
  thread.block->collective(thread, operation, mine, compute);
}

FG_DEVICE void stmatrix_x4(SharedAddress row, const std::uint32_t (&r)[4]) {
  stmatrix_any(row, r, false, "stmatrix_x4");
}
FG_DEVICE void stmatrix_x4_trans(SharedAddress row, const std::uint32_t (&r)[4]) {
  stmatrix_any(row, r, true, "stmatrix_x4_trans");
}

}  // namespace fastgemm::ptx
