// From accumulators to D: slices are added in ascending k through shared memory, parts of k through workspace, and
// threads then store runs of eight rows.
#pragma once

#include "kernels/epilogue/store_run.cuh"
#include "kernels/sgemm_sliced/mainloop.cuh"
#include "kernels/tile/split_sum.cuh"

namespace fastgemm::sliced {

// Vectors along m go to shared memory with neighbours exchanged. Stored in order, ptxas would keep even elements of a
// vector in even registers, in the bank of the fragments' even elements: 535 instead of 300 register slots for 256 FMAs.
template <class Config>
inline constexpr bool kExchanged = !Config::SideA::kAlongDepth;

// The thread's sums over its slice, to shared memory.
template <class Config>
FG_DEVICE void store_slice(const Mainloop<Config>& mainloop, const SharedLayout<Config>& shared,
                           const Accumulators<Config>& r_acc) {
  const ptx::SharedAddress s_slice = shared.s_ring + mainloop.slice() * Config::kSliceBytes;
  constexpr int kStep = kExchanged<Config> ? 4 : 1;
  static_assert(!kExchanged<Config> || Config::kStreamsA, "vectors along m are those of the streamed operand");
#pragma unroll
  for (int h = 0; h < kThreadHeld; ++h) {
#pragma unroll
    for (int s = 0; s < Config::kThreadStreamed; s += kStep) {
      const auto at = mainloop.place(h, s);
      const ptx::SharedAddress s_element = s_slice + at.column * Config::kSumPitch + at.row * 4;
      if constexpr (kExchanged<Config>) {
        ptx::st_shared_f32x4(s_element, float4{r_acc[h][s + 1], r_acc[h][s], r_acc[h][s + 3], r_acc[h][s + 2]});
      } else {
        ptx::st_shared_f32(s_element, r_acc[h][s]);
      }
    }
  }
}

// Run `run` of this thread: eight rows of a column of the tile.
struct RunPlace {
  int row = 0;
  int column = 0;
};

template <class Config>
FG_DEVICE RunPlace run_place(int run) {
  constexpr int kRunsOfColumn = Config::kTileM / kRun;
  const int number = run * kThreads + ptx::thread_index();
  return {number % kRunsOfColumn * kRun, number / kRunsOfColumn};
}

template <class Config>
FG_DEVICE ptx::SharedAddress run_address(const SharedLayout<Config>& shared, const RunPlace& at) {
  return shared.s_ring + at.column * Config::kSumPitch + at.row * 4;
}

// r_run = a run's sum over the first `slices` slices in ascending order.
template <class Config>
FG_DEVICE void add_slices(const SharedLayout<Config>& shared, const RunPlace& at, int slices, float* r_run) {
  const ptx::SharedAddress s_run = run_address(shared, at);
#pragma unroll
  for (int slice = 0; slice < Config::kSlices; ++slice) {
    if (slice >= slices) break;
#pragma unroll
    for (int i = 0; i < kRun; i += 4) {
      const float4 term = ptx::ld_shared_f32x4(s_run + slice * Config::kSliceBytes + i * 4);
      const float r_term[4] = {term.x, term.y, term.z, term.w};
#pragma unroll
      for (int along = 0; along < 4; ++along) {
        const float value = r_term[kExchanged<Config> ? along ^ 1 : along];
        r_run[i + along] = slice == 0 ? value : ptx::add_rn(r_run[i + along], value);
      }
    }
  }
}

// Adds the block's slices and the other blocks' parts. True in the block that has the whole sum, then as slice 0.
template <class Config>
FG_DEVICE bool sum_parts(const SlicedParams& params, const SharedLayout<Config>& shared, const SplitPart& part) {
  float r_sums[Config::kElements];
#pragma unroll
  for (int run = 0; run < Config::kRuns; ++run) {
    add_slices(shared, run_place<Config>(run), Config::kSlices, r_sums + run * kRun);
  }
  const SplitThreads<kThreads> threads{ptx::thread_index(), shared.word()};
  const auto element = [&r_sums](int i) -> float& { return r_sums[i]; };
  if (!sum_split_parts<Config::kElements>(params.split, part, threads, element)) return false;
#pragma unroll
  for (int run = 0; run < Config::kRuns; ++run) {
    const ptx::SharedAddress s_run = run_address(shared, run_place<Config>(run));
#pragma unroll
    for (int i = 0; i < kRun; i += 4) {
      const float* r_vector = r_sums + run * kRun + i;
      const float4 value{r_vector[0], r_vector[1], r_vector[2], r_vector[3]};
      ptx::st_shared_f32x4(s_run + i * 4, kExchanged<Config> ? float4{value.y, value.x, value.w, value.z} : value);
    }
  }
  return true;
}

// Whole runs scale into D by vectors; bias and activation then pass over what the thread has stored.
template <class Config>
class TileStore {
 public:
  FG_DEVICE TileStore(const GemmProblem& problem, const BlockRange& range)
      : problem_(problem), range_(range), epilogue_(make_epilogue(problem, 0)) {}

