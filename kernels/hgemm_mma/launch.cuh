// Host side: which instantiation serves a problem, and its launch.
#pragma once

#include <limits>

#include "kernels/hgemm_mma/kernel.cuh"
#include "kernels/ptx/launch.cuh"

namespace fastgemm::hgemm_mma {

// A kernel and what its launch needs to know.
struct Instantiation {
  void (*kernel)(GemmParams) = nullptr;
  TileShape tile;
  int threads = 0;
  std::int64_t shared_bytes = 0;
  bool splits = false;
};

template <class Variant>
constexpr Instantiation instantiation() {
  return {hgemm_mma_kernel<Variant>,
          {Variant::kTileM, Variant::kTileN, Variant::kTileK},
          Variant::kThreads,
          Variant::kSharedBytes,
          Variant::kSplits};
}

// One instantiation for each pair of transpositions, [op_a][op_b].
struct OfTranspositions {
  Instantiation of[2][2];
};

template <class Config, int kA, int kB, Epilogues kEpilogues, bool kSplits>
constexpr OfTranspositions of_transpositions() {
  return {{{instantiation<Variant<Config, Op::kN, Op::kN, kA, kB, kEpilogues, kSplits>>(),
            instantiation<Variant<Config, Op::kN, Op::kT, kA, kB, kEpilogues, kSplits>>()},
           {instantiation<Variant<Config, Op::kT, Op::kN, kA, kB, kEpilogues, kSplits>>(),
            instantiation<Variant<Config, Op::kT, Op::kT, kA, kB, kEpilogues, kSplits>>()}}};
}

// What an instantiation has code for.
enum Kind { kGeneral, kPlainWhole, kPlainInParts, kKinds };

// One for each kind; where there are no kernels for plain epilogues alone, those for all stand in.
struct OfKinds {
  OfTranspositions of[kKinds];
};

template <class Config, int kAlignmentA, int kAlignmentB>
constexpr OfKinds of_kinds() {
  const OfTranspositions general =
      of_transpositions<Config, kAlignmentA, kAlignmentB, Epilogues::kAll, Config::kSplits>();
  if constexpr (Config::kHasPlain) {
    constexpr bool kSplits = Config::kSplits;  // else the kernels for whole k serve for both
    return {{general, of_transpositions<Config, kAlignmentA, kAlignmentB, Epilogues::kPlain, false>(),
             of_transpositions<Config, kAlignmentA, kAlignmentB, Epilogues::kPlain, kSplits>()}};
  } else {
    return {{general, general, general}};
  }
}

// The instantiations of a row by alignment class. A row may leave what is aligned to 4 and to 2 bytes only to another
// tile, Config::Even and Config::Odd, which rows can share. Often only one operand is odd, and the other one, which may
// be much the larger, still comes in 16-byte pieces.
template <class Config>
inline constexpr OfKinds kInstantiations[] = {
    of_kinds<Config, 16, 16>(),
    of_kinds<typename Config::Even, 4, 4>(),
    of_kinds<typename Config::Odd, 2, 2>(),
    of_kinds<typename Config::Odd, 2, 16>(),
    of_kinds<typename Config::Odd, 16, 2>(),
};

// 0, 1, 2: every column of every batch entry allows accesses of 16, 4, 2 bytes. Arrays of pointers lie in device
// memory, where the host cannot look.
inline int alignment_class(const Operand& operand, std::int64_t batch_count) {
  if (operand.pointers != nullptr) return 2;
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(operand.data) | static_cast<std::uint64_t>(operand.ld) * 2;
  if (batch_count > 1) bits |= static_cast<std::uint64_t>(operand.batch_stride) * 2;
  return bits % 16 == 0 ? 0 : bits % 4 == 0 ? 1 : 2;
}

// Index into kInstantiations.
inline int alignment_class(const GemmProblem& problem) {
  const int a = alignment_class(problem.a, problem.batch_count);
  const int b = alignment_class(problem.b, problem.batch_count);
  if (a == 2 && b == 0) return 3;
  if (a == 0 && b == 2) return 4;
  return a > b ? a : b;
}

// Tiles are counted in int, by the smallest tile that a row may leave a problem to.
inline bool supports(const GemmProblem& problem) {
  constexpr std::int64_t kSmallestTile = 32;
  constexpr std::int64_t kMax = std::numeric_limits<int>::max() - 1;
  return problem.type_ab == DataType::kFloat16 && problem.m / kSmallestTile < kMax &&
         problem.n / kSmallestTile < kMax && problem.k / kSmallestTile < kMax;
}

template <class Config>
cudaError_t prepare() {
  for (const OfKinds& aligned : kInstantiations<Config>) {
    for (const OfTranspositions& of_kind : aligned.of) {
      for (const auto& of_op_a : of_kind.of) {
        for (const Instantiation& entry : of_op_a) {
          const cudaError_t error = ptx::prepare_kernel(entry.kernel, entry.shared_bytes);
          if (error != cudaSuccess) return error;
        }
      }
    }
  }
  return cudaSuccess;
}

// A grid holds at most 2^31 - 1 blocks; more tiles take several.
inline cudaError_t launch_tiles(const Instantiation& entry, const GemmProblem& problem, const LaunchContext& context) {
  constexpr std::int64_t kMaxBlocks = std::numeric_limits<std::int32_t>::max();
  GemmParams params;
  params.problem = problem;
  params.tiles_m = static_cast<int>((problem.m + entry.tile.m - 1) / entry.tile.m);
  params.tiles_n = static_cast<int>((problem.n + entry.tile.n - 1) / entry.tile.n);
  if (entry.splits) params.split = make_split_params(problem, entry.tile, context);
  const std::int64_t tiles = std::int64_t{params.tiles_m} * params.tiles_n * problem.batch_count * params.split.splits;
  while (params.first_tile < tiles) {
    const std::int64_t left = tiles - params.first_tile;
    const std::int64_t blocks = left < kMaxBlocks ? left : kMaxBlocks;
    const cudaError_t error =
        ptx::launch_grid(entry.kernel, {blocks, entry.threads, entry.shared_bytes}, context.stream, params);
    if (error != cudaSuccess) return error;
    params.first_tile += blocks;
  }
  return cudaSuccess;
}

template <class Config>
cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
  const Kind kind = !is_scaled_product(problem) ? kGeneral : context.splits == 1 ? kPlainWhole : kPlainInParts;
  const OfTranspositions& entries = kInstantiations<Config>[alignment_class(problem)].of[kind];
  return launch_tiles(entries.of[problem.op_a == Op::kT][problem.op_b == Op::kT], problem, context);
}

}  // namespace fastgemm::hgemm_mma
