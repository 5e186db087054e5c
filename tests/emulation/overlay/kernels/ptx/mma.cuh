// Host version of kernels/ptx/mma.cuh: the lanes of a warp meet, and the last to come computes for all.
#pragma once

#include "kernels/ptx/simt.cuh"
#include "tests/emulation/engine/fragments.h"

namespace fastgemm::ptx {

inline void ldmatrix_any(std::uint32_t (&r)[4], SharedAddress row, bool transposed, const char* operation) {
  emulation::Thread& thread = emulation::current(operation);
  emulation::LdmatrixLane mine{&thread, row, &r};
  const auto compute = [transposed, operation](emulation::Lanes<emulation::LdmatrixLane> lanes) {
    emulation::load_matrices(lanes, transposed, operation);
  };
  thread.block->collective(thread, operation, mine, compute);
}

FG_DEVICE void ldmatrix_x4(std::uint32_t (&r)[4], SharedAddress row) { ldmatrix_any(r, row, false, "ldmatrix_x4"); }
FG_DEVICE void ldmatrix_x4_trans(std::uint32_t (&r)[4], SharedAddress row) {
  ldmatrix_any(r, row, true, "ldmatrix_x4_trans");
}

FG_DEVICE void mma_m16n8k8_f16(float (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
  emulation::Thread& thread = emulation::current("mma_m16n8k8_f16");
  const std::uint32_t r_b[1] = {b};
  emulation::MmaLane mine{d, a, r_b};
  thread.block->collective(thread, "mma_m16n8k8_f16", mine,
                           [](emulation::Lanes<emulation::MmaLane> lanes) { emulation::multiply<8>(lanes); });
}

FG_DEVICE void mma_m16n8k16_f16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  emulation::Thread& thread = emulation::current("mma_m16n8k16_f16");
  emulation::MmaLane mine{d, a, b};
  thread.block->collective(thread, "mma_m16n8k16_f16", mine,
                           [](emulation::Lanes<emulation::MmaLane> lanes) { emulation::multiply<16>(lanes); });
}

}  // namespace fastgemm::ptx
