// One call of one kernel on the emulated device, checked against a plain reference.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/contract.h"

namespace fastgemm::emulation {

enum class Batch { kStrided, kPointers };
enum class RowWorkspace { kNone, kLeast, kFastest };  // of what the row asks for beside parked tiles
enum class Data {
  kIntegers,  // small, so that every sum is exact in any order
  kReals      // any FP32 numbers: bits must be those of one FMA chain over ascending k
};

struct GemmCase {
  Op op_a = Op::kN;
  Op op_b = Op::kN;
  int m = 1;
  int n = 1;
  int k = 1;
  int pad_a = 0;  // elements that each ld is longer than it has to be
  int pad_b = 0;
  int pad_c = 0;
  int pad_d = 0;
  int offset_a = 0;  // elements from a 256-byte boundary to the first one
  int offset_b = 0;
  int offset_c = 0;
  int offset_d = 0;
  float alpha = 1.0f;
  float beta = 0.0f;
  bool device_scalars = false;
  bool half_scalars = false;  // with device_scalars: alpha and beta are FP16
  bool in_place = true;       // C and D are the same memory
  bool bias = false;
  Activation activation = Activation::kNone;
  DataType type_cd = DataType::kFloat32;
  Batch batch = Batch::kStrided;
  int batch_count = 1;
  int batch_gap = 0;              // elements between batch entries, on top of their own size
  bool broadcast_a = false;       // batch stride 0
  bool reads_own_d = false;       // D is also read, where the launch has written it before
  bool poisoned_operands = false;  // A and B are full of NaN and may not be read, as when alpha is 0
  int sm_count = 2;                // SMs that the launch is to use
  bool chained = false;            // it gets workspace, and flags for its blocks to hand work on by
  RowWorkspace row_workspace = RowWorkspace::kNone;
  int splits = 1;                  // parts that k is cut into; more than one: it gets workspace and flags for them
  int split_flags = 4096;          // how many
  int split_group = 0;             // parts whose sum is a term of the whole sum; 0: each part is a term
  int part_length = 0;             // elements of k a part, but for the last; 0: parts are equal
  Data data = Data::kIntegers;
  std::uint64_t seed = 1;

  std::string text() const;
};

// D = op(A) * op(B), all else as GemmCase has it.
inline GemmCase product_case(Op op_a, Op op_b, int m, int n, int k) {
  GemmCase gemm;
  gemm.op_a = op_a;
  gemm.op_b = op_b;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  return gemm;
}

// The same with leading dimensions of A and B that are multiples of `multiple`, as bulk copies want them.
inline GemmCase padded_case(Op op_a, Op op_b, int m, int n, int k, int multiple) {
  const auto pad = [multiple](int length) { return (multiple - length % multiple) % multiple; };
  GemmCase gemm = product_case(op_a, op_b, m, n, k);
  gemm.pad_a = pad(op_a == Op::kN ? m : k);
  gemm.pad_b = pad(op_b == Op::kN ? k : n);
  return gemm;
}

// Prepares and launches `entry`. Empty when everything was right; else what was wrong: the fault that stopped the
// kernel, the first wrong element, or a write where none belongs.
std::string run_case(const KernelEntry& entry, const GemmCase& gemm);

}  // namespace fastgemm::emulation
