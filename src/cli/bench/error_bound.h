// How far a right result may be from FP64: max |C - ref| / (|alpha| |A||B| + |beta| |C0|) on random data.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm::cli {

inline double error_bound(DataType type, MathMode math, std::int64_t k) {
  constexpr double kUnitRoundoff32 = 0x1p-24;
  double bound = (4.0 * std::sqrt(static_cast<double>(k)) + 1.0) * kUnitRoundoff32;  // FP32 accumulation
  if (type == DataType::kFloat16) bound += 0x1p-11;                                  // one rounding of the result
  if (type == DataType::kFloat32 && math == MathMode::kTf32) bound += 0x1p-10;       // of both factors, to 11 bits
  return bound;
}

// FP16 results of short sums may be subnormal, where a rounding error is no longer relative: those are not judged.
inline bool error_is_relative(DataType type, std::int64_t k) { return type == DataType::kFloat32 || k >= 64; }

}  // namespace fastgemm::cli
