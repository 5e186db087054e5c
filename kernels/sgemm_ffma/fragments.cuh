// A thread's part of one step of k in registers, and the outer product it goes into.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/shared.cuh"

namespace fastgemm::ffma {

template <class Config>
using Accumulators = float[Config::kThreadN][Config::kThreadM];

template <class Config>
struct Fragments {
  float a[Config::kThreadM];
  float b[Config::kThreadN];
};

// Where the fragments of k step 0 of a stage lie in shared memory, for this thread.
struct FragmentAddress {
  ptx::SharedAddress s_a = 0;
  ptx::SharedAddress s_b = 0;
};

FG_DEVICE void load_vector(float* r_vector, ptx::SharedAddress s_vector) {
  const float4 value = ptx::ld_shared_f32x4(s_vector);
  r_vector[0] = value.x, r_vector[1] = value.y, r_vector[2] = value.z, r_vector[3] = value.w;
}

// Loads vector `index` of a step's fragments: those of B first, then A's.
template <class Config>
FG_DEVICE void load_fragment_vector(Fragments<Config>& fragments, const FragmentAddress& at, int index) {
  using AxisM = typename Config::AxisM;
  using AxisN = typename Config::AxisN;
  if (index < AxisN::kVectors) {
    load_vector(fragments.b + index * 4, at.s_b + index * AxisN::kVectorStep * 4);
  } else {
    const int vector = index - AxisN::kVectors;
    load_vector(fragments.a + vector * 4, at.s_a + vector * AxisM::kVectorStep * 4);
  }
}

template <class Config>
FG_DEVICE void load_fragments(Fragments<Config>& fragments, const FragmentAddress& at) {
#pragma unroll
  for (int i = 0; i < Config::AxisM::kVectors + Config::AxisN::kVectors; ++i) {
    load_fragment_vector(fragments, at, i);
  }
}

// One step of k: accumulators += a * b, while the next step's fragments are loaded. An element of B is held while all
// of A passes by, forwards and backwards in turn, so that at each turn the element of A is held as well; the loads are
// spread over the step, since several in a row would stall the FMAs behind them.
template <class Config, bool kLoadNext>
FG_DEVICE void multiply_step(Accumulators<Config>& r_acc, const Fragments<Config>& now, Fragments<Config>& next,
                             const FragmentAddress& next_at) {
  constexpr int kVectors = Config::AxisM::kVectors + Config::AxisN::kVectors;
  constexpr int kProducts = Config::kThreadM * Config::kThreadN;
  constexpr int kSpacing = kProducts / kVectors / 2 * 2 > 16 ? 16 : kProducts / kVectors;
#pragma unroll
  for (int product = 0; product < kProducts; ++product) {
    if (kLoadNext && product % kSpacing == 0 && product / kSpacing < kVectors) {
      load_fragment_vector(next, next_at, product / kSpacing);
    }
    const int j = product / Config::kThreadM;
    const int along = product % Config::kThreadM;
    const int i = j % 2 == 0 ? along : Config::kThreadM - 1 - along;
    r_acc[j][i] = ptx::fma_rn(now.a[i], now.b[j], r_acc[j][i]);
  }
}

}  // namespace fastgemm::ffma
