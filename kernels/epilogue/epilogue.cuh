// The only alpha / beta / bias / activation arithmetic, and the stores of D.
//   D = act(alpha * acc + beta * C + bias), in FP32, rounded once to the type of D at the store.
#pragma once

#include "kernels/contract.h"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/global.cuh"

namespace fastgemm {

FG_DEVICE float load_scalar(const Scalar& scalar) {
  if (scalar.device == nullptr) return scalar.value;
  if (scalar.device_type == DataType::kFloat16) return ptx::f32_from_f16(ptx::ld_global_u16(scalar.device));
  return ptx::ld_global_f32(static_cast<const float*>(scalar.device));
}

// False: alpha is 0 or k is 0, and A and B are not to be read.
FG_DEVICE bool has_product(const GemmProblem& problem) {
  return problem.k > 0 && load_scalar(problem.alpha) != 0.0f;
}

FG_DEVICE const void* batch_entry(const void* data, const void* const* pointers, std::int64_t stride, DataType type,
                                  std::int64_t batch) {
  if (pointers != nullptr) return ptx::ld_global_pointer(pointers + batch);
  return static_cast<const char*>(data) + batch * stride * element_size(type);
}

// One batch entry's epilogue, with its scalars read and its pointers resolved.
struct Epilogue {
  float alpha = 0.0f;  // without a product a zero that leaves beta * C as it is, sign of zero included
  float beta = 0.0f;
  bool has_product = false;  // false: alpha is 0 or k is 0, A and B are not to be read, sums are +0
  DataType type = DataType::kFloat32;
  Activation activation = Activation::kNone;
  const void* c = nullptr;  // (m, n), column-major, ldc
  std::int64_t ldc = 0;
  void* d = nullptr;  // (m, n), column-major, ldd
  std::int64_t ldd = 0;
  const void* bias = nullptr;  // (m)
};

FG_DEVICE Epilogue make_epilogue(const GemmProblem& problem, std::int64_t batch) {
  Epilogue e;
  e.alpha = load_scalar(problem.alpha);
  e.beta = load_scalar(problem.beta);
  e.has_product = problem.k > 0 && e.alpha != 0.0f;
  if (!e.has_product) e.alpha = e.beta != 0.0f ? -0.0f : 0.0f;
  e.type = problem.type_cd;
  e.activation = problem.activation;
  if (e.beta != 0.0f) e.c = batch_entry(problem.c.data, problem.c.pointers, problem.c.batch_stride, e.type, batch);
  e.ldc = problem.c.ld;
  e.d = const_cast<void*>(batch_entry(problem.d.data, reinterpret_cast<const void* const*>(problem.d.pointers),
                                      problem.d.batch_stride, e.type, batch));
  e.ldd = problem.d.ld;
  if (problem.bias != nullptr) e.bias = batch_entry(problem.bias, nullptr, problem.bias_stride, e.type, batch);
  return e;
}

// For kernels of Epilogues::kPlain: all that it does not set is known to the compiler, which then leaves out the code.
FG_DEVICE Epilogue make_plain_epilogue(const GemmProblem& problem, std::int64_t batch) {
  Epilogue e;
  e.alpha = problem.alpha.value;
  e.has_product = true;
  e.type = problem.type_cd;
  e.d = const_cast<void*>(batch_entry(problem.d.data, reinterpret_cast<const void* const*>(problem.d.pointers),
                                      problem.d.batch_stride, e.type, batch));
  e.ldd = problem.d.ld;
  return e;
}

FG_DEVICE float load_element(DataType type, const void* data, std::int64_t index) {
  if (type == DataType::kFloat32) return ptx::ld_global_f32(static_cast<const float*>(data) + index);
  return ptx::f32_from_f16(ptx::ld_global_u16(static_cast<const std::uint16_t*>(data) + index));
}

// relu(x) = max(x, 0), NaN kept; gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), the form cuBLASLt uses.
FG_DEVICE float activate(Activation activation, float x) {
  if (activation == Activation::kRelu) return x < 0.0f ? 0.0f : x;
  if (activation == Activation::kGelu) return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
  return x;
}

// Rows and columns of C and D: a tile and where it begins.
struct TileExtent {
  std::int64_t row = 0;
  std::int64_t column = 0;
  int rows = 0;
  int columns = 0;
};

// Where C will be read, its part in `tile` on its way into L2, by `threads` threads with their numbers: in the end each
// thread has a chain of loads before it, which then are trips to L2.
FG_DEVICE void prefetch_c(const GemmProblem& problem, std::int64_t batch, const TileExtent& tile, int thread,
                          int threads) {
  if (load_scalar(problem.beta) == 0.0f) return;
  constexpr int kLine = 128;
  const std::int64_t rows_left = problem.m - tile.row;
  const std::int64_t columns_left = problem.n - tile.column;
  if (rows_left <= 0) return;
  const int rows = static_cast<int>(rows_left < tile.rows ? rows_left : tile.rows);
  const int columns = static_cast<int>(columns_left < tile.columns ? columns_left : tile.columns);
  const int size = static_cast<int>(element_size(problem.type_cd));
  const int bytes = rows * size;
  const int lines = (bytes - 1) / kLine + 2;  // one more where a column begins within a line
  const char* g_c = static_cast<const char*>(
      batch_entry(problem.c.data, problem.c.pointers, problem.c.batch_stride, problem.type_cd, batch));
  g_c += (tile.row + tile.column * problem.c.ld) * size;
#pragma unroll 1
  for (int number = thread; number < columns * lines; number += threads) {
    const int column = number / lines;
    const int at = (number - column * lines) * kLine;
    ptx::prefetch_l2(g_c + column * problem.c.ld * size + (at < bytes ? at : bytes - 1));
  }
}

// alpha * acc + beta * c, with the roundings cuBLAS uses.
FG_DEVICE float scale(const Epilogue& e, float acc, float c) {
  const float value = ptx::mul_rn(e.alpha, acc);
  return e.beta == 0.0f ? value : ptx::fma_rn(e.beta, c, value);
}

// Bias and activation of a scaled value.
FG_DEVICE float finish(const Epilogue& e, float value, float bias) {
  return activate(e.activation, e.bias != nullptr ? ptx::add_rn(value, bias) : value);
}

// The value of D at one element, from the sum of products and, where beta is not 0, the element of C.
FG_DEVICE float combine(const Epilogue& e, float acc, float c, float bias) { return finish(e, scale(e, acc, c), bias); }

// Rounds a finished value to the type of D and stores it as D's element `index`.
FG_DEVICE void store_value(const Epilogue& e, std::int64_t index, float value) {
  if (e.type == DataType::kFloat32) {
    ptx::st_global_wt_f32(static_cast<float*>(e.d) + index, value);
  } else {
    ptx::st_global_u16(static_cast<std::uint16_t*>(e.d) + index, ptx::f16_from_f32(value));
  }
}

// Finishes and stores element (row, column), which must lie inside D.
FG_DEVICE void store_element(const Epilogue& e, std::int64_t row, std::int64_t column, float acc) {
  const float c = e.beta != 0.0f ? load_element(e.type, e.c, row + column * e.ldc) : 0.0f;
  const float bias = e.bias != nullptr ? load_element(e.type, e.bias, row) : 0.0f;
  store_value(e, row + column * e.ldd, combine(e, acc, c, bias));
}

// For kernels whose D is FP32: scale into D first, and finish D in place where there is a bias or an activation. The
// values between are D's own FP32 numbers, so the result is store_element's.

FG_DEVICE bool has_finish(const Epilogue& e) { return e.bias != nullptr || e.activation != Activation::kNone; }

// Whether four rows of C and D from a row that is a multiple of 4 can be accessed as 16-byte vectors.
FG_DEVICE bool has_aligned_rows(const Epilogue& e) {
  const bool d_aligned = reinterpret_cast<std::uintptr_t>(e.d) % 16 == 0 && e.ldd % 4 == 0;
  const bool c_aligned = reinterpret_cast<std::uintptr_t>(e.c) % 16 == 0 && e.ldc % 4 == 0;
  return d_aligned && (e.beta == 0.0f || c_aligned);
}

// Applies bias and activation to an element that this thread has stored.
FG_DEVICE void finish_element(const Epilogue& e, std::int64_t row, std::int64_t column) {
  float* g_element = static_cast<float*>(e.d) + row + column * e.ldd;
  const float bias = e.bias != nullptr ? ptx::ld_global_f32(static_cast<const float*>(e.bias) + row) : 0.0f;
  ptx::st_global_wt_f32(g_element, finish(e, ptx::ld_global_f32(g_element), bias));
}

}  // namespace fastgemm
