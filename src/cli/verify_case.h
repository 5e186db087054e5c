// One call of the public API with everything about it that could matter, as `fastgemm check` and the GPU tests make it.
#pragma once

#include <cstdint>
#include <string>

#include "fastgemm/fastgemm.h"
#include "kernels/contract.h"
#include "src/cli/verify_device.h"

namespace fastgemm::cli {

// The entry point. Each typed one exists for FP32 and FP16; kEx is fg_gemm_ex.
enum class CallEntry : std::uint8_t { kGemm, kGemm64, kStrided, kStrided64, kPointer, kPointer64, kEx };

struct Case {
  std::string kernel;  // forced by name; empty: the dispatcher chooses
  CallEntry entry = CallEntry::kGemm;
  DataType type_ab = DataType::kFloat32;
  DataType type_cd = DataType::kFloat32;
  char trans_a = 'N';  // N, T or C
  char trans_b = 'N';
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t pad_a = 0, pad_b = 0, pad_c = 0, pad_d = 0;              // ld minus its smallest legal value
  std::int64_t offset_a = 0, offset_b = 0, offset_c = 0, offset_d = 0;  // elements past a 256-byte boundary
  float alpha = 1.0f;
  float beta = 0.0f;
  bool device_scalars = false;
  std::int64_t batch = 1;
  std::int64_t gap = 0;          // elements between batch entries
  bool broadcast_a = false;      // stride 0, strided entries only
  bool broadcast_b = false;
  bool negative_strides = false; // of A and B, strided entries only
  bool separate_d = false;       // kEx only, as are the next two
  bool bias = false;
  fg_activation_t activation = FG_ACTIVATION_NONE;
  fg_math_mode_t math = FG_MATH_DEFAULT;
  bool captured = false;         // into a CUDA graph, which is launched once
  bool null_unread = false;      // pass null for A and B that must not be read (host scalars only)
  Content unread = Content::kNan;  // what stands in operands that must not be read
  int range = 0;                 // integers in [-range, range]; 0: the widest that keeps every sum exact
  std::uint64_t seed = 1;
};

inline bool is_strided(const Case& c) {
  return c.entry == CallEntry::kStrided || c.entry == CallEntry::kStrided64 || c.entry == CallEntry::kEx;
}
inline bool is_pointer_batched(const Case& c) {
  return c.entry == CallEntry::kPointer || c.entry == CallEntry::kPointer64;
}
inline bool reads_product(const Case& c) { return c.k > 0 && c.alpha != 0.0f; }

// The range of the data: wide, with every FP32 partial sum exact and, for FP16 results, most results below 2048.
int integer_range(const Case& c);

// A case as text, and back: "entry=strided transb=T m=3 n=4 k=5 ...", fields at their default left out.
std::string spell(const Case& c);
bool parse_case(const std::string& text, Case* c, std::string* error);

}  // namespace fastgemm::cli
