// Every argument rule of the C API, in one place: turns raw arguments into a GemmProblem, or says what is wrong.
#pragma once

#include <cstdint>
#include <string>

#include "fastgemm/fastgemm.h"
#include "kernels/contract.h"

namespace fastgemm {

// The arguments of any entry point, as given. Entry points fill in what their signature has.
struct GemmArguments {
  fg_pointer_mode_t pointer_mode = FG_POINTER_MODE_HOST;
  MathMode math_mode = MathMode::kDefault;
  DataType type_ab = DataType::kFloat32;
  DataType type_cd = DataType::kFloat32;
  DataType type_scalar = DataType::kFloat32;  // of *alpha and *beta
  int transa = 0;  // raw, so that bad values can be refused
  int transb = 0;
  std::int64_t m = 0, n = 0, k = 0;
  const void* alpha = nullptr;
  const void* beta = nullptr;
  const void* a = nullptr;  // or, if pointer_batched, the device array of pointers
  const void* b = nullptr;
  const void* c = nullptr;
  void* d = nullptr;  // null: D is C
  std::int64_t lda = 0, ldb = 0, ldc = 0, ldd = 0;
  bool batched = false;          // the entry has a batch count
  bool pointer_batched = false;  // a, b, c are device arrays of batch_count pointers
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0, stride_d = 0;
  std::int64_t batch_count = 1;
  int activation = 0;
  const void* bias = nullptr;
  std::int64_t stride_bias = 0;
};

struct ProblemResult {
  fg_status_t status = FG_STATUS_SUCCESS;
  bool empty = false;   // valid, and nothing is to be done
  GemmProblem problem;  // set when status is SUCCESS and !empty
  std::string error;    // names the argument and its value, when status is not SUCCESS
};

// Checks in header order, the first wrong argument decides. Host scalars are read; device memory never is.
ProblemResult make_problem(const GemmArguments& arguments);

}  // namespace fastgemm
