// All that src/ and kernels/ share: a valid problem, a device, and one row of the kernel table.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fastgemm {

enum class DataType : std::uint8_t { kFloat32, kFloat16 };
enum class Op : std::uint8_t { kN, kT };  // conjugation is the identity for real types
enum class Activation : std::uint8_t { kNone, kRelu, kGelu };
enum class MathMode : std::uint8_t { kDefault, kFp32Sequential, kFp32Tensor, kTf32 };

__host__ __device__ constexpr std::int64_t element_size(DataType type) { return type == DataType::kFloat32 ? 4 : 2; }

// alpha or beta: a value the host knows, or the address of one in device memory (then `value` is meaningless).
struct Scalar {
  float value = 0.0f;
  const void* device = nullptr;
  DataType device_type = DataType::kFloat32;
};

// A, B or C as stored: column-major, ld elements between columns. Batch entry b starts at data + b * batch_stride
// elements, or at pointers[b] (an array in device memory) where pointers is set.
struct Operand {
  const void* data = nullptr;
  const void* const* pointers = nullptr;
  std::int64_t ld = 0;
  std::int64_t batch_stride = 0;
};

struct Output {
  void* data = nullptr;
  void* const* pointers = nullptr;
  std::int64_t ld = 0;
  std::int64_t batch_stride = 0;
};

// D = activation(alpha * op(A) * op(B) + beta * C + bias), batch_count times.
//   op(A) is m x k, op(B) is k x n, C and D are m x n; bias holds m values of type_cd, one a row, or is null.
// Only src/problem makes one, and only from valid arguments. m, n, batch_count >= 1. k == 0 stands for every product
// without A and B (k of the call is 0, or alpha is a host 0): A and B are then never read. beta a host 0: C is never
// read and may be null. Device scalars: a kernel that finds alpha == 0 must not read A and B, beta == 0 not C.
struct GemmProblem {
  DataType type_ab = DataType::kFloat32;
  DataType type_cd = DataType::kFloat32;
  Op op_a = Op::kN;
  Op op_b = Op::kN;
  MathMode math_mode = MathMode::kDefault;
  Activation activation = Activation::kNone;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch_count = 1;
  Scalar alpha;
  Scalar beta;
  Operand a;
  Operand b;
  Operand c;
  Output d;  // may be the same memory as C with the same ld
  const void* bias = nullptr;
  std::int64_t bias_stride = 0;
};

// What selection and launches need to know of a GPU.
struct DeviceInfo {
  int ordinal = 0;
  int compute_capability = 0;  // 90 for 9.0
  int sm_count = 0;
  std::int64_t shared_bytes_per_block = 0;  // opt-in maximum
  std::int64_t l2_bytes = 0;
  double clock_ghz = 0.0;        // SM clock
  double memory_gbps = 0.0;      // device memory bandwidth, GB/s
};

struct LaunchContext {
  const DeviceInfo* device = nullptr;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  int sm_count = 0;  // SMs this launch should use: the device's, or the handle's target
  // Words in device memory through which the blocks of a launch talk: 0 before it, and to be left 0 after it. Launches
  // in stream order share them. May be null, with count 0.
  std::uint32_t* flags = nullptr;
  int flag_count = 0;
  // In how many parts k is cut (up to the row's max_splits). With more than one there are the workspace and a flag
  // a tile that kernels/splits.h asks for.
  int splits = 1;
};

// Workspace that a launch needs beside what chained and split rows park there.
struct WorkspaceNeed {
  std::size_t least = 0;    // with less the launch is not possible
  std::size_t fastest = 0;  // more does not help; the pass that fills it writes so many bytes and reads about as many
};

struct TileShape {
  int m = 0;
  int n = 0;
  int k = 0;
};

// One row of the kernel table: everything the dispatcher knows of a compile-time-sized kernel.
struct KernelEntry {
  const char* name = nullptr;  // family_type_MxNxK_sStages
  DataType type_ab = DataType::kFloat32;
  int min_compute_capability = 0;
  int max_compute_capability = 9999;
  TileShape tile;
  int stages = 0;
  int threads = 0;
  int blocks_per_sm = 1;           // resident blocks the tile is sized for
  std::int64_t shared_bytes = 0;   // dynamic shared memory of a block
  int fast_alignment = 16;         // bytes that A, B, lda, ldb are multiples of on the fast path; less still works
  bool sequential = false;         // one FMA chain an element in ascending k: bits depend on nothing else
  bool fp32_tensor = false;        // FP32 from products of FP16 or BF16 parts: for mode FP32_TENSOR only
  bool chained = false;            // with more tiles than SMs, given flags and a parked FP32 tile of workspace an SM,
                                   // SMs get equal shares of the work, not whole tiles
  int max_splits = 1;              // k may be cut into up to so many parts, summed in a fixed order within the launch:
                                   // each block parks its FP32 partial tile, the last one of a tile sums them. Of a
                                   // chained row only tiles fewer than SMs, cut wherever the SMs' shares end
  int (*parts)(int splits) = nullptr;  // in how many parts k is cut where `splits` are asked for; null: in so many
  double flops_per_clock_sm = 0.0; // measured, large aligned problem; feeds the cost model
  double unaligned_factor = 1.0;   // share of that rate left when the fast alignment does not hold
  std::array<double, 4> ops_factor{1.0, 1.0, 1.0, 1.0};  // share of it left for NN, NT, TN, TT
  bool (*supports)(const GemmProblem&) = nullptr;
  WorkspaceNeed (*workspace)(const GemmProblem&) = nullptr;  // null: none
  cudaError_t (*prepare)() = nullptr;  // loads every instantiation on the current device, sets attributes; an error
                                       // (cudaErrorNoKernelImageForDevice) means: not available there
  cudaError_t (*launch)(const GemmProblem&, const LaunchContext&) = nullptr;  // asynchronous, no allocation
};

// All kernels of this build, in table order.
const std::vector<const KernelEntry*>& kernel_table();

}  // namespace fastgemm
