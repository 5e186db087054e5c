// Host side of the FFMA family: which of a tile's kernels a problem takes, and its launches.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "kernels/alignment.h"
#include "kernels/params.h"
#include "kernels/ptx/launch.cuh"
#include "kernels/sgemm_ffma/config.h"
#include "kernels/sgemm_ffma/kernel.cuh"

namespace fastgemm::ffma {

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

inline bool allows_vectors(const Operand& operand, std::int64_t batch_count) {
  return operand_alignment(operand, DataType::kFloat32, batch_count) >= 16;
}

template <class Tile, Epilogues kEpilogues, bool kSplits>
struct KernelsOf {
  template <SliceCopy kCopyA, SliceCopy kCopyB>
  static constexpr auto kernel = sgemm_ffma_kernel<Config<Tile, kCopyA, kCopyB, kEpilogues, kSplits>>;
};

// What the kernel table needs of a tile. It has two kernels for each of four layouts: 16-byte and 4-byte copies. Small
// tiles read one k-contiguous operand along k, in 16-byte copies; large ones, and the other such operand of TN, take it
// in 4-byte pieces however it is aligned.
template <class Tile>
class Launcher {
  using Kernel = void (*)(GemmParams);
  static constexpr SliceCopy kWide = SliceCopy::kContiguous16;
  static constexpr SliceCopy kNarrow = SliceCopy::kContiguous4;
  static constexpr SliceCopy kAcross = SliceCopy::kTransposed4;
  // Small tiles; 128 sums a thread and a tile on its way through registers leave none for four steps of rows.
  static constexpr bool kRowCopies =
      Tile::kSplits && (Tile::kTransfer == Transfer::kAsync || Tile::kThreadM * Tile::kThreadN <= 64);
  static constexpr SliceCopy kRows = kRowCopies ? SliceCopy::kRows16 : SliceCopy::kTransposed4;
  static constexpr bool kRowsOfA = Tile::kTileM > Tile::kTileN;  // in TN: of the larger operand

  // The kernels of all layouts.
  struct Kernels {
    Kernel of[2][2][2];  // [op A][op B][16-byte copies]
  };

  template <Epilogues kEpilogues, bool kSplits>
  static constexpr Kernels kernels() {
    using Of = KernelsOf<Tile, kEpilogues, kSplits>;
    // TN's, with 16-byte copies of the larger operand where they are used at all.
    constexpr SliceCopy kTnA = kRowsOfA ? kRows : kAcross;
    constexpr SliceCopy kTnB = kRowsOfA ? kAcross : kRows;
    return {{{{Of::template kernel<kNarrow, kAcross>, Of::template kernel<kWide, kRows>},
              {Of::template kernel<kNarrow, kNarrow>, Of::template kernel<kWide, kWide>}},
             {{Of::template kernel<kAcross, kAcross>, Of::template kernel<kTnA, kTnB>},
              {Of::template kernel<kAcross, kNarrow>, Of::template kernel<kRows, kWide>}}}};
  }

  // For all epilogues; then those for plain ones, whole and in parts, where there are such.
  static constexpr std::array<Kernels, Tile::kHasPlain ? 3 : 1> kKernels = [] {
    if constexpr (Tile::kHasPlain) {
      return std::array{kernels<Epilogues::kAll, Tile::kSplits>(), kernels<Epilogues::kPlain, false>(),
                        kernels<Epilogues::kPlain, true>()};
    } else {
      return std::array{kernels<Epilogues::kAll, Tile::kSplits>()};
    }
  }();

  static Kernel kernel_of(const GemmProblem& problem, int splits) {
    const bool across_a = problem.op_a == Op::kT && (!kRowCopies || (problem.op_b == Op::kN && !kRowsOfA));
    const bool across_b = problem.op_b == Op::kN && (!kRowCopies || (problem.op_a == Op::kT && kRowsOfA));
    const bool a_wide = across_a || allows_vectors(problem.a, problem.batch_count);
    const bool b_wide = across_b || allows_vectors(problem.b, problem.batch_count);
    const std::size_t kind = !Tile::kHasPlain || !is_scaled_product(problem) ? 0 : splits == 1 ? 1 : 2;
    return kKernels[kind].of[problem.op_a == Op::kT][problem.op_b == Op::kT][a_wide && b_wide];
  }

  using AnyConfig = Config<Tile, kWide, kWide>;

 public:
  static constexpr int kThreads = AnyConfig::kThreads;
  // Of the layout that needs most.
  static constexpr std::int64_t kSharedBytes =
      std::max({AnyConfig::kSharedBytes, Config<Tile, kWide, kRows>::kSharedBytes,
                Config<Tile, kRows, kWide>::kSharedBytes});
  static constexpr int kMaxSplits = Tile::kSplits ? kMaxSplitsOfK : 1;

  static bool supports(const GemmProblem& problem) {
    constexpr std::int64_t kMax = std::numeric_limits<int>::max() - 1;
    return problem.type_ab == DataType::kFloat32 && problem.type_cd == DataType::kFloat32 &&
           problem.m / Tile::kTileM < kMax && problem.n / Tile::kTileN < kMax &&
           problem.k / Tile::kTileK < kMax - Tile::kStages;
  }

  static cudaError_t prepare() {
    for (const Kernels& kernels : kKernels) {
      for (const auto& of_op_a : kernels.of) {
        for (const auto& of_op_b : of_op_a) {
          for (const Kernel kernel : of_op_b) {
            const cudaError_t error = ptx::prepare_kernel(kernel, kSharedBytes);
            if (error != cudaSuccess) return error;
          }
        }
      }
    }
    return cudaSuccess;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    constexpr std::int64_t kMaxBlocks = std::numeric_limits<int>::max();
    GemmParams params;
    params.problem = problem;
    params.tiles_m = static_cast<int>(divide_up(problem.m, Tile::kTileM));
    params.tiles_n = static_cast<int>(divide_up(problem.n, Tile::kTileN));
    if constexpr (Tile::kSplits) {
      params.split = make_split_params(problem, {Tile::kTileM, Tile::kTileN, Tile::kTileK}, context);
    }
    const std::int64_t tiles =
        std::int64_t{params.tiles_m} * params.tiles_n * problem.batch_count * params.split.splits;
    const Kernel kernel = kernel_of(problem, params.split.splits);
    ptx::LaunchShape shape{.threads = kThreads, .shared_bytes = kSharedBytes};
    for (; params.first_tile < tiles; params.first_tile += kMaxBlocks) {
      shape.blocks = std::min(tiles - params.first_tile, kMaxBlocks);
      const cudaError_t error = ptx::launch_grid(kernel, shape, context.stream, params);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }
};

}  // namespace fastgemm::ffma
