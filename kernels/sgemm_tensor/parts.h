// How an FP32 number becomes FP16 or BF16 parts, and when their products are as accurate as FP32. Plain arithmetic.
//
// Three ways to a product, from fast to slow; the data decide, on the device:
//   kFp16x3   x = 2^e (hi + lo), hi and lo FP16, e a row's (of op(A)) or a column's (of op(B)) own; the products hi hi,
//             hi lo and lo hi.
//   kBf16x6   x = 2^e (p0 + p1 + p2) exactly, BF16; the six products of at least 2^-16 of the first.
//   kStrict   FP32 throughout.
//
// Why kFp16x3 is no worse than FP32. Scaled, a row's largest element, its top, lies in [2^14, 2^15). hi rounds x to 11
// bits, lo what remains to 11 more, so |x - hi - lo| <= 2^-23 |x| as long as lo's last bit is one that FP16 has, that
// is for |x| >= 2^-1, down to 2^-16 of the top. lo lo, left out, is at most 2^-22 of its product. Both are independent
// from product to product, so that a sum of many forgets them: 2^-23.5 of one product (rms) is 2^-25 of a sum of eight
// like ones, where FP32's own roundings are as large. A sum that is one product, or few, remembers them. So a row must
// not be dominated: sum |x| >= 2 m top, m at least 4.
//   A smaller element is off by up to 2^-25, 2^-39 of the top. m is also the most of these that a row may have: then at
// most half of sum |b| meets a's small elements, at least half meets elements from 2^-16 of a's top, and what the
// small ones do to a sum is at most 2^-39 top(a) m top(b) <= 2^-39 top(a) sum |b| / 2, beside a size of at least 2^-16
// top(a) sum |b| / 2: 2^-23 of it in the worst case, wherever zeros are. m grows with k: of normally distributed
// elements 1 in 2^14 is so small.
//
// Why kBf16x6 is no worse than FP32. The parts are exact, and what is left out is 2^-24 of a product. The top is scaled
// to [2^55, 2^56), so that all products of 2^-100 and more, 2^-210 of top times top, keep the bits of their last parts:
// those of an element with any from 2^-30 on, and an element may be 2^-70, 2^-125 of its top. Nothing is promised of a
// sum that is smaller still. A row may have m smaller elements, down to 0, if it is not dominated: by the reckoning
// above they are nothing.
//
// Neither can overflow where FP32 would not, nor the other way round: what is split is so small that no sum
// overflows in any order, and scaled it is below 2^56, k being at most 2^14 at a time. Everything else is strict, NaN
// and infinity too.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace fastgemm::sgemm_tensor {

// The two operands of a product in the order in which everything here has them: op(B) transposed, op(A).
enum Side { kLeft = 0, kRight = 1, kSides = 2 };

enum class Method : std::uint32_t { kFp16x3, kBf16x6, kStrict };

inline constexpr int kTopExponent = 14;       // of a row's top, scaled for FP16
inline constexpr int kBf16TopExponent = 55;   // and for BF16
inline constexpr int kFullExponent = -1;      // elements scaled for FP16 keep all bits from here on
inline constexpr int kSafeExponent = -70;     // elements scaled for BF16: see above
inline constexpr int kMaxExponent = 63;       // of elements that are split at all
inline constexpr int kMinExponent = -110;     // of tops that FP16 parts can stand for
inline constexpr int kMinBf16Exponent = -71;  // and BF16 parts: their scaling is an FP32 number
inline constexpr int kLeastMisses = 4;        // that a row may have, and one more for every 2^kMissShare of k
inline constexpr int kMissShare = 9;
inline constexpr std::int64_t kMaxDepth = std::int64_t{1} << 24;

// An FP32 number's bits without its sign order numbers by size; Inf and NaN come last.
__host__ __device__ constexpr std::uint32_t magnitude(std::uint32_t bits) { return bits & 0x7fffffffu; }

// Not zero and below `limit`.
__host__ __device__ constexpr bool misses(std::uint32_t size, std::uint32_t limit) { return size - 1 < limit - 1; }

// Of a magnitude, as if it were no subnormal number.
__host__ __device__ constexpr int exponent_of(std::uint32_t size) { return static_cast<int>(size >> 23) - 127; }

