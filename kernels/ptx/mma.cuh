// Warp-wide matrix instructions on FP16 with FP32 accumulation, and the loads that feed them. Fragment layouts: PTX ISA,
// "Matrix fragments for mma.m16n8k8 / mma.m16n8k16 with floating point type" and "ldmatrix".
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

// Four 8x8 matrices of 16-bit elements. Lanes 8i..8i+7 give the row addresses of matrix i (16 bytes each, 16-aligned);
// lane t receives in register i the elements (t / 4, 2 * (t % 4)) and (t / 4, 2 * (t % 4) + 1) of matrix i.
FG_DEVICE void ldmatrix_x4(std::uint32_t (&r)[4], SharedAddress row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
}

// The same, with each 8x8 matrix transposed on the way.
FG_DEVICE void ldmatrix_x4_trans(std::uint32_t (&r)[4], SharedAddress row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
}

// d += a * b, a 16x8 row-major, b 8x8 column-major (sm_75 and up).
FG_DEVICE void mma_m16n8k8_f16(float (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}

// d += a * b, a 16x16 row-major, b 16x8 column-major (sm_80 and up).
FG_DEVICE void mma_m16n8k16_f16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace fastgemm::ptx
