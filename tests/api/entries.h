// All product entry points behind one signature, so that a test can run over every one of them.
#pragma once

#include <cstdint>
#include <span>

#include "fastgemm/fastgemm.h"

namespace fastgemm::test {

// Arguments of any product call. Matrices are of the entry's type; with pointer arrays, A, B and C are the arrays.
struct Call {
  fg_handle_t handle = nullptr;
  fg_operation_t transa = FG_OP_N, transb = FG_OP_N;
  std::int64_t m = 0, n = 0, k = 0;
  const void* alpha = nullptr;
  const void* A = nullptr;
  std::int64_t lda = 0, strideA = 0;
  const void* B = nullptr;
  std::int64_t ldb = 0, strideB = 0;
  const void* beta = nullptr;
  void* C = nullptr;
  std::int64_t ldc = 0, strideC = 0;
  std::int64_t batch_count = 1;
};

struct EntryPoint {
  const char* name;
  bool half;
  bool wide;      // 64-bit sizes
  bool strided;
  bool pointers;
  fg_status_t (*call)(const Call&);

  bool batched() const { return strided || pointers; }
};

std::span<const EntryPoint> entry_points();

}  // namespace fastgemm::test
