// What makes one kernel: its tile, as the HGEMM family's fragments want it. To them the parts of 32 k, hi and then lo, are
// 64 elements of an FP16 operand whose k is contiguous, whatever the layout of A and B is.
#pragma once

#include "kernels/hgemm_mma/config.h"
#include "kernels/sgemm_tensor/config.h"
#include "kernels/sgemm_tensor/parts.h"

namespace fastgemm::sgemm_tensor_mma {

// FP16 parts alone. The six products of three BF16 parts would be slower than FP32 itself but on sm_80 and sm_87; rows
// that FP16 parts cannot stand for take strict FP32.
inline constexpr sgemm_tensor::Method kMethod = sgemm_tensor::Method::kFp16x3;
using Part = sgemm_tensor::Parts<kMethod>;

inline constexpr int kBlockK = sgemm_tensor::kBlockK;  // k of a stage
inline constexpr int kSumK = 16;                       // of a short sum, and of mma

struct PartsDefaults : hgemm_mma::AmpereDefaults {
  static constexpr int kTileK = kBlockK * Part::kCount;
  static constexpr bool kDoubleFragments = false;
};

// Three stages, 96 KB, are what a block can have on sm_86 and sm_89. A warp holds two sums of its 32 x 64, 128 registers,
// beside the parts of 32 rows and of 16 columns.
struct Tile128x128 : PartsDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kWarpM = 32, kWarpN = 64, kStages = 3;
};

// Rows of op(A) and columns of op(B), k contiguous.
template <class Shape>
using Config = hgemm_mma::Variant<Shape, Op::kT, Op::kN, 16>;

}  // namespace fastgemm::sgemm_tensor_mma
