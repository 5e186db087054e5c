// The log that FASTGEMM_LOG asks for; silent by default. Lines go whole, from any thread, to stderr or
// FASTGEMM_LOG_FILE.
//
// Every line starts "fastgemm: "; then, by level, "error: " or "info: " or nothing. A product leaves one trace line,
// which `fastgemm bench` reads back as a shape:
//
//   fastgemm: gemm type=f32 ops=NT m=512 n=256 k=64 lda=512 ldb=256 ldc=512 alpha=1 beta=0 batch=1 math=default
//             kernel=sgemm_ffma_f32_128x128x8_s4 us=12.5                                            (on one line)
//
// After "fastgemm: gemm " come key=value tokens, one space apart, no spaces within. Always there, in this order:
//   type    f32 | f16 | f16f32 (A and B in FP16, C and D in FP32)
//   ops     two letters, N or T, of A and B (C, the conjugate, shows as T)
//   m n k lda ldb ldc    elements; k=0 also stands for a host alpha of 0; ld of an operand that is not read is 0
//   alpha beta           shortest decimal that reads back as the same FP32, inf, nan; or `device`
//   batch   number of products
//   math    default | fp32_sequential | fp32_tensor | tf32
// Only where it differs from a plain call, in this order:
//   ldd                            D is not C
//   stride_a stride_b stride_c stride_d    elements, where batch > 1 and strided (stride_d: D is not C)
//   pointers=1                     the batch entries are given as arrays of pointers
//   align                          1, 2, 4 or 8: the largest power of two, in bytes, that divides the addresses of A,
//                                  B, C and D, where it is under 16
//   act     relu | gelu
//   bias=1  stride_bias (where batch > 1)
// Always there, at the end:
//   kernel  name in the kernel table, or cublas
//   us      predicted microseconds (a call is asynchronous, so it cannot time itself)
// A reader should skip keys that it does not know.
#pragma once

#include <string>
#include <string_view>

#include "kernels/contract.h"
#include "src/base/environment.h"

namespace fastgemm {

bool log_enabled(LogLevel level);
void log_line(LogLevel level, std::string_view text);

// The same under an environment of the caller's: what environment() itself uses while it is being made.
void log_line_to(const Environment& settings, LogLevel level, std::string_view text);

// The text of a product's trace line from "gemm " on.
std::string format_gemm_line(const GemmProblem& problem, std::string_view kernel, double predicted_us);

}  // namespace fastgemm
