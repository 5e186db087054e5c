// Which BLAS a call would have reached without this library.
#pragma once

#include <string>

#include "src/dropin/entries.h"

namespace fastgemm::dropin {

// A function found in some BLAS; null where the process has none and our own loop is to do.
struct Target {
  void* function = nullptr;
  Convention convention = Convention::kFortran;
  bool wide = false;     // its integers have 64 bits
  bool fallback = true;  // not what the caller was linked to: FASTGEMM_HOST_BLAS, libblas.so.3 or our own loop
  std::string library;   // its file; "built-in"
};

// For a call of `entry` that returns to `return_address`: what stands behind this library in the global scope, where
// the dynamic linker itself would have looked first; then what the calling library was linked to, which under Python,
// where nothing is global, is the only answer. Where both exist and their integers differ in size, the latter. Our own
// names are never an answer. Keeps the calling library loaded, since the answer is kept, too.
Target resolve(const Entry& entry, const void* return_address);

// The same for any other function, null where there is none behind ours; no fallback.
void* next_function(const char* name, const void* return_address);

// Does this file name say that a library's plain names take 64-bit integers (Debian's libblas64, MKL's ilp64; its
// libmkl_rt by MKL_INTERFACE_LAYER)?
bool wide_library(const std::string& file);

}  // namespace fastgemm::dropin
