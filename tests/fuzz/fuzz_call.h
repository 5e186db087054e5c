// One call of any product entry point with any arguments, and how it is drawn.
#pragma once

#include <cstdint>
#include <string>

#include "fastgemm/fastgemm.h"
#include "tests/fuzz/counter_random.h"

namespace fastgemm::test {

__extension__ using Int128 = __int128;  // no sum or product of sizes overflows it

enum class Form { kPlain, kStrided, kPointers, kDescriptor };

// Addresses of matrices are numbers that nobody follows. alpha and beta in host memory point into the call itself.
struct FuzzCall {
  Form form = Form::kPlain;
  bool half = false;  // element type; of the descriptor form: see its types
  bool wide = false;  // 64-bit sizes
  bool null_handle = false;
  bool null_descriptor = false;
  int pointer_mode = 0;  // of the handle
  int math_mode = 0;     // of the handle
  // Types are FG_R_*; anything may stand in them, and in the other enums.
  std::size_t struct_size = sizeof(fg_gemm_desc);
  int type_ab = 0, type_cd = 0, own_math_mode = 0, use_handle_math_mode = 1;
  int transa = 0, transb = 0, activation = 0;
  std::int64_t m = 0, n = 0, k = 0, batch_count = 1;
  std::uint32_t alpha_bits = 0, beta_bits = 0;                 // of the host values, FP32 or FP16
  bool null_alpha = false, null_beta = false;
  std::uintptr_t device_alpha = 0, device_beta = 0;            // in device pointer mode
  std::uintptr_t a = 0, b = 0, c = 0, d = 0, bias = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0, ldd = 0;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0, stride_d = 0, stride_bias = 0;

  bool batched() const { return form != Form::kPlain; }
};

// Call number `number` of `seed`: most are valid or wrong in one or two places, at the edges of a rule.
FuzzCall draw_call(std::uint64_t seed, std::uint64_t number);

// Makes the call through the C API.
fg_status_t perform(const FuzzCall& call, fg_handle_t handle);

// The descriptor of a call of that form. It points into `call`.
fg_gemm_desc descriptor_of(const FuzzCall& call);

std::string text_of(const FuzzCall& call);

}  // namespace fastgemm::test
