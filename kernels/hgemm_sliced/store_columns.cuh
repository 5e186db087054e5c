// From sums in shared memory to D: a run of eight rows a thread.
#pragma once

#include "kernels/epilogue/store_run.cuh"
#include "kernels/hgemm_sliced/sums.cuh"

namespace fastgemm::hgemm_sliced {

// Columns first .. first + count - 1 of a tile, stored by the first `threads` threads.
struct ColumnRange {
  int first = 0;
  int count = 0;
  int threads = 0;
};

template <class Config>
class ColumnStore {
 public:
  FG_DEVICE ColumnStore(const GemmProblem& problem, const BlockPlace& place)
      : problem_(problem),
        place_(place),
        epilogue_(Config::kPlain ? make_plain_epilogue(problem, 0) : make_epilogue(problem, 0)) {}

  FG_DEVICE void store(const SumTerms& terms, const ColumnRange& columns) const {
    const bool by_runs = runs_aligned(epilogue_);
    const int first_slot = columns.first * Sums::kRunsOfColumn;
#pragma unroll 1
    for (int at = ptx::thread_index(); at < columns.count * Sums::kRunsOfColumn; at += columns.threads) {
      const int slot = first_slot + at;
      const int column = slot / Sums::kRunsOfColumn;
      const int run = slot % Sums::kRunsOfColumn ^ Sums::turn(column);
      const std::int64_t row_of_d = std::int64_t{place_.row} + run * kRun;
      const std::int64_t column_of_d = std::int64_t{place_.column} + column;
      if (column_of_d >= problem_.n || row_of_d >= problem_.m) continue;
      if (by_runs && row_of_d + kRun <= problem_.m) {
        const float4 low = sum_vector(terms, at * kRunBytes + Sums::half_offset(slot, 0));
        const float4 high = sum_vector(terms, at * kRunBytes + Sums::half_offset(slot, 1));
        store_run(epilogue_, row_of_d, column_of_d,
                  {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w});
      } else {
        store_elements(terms, slot, at * kRunBytes, row_of_d, column_of_d);
      }
    }
  }

 private:
  using Sums = typename Config::Sums;

  FG_DEVICE void store_elements(const SumTerms& terms, int slot, int offset, std::int64_t row,
                                std::int64_t column) const {
#pragma unroll 1
    for (int i = 0; i < kRun && row + i < problem_.m; ++i) {
      const int at = offset + Sums::half_offset(slot, i / 4) + i % 4 * 4;
      float sum = 0.0f;
#pragma unroll 1
      for (int term = 0; term < terms.count; ++term) {
        sum = ptx::add_rn(sum, ptx::ld_shared_f32(terms.s_first + term * terms.stride + at));
      }
      store_element(epilogue_, row + i, column, sum);
    }
  }

  const GemmProblem& problem_;
  const BlockPlace& place_;
  Epilogue epilogue_;
};

}  // namespace fastgemm::hgemm_sliced
