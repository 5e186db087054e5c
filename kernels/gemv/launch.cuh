// Host side of the GEMV family: which kernel a problem takes, and its launches.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "kernels/alignment.h"
#include "kernels/gemv/kernel.cuh"
#include "kernels/ptx/launch.cuh"

namespace fastgemm::gemv {

struct Instantiation {
  void (*kernel)(GemvParams) = nullptr;
  std::int64_t shared_bytes = 0;
};

template <class Config>
constexpr Instantiation instantiation() {
  return {gemv_kernel<Config>, Config::kSharedBytes};
}

// [how the long operand is stored][wide loads]
struct OfLongOperand {
  Instantiation of[2][2];
};

template <DataType kType, int kShort>
constexpr OfLongOperand of_long_operand() {
  return {{{instantiation<Config<kType, kShort, Stored::kAlongLong, false>>(),
            instantiation<Config<kType, kShort, Stored::kAlongLong, true>>()},
           {instantiation<Config<kType, kShort, Stored::kAlongDepth, false>>(),
            instantiation<Config<kType, kShort, Stored::kAlongDepth, true>>()}}};
}

// The sizes of the short side that there are kernels for, each for those down to the one before; of FP16 up to 4.
inline constexpr int kShorts[] = {1, 2, 4, 8};

template <DataType kType>
inline constexpr auto kInstantiations = [] {
  if constexpr (kType == DataType::kFloat16) {
    return std::array{of_long_operand<kType, 1>(), of_long_operand<kType, 2>(), of_long_operand<kType, 4>()};
  } else {
    return std::array{of_long_operand<kType, 1>(), of_long_operand<kType, 2>(), of_long_operand<kType, 4>(),
                      of_long_operand<kType, 8>()};
  }
}();

// What the kernel table needs of a row: the products whose short side (n, or m) is kMinShort to kMaxShort.
template <DataType kType, bool kLongIsN, int kMinShort, int kMaxShort>
class Launcher {
  static const Instantiation& instantiation_of(const GemmProblem& problem) {
    const LongAndShort sides = long_and_short(problem, kLongIsN);
    int index = 0;
    while (kShorts[index] < sides.extent_short) ++index;
    const bool along_depth = kLongIsN ? problem.op_b == Op::kN : problem.op_a == Op::kT;
    const bool wide = operand_alignment(*sides.g_long, kType, problem.batch_count) >= kBlock * element_size(kType);
    return kInstantiations<kType>[index].of[along_depth][wide];
  }

  using Largest = Config<kType, kMaxShort, Stored::kAlongLong, true>;

 public:
  static constexpr TileShape kTile = kLongIsN ? TileShape{kMaxShort, kTileLong, kStepDepth}
                                              : TileShape{kTileLong, kMaxShort, kStepDepth};
  static constexpr std::int64_t kSharedBytes = Largest::kSharedBytes;
  static constexpr int kBlocksPerSm = Largest::kBlocksPerSm;

  static bool supports(const GemmProblem& problem) {
    const std::int64_t extent_short = kLongIsN ? problem.m : problem.n;
    return problem.type_ab == kType && (kType == DataType::kFloat16 || problem.type_cd == DataType::kFloat32) &&
           extent_short >= kMinShort && extent_short <= kMaxShort;
  }

  static cudaError_t prepare() {
    for (const OfLongOperand& of_short : kInstantiations<kType>) {
      for (const auto& of_stored : of_short.of) {
        for (const Instantiation& entry : of_stored) {
          const cudaError_t error = ptx::prepare_kernel(entry.kernel, entry.shared_bytes);
          if (error != cudaSuccess) return error;
        }
      }
    }
    return cudaSuccess;
  }

  static cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
    constexpr std::int64_t kMaxBlocks = std::numeric_limits<std::int32_t>::max();
    GemvParams params;
    params.problem = problem;
    params.long_is_n = kLongIsN;
    params.tiles = ((kLongIsN ? problem.n : problem.m) + kTileLong - 1) / kTileLong;
    params.split = make_split_params(problem, kTile, context);
    const std::int64_t tiles = params.tiles * problem.batch_count;
    const Instantiation& entry = instantiation_of(problem);
    ptx::LaunchShape shape{.threads = kThreads, .shared_bytes = entry.shared_bytes};
    for (; params.first_tile < tiles; params.first_tile += kMaxBlocks) {
      shape.blocks = std::min((tiles - params.first_tile) * params.split.splits, kMaxBlocks);
      const cudaError_t error = ptx::launch_grid(entry.kernel, shape, context.stream, params);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }
};

}  // namespace fastgemm::gemv
