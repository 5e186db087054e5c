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

// kColumns columns of a thread tile from column `first` on. C is loaded before D is stored: the two may be the same
// memory, so the compiler keeps their order, and each load would wait for the one before it.
template <class Config, int kColumns, class Element>
FG_DEVICE void store_scaled_columns(const Epilogue& e, const ThreadColumn (&columns)[kColumns], int first,
                                    int columns_inside, const Element& element) {
  using AxisM = typename Config::AxisM;
  using AxisN = typename Config::AxisN;
  constexpr int kVectors = Config::kThreadM / 4;
  float4 c[kColumns][kVectors] = {};
  if (e.beta != 0.0f) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        if (AxisN::position(0, first + j) < columns_inside) {
          c[j][v] = ptx::ld_global_f32x4(columns[j].g_c + AxisM::position(0, 4 * v));
        }
      }
    }
  }
#pragma unroll
  for (int j = 0; j < kColumns; ++j) {
    if (AxisN::position(0, first + j) >= columns_inside) continue;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int i = 4 * v;
      const float4 value{
          scale(e, element(i, first + j), c[j][v].x), scale(e, element(i + 1, first + j), c[j][v].y),
          scale(e, element(i + 2, first + j), c[j][v].z), scale(e, element(i + 3, first + j), c[j][v].w)};
      ptx::st_global_wt_f32x4(columns[j].g_d + AxisM::position(0, i), value);
    }
  }
}

// The same for one column, element by element.
template <class Config, class Element>
FG_DEVICE void store_scaled_elements(const Epilogue& e, const ThreadColumn& column, int j, int rows,
                                     const Element& element) {
  using AxisM = typename Config::AxisM;
  float c[Config::kThreadM] = {};
  if (e.beta != 0.0f) {
#pragma unroll
    for (int i = 0; i < Config::kThreadM; ++i) {
      if (AxisM::position(0, i) < rows) c[i] = ptx::ld_global_f32(column.g_c + AxisM::position(0, i));
    }
  }
#pragma unroll
  for (int i = 0; i < Config::kThreadM; ++i) {
    if (AxisM::position(0, i) >= rows) continue;
    ptx::st_global_wt_f32(column.g_d + AxisM::position(0, i), scale(e, element(i, j), c[i]));
  }
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
  constexpr int kVectorsAtOnce = 8;  // 32 registers
  constexpr int kWanted = kVectorsAtOnce * 4 / Config::kThreadM;
  constexpr int kColumns = kWanted < 1 ? 1 : kWanted < Config::kThreadN ? kWanted : Config::kThreadN;
  static_assert(Config::kThreadN % kColumns == 0, "whole rounds");
#pragma unroll
  for (int j = 0; j < Config::kThreadN; j += kColumns) {
    if (AxisN::position(0, j) >= columns) continue;
    ThreadColumn at[kColumns];
#pragma unroll
    for (int along = 0; along < kColumns; ++along) {
      at[along] = {first.g_d + AxisN::position(0, j + along) * epilogue.ldd,
                   first.g_c + AxisN::position(0, j + along) * epilogue.ldc};
    }
    if (vectors) {
      store_scaled_columns<Config>(epilogue, at, j, columns, element);
    } else {
#pragma unroll
      for (int along = 0; along < kColumns; ++along) {
        if (AxisN::position(0, j + along) < columns) {
          store_scaled_elements<Config>(epilogue, at[along], j + along, rows, element);
        }
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