// What a row is multiplied by for FP16, from its top: a power of two, or 1 where the row is not split anyway.
__host__ __device__ constexpr int scale_exponent(std::uint32_t top) {
  const int exponent = exponent_of(top);
  return exponent < kMinExponent || exponent > kMaxExponent ? 0 : kTopExponent - exponent;
}
__host__ __device__ constexpr std::uint32_t power_of_two_bits(int exponent) {
  return static_cast<std::uint32_t>(exponent + 127) << 23;
}

// The magnitude of 2^exponent, or the least that is not zero.
__host__ __device__ constexpr std::uint32_t limit_at(int exponent) {
  return exponent < -126 ? 1 : power_of_two_bits(exponent);
}

// The least magnitude that keeps all bits as FP16 parts in a row with this scaling for FP16, and that is safe as BF16
// parts.
__host__ __device__ constexpr std::uint32_t full_magnitude(int scale) { return limit_at(kFullExponent - scale); }
__host__ __device__ constexpr std::uint32_t safe_magnitude(int scale) {
  return limit_at(kSafeExponent - (scale + kBf16TopExponent - kTopExponent));
}

// The nearest BF16 number, ties to even; the number's upper half. For finite numbers.
__host__ __device__ constexpr std::uint32_t bf16_from_bits(std::uint32_t bits) {
  return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}

// What was seen of a row.
struct SeenRow {
  std::uint32_t top_bits = 0;
  float top = 0.0f;
  float sum = 0.0f;               // of magnitudes
  std::uint32_t fp16_misses = 0;  // elements below full_magnitude() that are not 0
  std::uint32_t bf16_misses = 0;  // elements below safe_magnitude() that are not 0
};

// What was seen of an operand, or of some of its rows. Magnitudes as bits, so that Inf and NaN are the largest.
struct Summary {
  std::uint32_t top = 0;
  std::uint32_t sum = 0;       // of a row
  std::uint32_t not_fp16 = 0;  // not 0: a row is none for FP16 parts
  std::uint32_t not_bf16 = 0;
};

__host__ __device__ constexpr std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
__host__ __device__ constexpr std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }

__host__ __device__ constexpr Summary join(const Summary& a, const Summary& b) {
  return {larger(a.top, b.top), larger(a.sum, b.sum), a.not_fp16 | b.not_fp16, a.not_bf16 | b.not_bf16};
}

// The most misses a row of `depth` elements may have.
__host__ __device__ constexpr std::uint32_t most_misses(std::int64_t depth) {
  return kLeastMisses + static_cast<std::uint32_t>(depth >> kMissShare);
}

// One element, or a few, are most of what the row adds up to. NaN is dominated.
__host__ __device__ constexpr bool is_dominated(const SeenRow& row, std::int64_t depth) {
  return !(row.sum >= 2.0f * static_cast<float>(most_misses(depth)) * row.top);
}

// A row as it counts for its operand. That a top is too large is seen from the operand's.
__host__ __device__ constexpr Summary judge(const SeenRow& row, std::int64_t depth) {
  if (row.top_bits == 0) return {};
  const int exponent = exponent_of(row.top_bits);
  const bool many = !is_dominated(row, depth);
  const bool fp16 = exponent >= kMinExponent && row.fp16_misses <= most_misses(depth) && many;
  const bool bf16 = exponent >= kMinBf16Exponent &&
                    (row.bf16_misses == 0 || (row.bf16_misses <= most_misses(depth) && many));
  return {row.top_bits, __builtin_bit_cast(std::uint32_t, row.sum), fp16 ? 0u : 1u, bf16 ? 0u : 1u};
}

// Of two operands, together.
__host__ __device__ constexpr Method choose(const Summary& both, bool bf16_available) {
  const float largest_sum = __builtin_bit_cast(float, both.top) * __builtin_bit_cast(float, both.sum);
  if (both.top >= power_of_two_bits(kMaxExponent + 1) || !(largest_sum < 0x1p127f)) return Method::kStrict;
  if (both.not_fp16 == 0) return Method::kFp16x3;
  return both.not_bf16 == 0 && bf16_available ? Method::kBf16x6 : Method::kStrict;
}

}  // namespace fastgemm::sgemm_tensor
