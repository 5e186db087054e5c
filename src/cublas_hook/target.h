// The cuBLAS that a call would have reached without this library.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include "src/cublas_hook/entries.h"

namespace fastgemm::hook {

// A function of some libcublas or libcublasLt, and those of the same library that tell what a call needs to know. Null
// where that library has none.
struct Target {
  void* function = nullptr;
  decltype(&cublasGetStream_v2) get_stream = nullptr;
  decltype(&cublasGetPointerMode_v2) get_pointer_mode = nullptr;
  decltype(&cublasGetMathMode) get_math_mode = nullptr;
  decltype(&cublasGetSmCountTarget) get_sm_count_target = nullptr;
  decltype(&cublasLtMatmulDescGetAttribute) get_matmul_attribute = nullptr;
  decltype(&cublasLtMatrixLayoutGetAttribute) get_layout_attribute = nullptr;
};

// For a call of `entry` that returns to `return_address`: what the calling library was itself linked to, since its
// handles come from there, also in a process with two versions of cuBLAS; else what follows this library in the global
// scope; else a libcublas.so.13 or .12 that is loaded already. None is ever loaded. Found at a call site's first call
// and kept; the libraries concerned stay loaded. `function` is null where there is no cuBLAS at all.
const Target& target_of(Entry entry, const void* return_address);

}  // namespace fastgemm::hook
