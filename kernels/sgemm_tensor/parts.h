// How an FP32 number becomes FP16 or BF16 parts, and when their products are as accurate as FP32. Plain arithmetic.
//
// Three ways to a product, from fast to slow; the data decide, on the device:
//   kFp16x3   x = 2^e (hi + lo / 2^11), hi and lo FP16, e a row's (of op(A)) or a column's (of op(B)) own; the products
//             hi hi, hi lo and lo hi.
//   kBf16x6   x = p0 + p1 + p2 exactly, BF16; the six products of at least 2^-16 of the first.
//   kStrict   FP32 throughout.
//
// Why kFp16x3 is no worse than FP32. Scaled, a row's largest element lies in [2^14, 2^15). hi rounds x to 11 bits, lo
// what remains to 11 more, so |x - hi - lo / 2^11| <= 2^-23 |x| as long as lo is a normal FP16 number or 0, that is for
// |x| >= 2^-13, down to 2^-27 of the row's largest element. lo lo, left out, is at most 2^-22 of its product. All
// of this is independent from product to product and below what FP32 loses in a chain of 64 and more roundings; shorter
// products are left to strict kernels.
// A smaller element is off by up to 2^-36, or 2^-50 of the row's largest. That harms only sums in which
// such elements meet the other operand's large ones and everything large meets zeros: a few among many, as normally
// distributed data have (one in 2^25), do not matter, whole blocks of them may. So at most one element in 2^20 may be
// so small, and in each row one, and one more for every 2^16 of k.
//
// Why kBf16x6 is no worse than FP32. The parts are exact, and what is left out is 2^-24 of a product. No scaling:
// elements of 2^-50 and more give products, down to those of the last parts, of 2^-124 and more. Of smaller ones as
// many are allowed as above; none below 2^-110, whose last part would be less than BF16 can hold.
//
// Neither can overflow: elements are below 2^51, and k is below 2^24. Everything else is strict, NaN and infinity too.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace fastgemm::sgemm_tensor {

// The two operands of a product in the order in which everything here has them: op(B) transposed, op(A).
enum Side { kLeft = 0, kRight = 1, kSides = 2 };

enum class Method : std::uint32_t { kFp16x3, kBf16x6, kStrict };

inline constexpr int kTopExponent = 14;    // of a scaled row's largest element
inline constexpr int kLowScale = 11;       // lo is so many powers of two larger than what it stands for
inline constexpr int kFullExponent = -13;  // scaled elements from here on keep all bits in two FP16 parts
inline constexpr int kMaxExponent = 50;    // of elements that are split at all
inline constexpr int kMinExponent = -110;
inline constexpr int kMinSafeExponent = -50;  // see kBf16x6 above
inline constexpr int kMissShare = 20;      // at most one element in 2^20 may miss
inline constexpr int kRowMissShare = 16;   // in a row one, and one more for every 2^16 elements
inline constexpr std::int64_t kMaxDepth = std::int64_t{1} << 24;

// An FP32 number's bits without its sign order numbers by size; Inf and NaN come last.
__host__ __device__ constexpr std::uint32_t magnitude(std::uint32_t bits) { return bits & 0x7fffffffu; }

// Not zero and below `limit`.
__host__ __device__ constexpr bool misses(std::uint32_t size, std::uint32_t limit) { return size - 1 < limit - 1; }

// What a row is multiplied by, from its largest magnitude: a power of two, or 1 where the row is not split anyway.
__host__ __device__ constexpr int scale_exponent(std::uint32_t top) {
  const int exponent = static_cast<int>(top >> 23) - 127;
  if (exponent < kMinExponent || exponent > kMaxExponent) return 0;
  return kTopExponent - exponent;
}
__host__ __device__ constexpr std::uint32_t power_of_two_bits(int exponent) {
  return static_cast<std::uint32_t>(exponent + 127) << 23;
}

// The least magnitude that keeps all bits in a row that is multiplied by 2^scale.
__host__ __device__ constexpr std::uint32_t full_magnitude(int scale) {
  const int exponent = kFullExponent - scale;
  return exponent < -126 ? 1 : power_of_two_bits(exponent);
}

// The nearest BF16 number, ties to even; the number's upper half. For finite numbers.
__host__ __device__ constexpr std::uint32_t bf16_from_bits(std::uint32_t bits) {
  return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}

// What was seen of an operand, or of some of its elements. Counts stop at kMany.
struct Summary {
  std::uint32_t top = 0;          // largest magnitude
  std::uint32_t tiny = 0;         // elements below 2^kMinExponent that are not 0
  std::uint32_t fp16_misses = 0;  // elements that lose bits as two FP16 parts, or kMany
  std::uint32_t bf16_misses = 0;  // elements below 2^kMinSafeExponent that are not 0, or kMany
};

inline constexpr std::uint32_t kMany = 1u << 30;

__host__ __device__ constexpr std::uint32_t add_counts(std::uint32_t a, std::uint32_t b) {
  return a + b < kMany ? a + b : kMany;
}

__host__ __device__ constexpr Summary join(const Summary& a, const Summary& b) {
  return {a.top > b.top ? a.top : b.top, add_counts(a.tiny, b.tiny), add_counts(a.fp16_misses, b.fp16_misses),
          add_counts(a.bf16_misses, b.bf16_misses)};
}

// A row's misses as they count for its operand.
__host__ __device__ constexpr std::uint32_t row_misses(std::uint32_t misses, std::int64_t depth) {
  return misses > 1 + (depth >> kRowMissShare) ? kMany : misses;
}

__host__ __device__ constexpr bool few(std::uint32_t misses, std::int64_t elements) {
  return misses <= elements >> kMissShare && misses < kMany;
}

// An operand of `elements` elements, as it bears on the choice.
struct SeenOperand {
  Summary summary;
  std::int64_t elements = 0;
};

__host__ __device__ constexpr Method choose(const SeenOperand& left, const SeenOperand& right,
                                            bool bf16_available) {
  const Summary all = join(left.summary, right.summary);
  if (all.top >= power_of_two_bits(kMaxExponent + 1) || all.tiny > 0) return Method::kStrict;
  if (few(left.summary.fp16_misses, left.elements) && few(right.summary.fp16_misses, right.elements)) {
    return Method::kFp16x3;
  }
  const bool bf16 = few(left.summary.bf16_misses, left.elements) && few(right.summary.bf16_misses, right.elements);
  return bf16 && bf16_available ? Method::kBf16x6 : Method::kStrict;
}

}  // namespace fastgemm::sgemm_tensor
