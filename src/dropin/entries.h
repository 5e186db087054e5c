// The host BLAS names that libfastgemm.so exports.
#pragma once

#include <array>
#include <cstddef>

namespace fastgemm::dropin {

enum class Convention {
  kFortran,  // everything by reference, column-major, option letters
  kCblas,    // sizes and scalars by value, a leading order argument
};

struct Entry {
  const char* name;
  Convention convention;
  bool wide;  // the name itself says that its integers have 64 bits
};

enum EntryIndex : std::size_t {
  kSgemm_,
  kSgemm,
  kSgemm64_,
  kScipySgemm_,
  kScipySgemm64_,
  kCblasSgemm,
  kCblasSgemm64_,
  kCblasSgemm_64,
  kScipyCblasSgemm,
  kScipyCblasSgemm64_,
  kEntryCount
};

inline constexpr std::array<Entry, kEntryCount> kEntries = {{
    {"sgemm_", Convention::kFortran, false},
    {"sgemm", Convention::kFortran, false},  // compilers that append no underscore
    {"sgemm_64_", Convention::kFortran, true},
    {"scipy_sgemm_", Convention::kFortran, false},  // NumPy's and SciPy's wheels
    {"scipy_sgemm_64_", Convention::kFortran, true},
    {"cblas_sgemm", Convention::kCblas, false},
    {"cblas_sgemm64_", Convention::kCblas, true},  // OpenBLAS's suffix
    {"cblas_sgemm_64", Convention::kCblas, true},  // netlib's and MKL's
    {"scipy_cblas_sgemm", Convention::kCblas, false},
    {"scipy_cblas_sgemm64_", Convention::kCblas, true},
}};

}  // namespace fastgemm::dropin
