// Stores of 8x8 matrices of FP16 fragments (sm_90). PTX ISA, "stmatrix".
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

// Four matrices: lane 8 i + j gives the address (16-aligned) of row j of matrix i, whose fragment is r[i].
FG_DEVICE void stmatrix_x4(SharedAddress row, const std::uint32_t (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(r[0]),
               "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

// The same with every matrix transposed on its way.
FG_DEVICE void stmatrix_x4_trans(SharedAddress row, const std::uint32_t (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(r[0]),
               "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

}  // namespace fastgemm::ptx
