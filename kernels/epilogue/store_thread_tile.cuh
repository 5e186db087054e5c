// From accumulators to an FP32 D: the epilogue of one thread's elements, a rectangle of kThreadM x kThreadN.
#pragma once

#include <cstdint>

#include "kernels/epilogue/epilogue.cuh"
#include "kernels/ptx/simt.cuh"

namespace fastgemm {

// This thread's place in D: element (i, j) of its thread tile is row + AxisM::position(0, i), column +
// AxisN::position(0, j). Axes: kernels/tile/thread_tile_map.cuh.
struct ThreadTileOrigin {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t rows = 0;     // of D from `row` to the edge; 0 or less: outside
  std::int64_t columns = 0;  // of D from `column` to the edge
};

// Where a column of a thread tile begins in D and, where C is read, in C.
struct ThreadColumn {
  float* g_d = nullptr;
  const float* g_c = nullptr;
};

// Rows `row` to `row` + 3 of a column, which lie side by side.
FG_DEVICE void store_scaled_rows(const Epilogue& e, const ThreadColumn& column, int row, float4 acc) {
  float4 c{};
  if (e.beta != 0.0f) c = ptx::ld_global_f32x4(column.g_c + row);
  const float4 value{scale(e, acc.x, c.x), scale(e, acc.y, c.y), scale(e, acc.z, c.z), scale(e, acc.w, c.w)};
  ptx::st_global_wt_f32x4(column.g_d + row, value);
}

FG_DEVICE void store_scaled_row(const Epilogue& e, const ThreadColumn& column, int row, float acc) {
  const float c = e.beta != 0.0f ? ptx::ld_global_f32(column.g_c + row) : 0.0f;
  ptx::st_global_wt_f32(column.g_d + row, scale(e, acc, c));
}

// D = alpha * element(i, j) + beta * C: four rows at a time where they lie side by side, addresses allow and all exist,
// else one by one.
template <class Config, class Element>
FG_DEVICE void store_scaled_tile(const Epilogue& epilogue, const ThreadTileOrigin& origin, const Element& element) {
  using AxisM = typename Config::AxisM;
  using AxisN = typename Config::AxisN;
  constexpr int kFar = 1 << 20;  // more than any tile
  const int rows = static_cast<int>(origin.rows < kFar ? origin.rows : kFar);
  const int columns = static_cast<int>(origin.columns < kFar ? origin.columns : kFar);
  const bool vectors =
      AxisM::kVectors > 0 && has_aligned_rows(epilogue) && rows > AxisM::position(0, Config::kThreadM - 1);
  ThreadColumn first;
  first.g_d = static_cast<float*>(epilogue.d) + origin.row + origin.column * epilogue.ldd;
  if (epilogue.beta != 0.0f) {
    first.g_c = static_cast<const float*>(epilogue.c) + origin.row + origin.column * epilogue.ldc;
  }
#pragma unroll
  for (int j = 0; j < Config::kThreadN; ++j) {
    if (AxisN::position(0, j) >= columns) continue;
    const ThreadColumn column{first.g_d + AxisN::position(0, j) * epilogue.ldd,
                              first.g_c + AxisN::position(0, j) * epilogue.ldc};
    if (vectors) {
#pragma unroll
      for (int i = 0; i < Config::kThreadM; i += 4) {
        store_scaled_rows(epilogue, column, AxisM::position(0, i),
                          float4{element(i, j), element(i + 1, j), element(i + 2, j), element(i + 3, j)});
      }
    } else {
#pragma unroll
      for (int i = 0; i < Config::kThreadM; ++i) {
        const int row = AxisM::position(0, i);
        if (row < rows) store_scaled_row(epilogue, column, row, element(i, j));
      }
    }
  }
}

// Bias and activation, on the elements that this thread has just stored. They are rare; applied here in a loop over
// memory they cost no code between the accumulators and D, and D's values are the same FP32 numbers either way.
template <class Config>
FG_DEVICE void finish_stored_tile(const Epilogue& epilogue, const ThreadTileOrigin& origin) {
  if (!has_finish(epilogue)) return;
#pragma unroll 1
  for (int j = 0; j < Config::kThreadN; ++j) {
    const int column = Config::AxisN::position(0, j);
    if (column >= origin.columns) return;
#pragma unroll 4
    for (int i = 0; i < Config::kThreadM; ++i) {
      const int row = Config::AxisM::position(0, i);
      if (row < origin.rows) finish_element(epilogue, origin.row + row, origin.column + column);
    }
  }
}

}  // namespace fastgemm