  FG_DEVICE void store(const SharedLayout<Config>& shared, int slices) const {
    const bool aligned = runs_aligned(epilogue_);
#pragma unroll 1
    for (int run = 0; run < Config::kRuns; ++run) {
      const RunPlace at = run_place<Config>(run);
      const int rows = rows_inside(at);
      if (rows <= 0) continue;
      float r_run[kRun] = {};
      if (slices > 0) add_slices(shared, at, slices, r_run);
      if (aligned && rows >= kRun) {
        store_whole(at, r_run);
      } else {
        store_cut(at, rows, r_run);
      }
    }
    if (has_finish(epilogue_)) finish();
  }

 private:
  // Rows of D from this run's first on; none or less where the run lies outside.
  FG_DEVICE int rows_inside(const RunPlace& at) const {
    if (range_.column + at.column >= problem_.n) return 0;
    const std::int64_t rows = problem_.m - range_.row - at.row;
    return rows < kRun ? static_cast<int>(rows) : kRun;
  }

  FG_DEVICE std::int64_t index(const RunPlace& at, std::int64_t ld) const {
    return range_.row + at.row + (std::int64_t{range_.column} + at.column) * ld;
  }

  FG_DEVICE void store_whole(const RunPlace& at, const float (&r_run)[kRun]) const {
    float r_c[kRun] = {};
    if (epilogue_.beta != 0.0f) load_run(DataType::kFloat32, epilogue_.c, index(at, epilogue_.ldc), r_c);
    float* g_d = static_cast<float*>(epilogue_.d) + index(at, epilogue_.ldd);
#pragma unroll
    for (int i = 0; i < kRun; i += 4) {
      ptx::st_global_wt_f32x4(g_d + i, float4{scale(epilogue_, r_run[i], r_c[i]),
                                              scale(epilogue_, r_run[i + 1], r_c[i + 1]),
                                              scale(epilogue_, r_run[i + 2], r_c[i + 2]),
                                              scale(epilogue_, r_run[i + 3], r_c[i + 3])});
    }
  }

  FG_DEVICE void store_cut(const RunPlace& at, int rows, const float (&r_run)[kRun]) const {
    const float* g_c = static_cast<const float*>(epilogue_.c) + (epilogue_.beta != 0.0f ? index(at, epilogue_.ldc) : 0);
    float* g_d = static_cast<float*>(epilogue_.d) + index(at, epilogue_.ldd);
    float r_c[kRun] = {};
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      if (epilogue_.beta != 0.0f && i < rows) r_c[i] = ptx::ld_global_f32(g_c + i);
    }
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      if (i < rows) ptx::st_global_wt_f32(g_d + i, scale(epilogue_, r_run[i], r_c[i]));
    }
  }

  FG_DEVICE void finish() const {
#pragma unroll 1
    for (int run = 0; run < Config::kRuns; ++run) {
      const RunPlace at = run_place<Config>(run);
      const int rows = rows_inside(at);
#pragma unroll 1
      for (int i = 0; i < rows; ++i) {
        finish_element(epilogue_, range_.row + at.row + i, std::int64_t{range_.column} + at.column);
      }
    }
  }

  const GemmProblem& problem_;
  const BlockRange& range_;
  Epilogue epilogue_;
};

}  // namespace fastgemm::sliced
