// A thread's part of one step of k in registers, and the outer product it goes into.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/shared.cuh"

namespace fastgemm::ffma {

template <class Config>
using Accumulators = float[Config::kThreadN][Config::kThreadM];

// One step of what lies m- or n-contiguous.
template <class Config>
struct Fragments {
  float a[Config::kRowsA ? 1 : Config::kThreadM];
  float b[Config::kRowsB ? 1 : Config::kThreadN];
};

// Four steps of an operand whose rows are read along k; reloaded in place, each row as soon as its fourth step is done.
template <class Config>
struct RowFragments {
  float of[Config::kRowThreads][4];
};

// Where the fragments of a k step lie in shared memory, for this thread.
struct FragmentAddress {
  ptx::SharedAddress s_a = 0;
  ptx::SharedAddress s_b = 0;
};

FG_DEVICE void load_vector(float* r_vector, ptx::SharedAddress s_vector) {
  const float4 value = ptx::ld_shared_f32x4(s_vector);
  r_vector[0] = value.x, r_vector[1] = value.y, r_vector[2] = value.z, r_vector[3] = value.w;
}

template <class Axis>
FG_DEVICE void load_axis_vector(float* r_vectors, ptx::SharedAddress s_vectors, int index) {
  if constexpr (Axis::kVectors > 0) load_vector(r_vectors + index * 4, s_vectors + index * Axis::kVectorStep * 4);
}

// Loads vector `index` of a step's fragments: those of B first, then A's.
template <class Config>
FG_DEVICE void load_fragment_vector(Fragments<Config>& fragments, const FragmentAddress& at, int index) {
  using AxisM = typename Config::AxisM;
  using AxisN = typename Config::AxisN;
  if (index < AxisN::kVectors) {
    load_axis_vector<AxisN>(fragments.b, at.s_b, index);
  } else {
    load_axis_vector<AxisM>(fragments.a, at.s_a, index - AxisN::kVectors);
  }
}

// Loads row `index` of the four steps that begin at `at`.
template <class Config>
FG_DEVICE void load_row(RowFragments<Config>& rows, const FragmentAddress& at, int index) {
  const ptx::SharedAddress s_rows = Config::kRowsA ? at.s_a : at.s_b;
  load_vector(rows.of[index], s_rows + index * Config::kRowLanes * Config::kRowPitch);
}

template <class Config>
FG_DEVICE void load_fragments(Fragments<Config>& fragments, const FragmentAddress& at) {
#pragma unroll
  for (int i = 0; i < Config::AxisM::kVectors + Config::AxisN::kVectors; ++i) {
    load_fragment_vector(fragments, at, i);
  }
}

template <class Config>
FG_DEVICE void load_rows(RowFragments<Config>& rows, const FragmentAddress& at) {
  if constexpr (Config::kRowsA || Config::kRowsB) {
#pragma unroll
    for (int i = 0; i < Config::kRowThreads; ++i) load_row(rows, at, i);
  }
}

// One step of k, number `step` of its k tile: accumulators += a * b, while the next step's fragments are loaded. An
// element of B (of A, where A's rows are read along k) is held while all of the other operand passes by, forwards and
// backwards in turn, so that at each turn the other's element is held as well; the loads are spread over the step,
// since several in a row would stall the FMAs behind them.
template <class Config, bool kLoadNext>
FG_DEVICE void multiply_step(Accumulators<Config>& r_acc, const Fragments<Config>& now, Fragments<Config>& next,
                             RowFragments<Config>& rows, const FragmentAddress& next_at, int step) {
  constexpr bool kRows = Config::kRowsA || Config::kRowsB;
  constexpr int kVectors = Config::AxisM::kVectors + Config::AxisN::kVectors;
  constexpr int kProducts = Config::kThreadM * Config::kThreadN;
  constexpr int kSpacing = kProducts / kVectors / 2 * 2 > 16 ? 16 : kProducts / kVectors;
  constexpr int kInner = Config::kRowsA ? Config::kThreadN : Config::kThreadM;
#pragma unroll
  for (int product = 0; product < kProducts; ++product) {
    if (kLoadNext && product % kSpacing == 0 && product / kSpacing < kVectors) {
      load_fragment_vector(next, next_at, product / kSpacing);
    }
    const int outer = product / kInner;
    const int along = product % kInner;
    const int inner = outer % 2 == 0 ? along : kInner - 1 - along;
    const int i = Config::kRowsA ? outer : inner;
    const int j = Config::kRowsA ? inner : outer;
    const float a = Config::kRowsA ? rows.of[outer % Config::kRowThreads][step % 4] : now.a[Config::kRowsA ? 0 : i];
    const float b = Config::kRowsB ? rows.of[outer % Config::kRowThreads][step % 4] : now.b[Config::kRowsB ? 0 : j];
    r_acc[j][i] = ptx::fma_rn(a, b, r_acc[j][i]);
    if (kRows && kLoadNext && step % 4 == 3 && along == kInner - 1) load_row(rows, next_at, outer);
  }
}

}  // namespace fastgemm::ffma
