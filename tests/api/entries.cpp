#include "tests/api/entries.h"

namespace fastgemm::test {
namespace {

// The parameter that an entry point has for each argument: `Int` sizes, `T` elements.
template <class T, class Int, auto kFunction>
fg_status_t plain(const Call& x) {
  const auto i = [](std::int64_t value) { return static_cast<Int>(value); };
  return kFunction(x.handle, x.transa, x.transb, i(x.m), i(x.n), i(x.k), static_cast<const T*>(x.alpha),
                   static_cast<const T*>(x.A), i(x.lda), static_cast<const T*>(x.B), i(x.ldb),
                   static_cast<const T*>(x.beta), static_cast<T*>(x.C), i(x.ldc));
}

template <class T, class Int, auto kFunction>
fg_status_t strided(const Call& x) {
  const auto i = [](std::int64_t value) { return static_cast<Int>(value); };
  return kFunction(x.handle, x.transa, x.transb, i(x.m), i(x.n), i(x.k), static_cast<const T*>(x.alpha),
                   static_cast<const T*>(x.A), i(x.lda), x.strideA, static_cast<const T*>(x.B), i(x.ldb), x.strideB,
                   static_cast<const T*>(x.beta), static_cast<T*>(x.C), i(x.ldc), x.strideC, i(x.batch_count));
}

template <class T, class Int, auto kFunction>
fg_status_t pointers(const Call& x) {
  const auto i = [](std::int64_t value) { return static_cast<Int>(value); };
  return kFunction(x.handle, x.transa, x.transb, i(x.m), i(x.n), i(x.k), static_cast<const T*>(x.alpha),
                   static_cast<const T* const*>(x.A), i(x.lda), static_cast<const T* const*>(x.B), i(x.ldb),
                   static_cast<const T*>(x.beta), static_cast<T* const*>(x.C), i(x.ldc), i(x.batch_count));
}

using Half = fg_half;
using Wide = std::int64_t;

constexpr EntryPoint kEntryPoints[] = {
    {"fg_sgemm", false, false, false, false, plain<float, int, fg_sgemm>},
    {"fg_hgemm", true, false, false, false, plain<Half, int, fg_hgemm>},
    {"fg_sgemm_64", false, true, false, false, plain<float, Wide, fg_sgemm_64>},
    {"fg_hgemm_64", true, true, false, false, plain<Half, Wide, fg_hgemm_64>},
    {"fg_sgemm_strided_batched", false, false, true, false, strided<float, int, fg_sgemm_strided_batched>},
    {"fg_hgemm_strided_batched", true, false, true, false, strided<Half, int, fg_hgemm_strided_batched>},
    {"fg_sgemm_strided_batched_64", false, true, true, false, strided<float, Wide, fg_sgemm_strided_batched_64>},
    {"fg_hgemm_strided_batched_64", true, true, true, false, strided<Half, Wide, fg_hgemm_strided_batched_64>},
    {"fg_sgemm_batched", false, false, false, true, pointers<float, int, fg_sgemm_batched>},
    {"fg_hgemm_batched", true, false, false, true, pointers<Half, int, fg_hgemm_batched>},
    {"fg_sgemm_batched_64", false, true, false, true, pointers<float, Wide, fg_sgemm_batched_64>},
    {"fg_hgemm_batched_64", true, true, false, true, pointers<Half, Wide, fg_hgemm_batched_64>},
};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace fastgemm::test
