// Host side: which instantiation serves a problem, and its launch.
#pragma once

#include <limits>

#include "kernels/hgemm_mma/kernel.cuh"
#include "kernels/ptx/launch.cuh"

namespace fastgemm::hgemm_mma {

// A kernel and what its launch needs to know.
struct Instantiation {
  void (*kernel)(GemmParams) = nullptr;
  int tile_m = 0;
  int tile_n = 0;
  int threads = 0;
  std::int64_t shared_bytes = 0;
};

template <class Variant>
constexpr Instantiation instantiation() {
  return {hgemm_mma_kernel<Variant>, Variant::kTileM, Variant::kTileN, Variant::kThreads, Variant::kSharedBytes};
}

inline constexpr int kAlignments[] = {16, 4, 2};

// The instantiations of a row, [alignment][op_a][op_b]. Config::Unaligned serves what is not aligned to 16 bytes.
template <class Config>
inline constexpr Instantiation kInstantiations[3][2][2] = {
    {{instantiation<Variant<Config, Op::kN, Op::kN, 16>>(), instantiation<Variant<Config, Op::kN, Op::kT, 16>>()},
     {instantiation<Variant<Config, Op::kT, Op::kN, 16>>(), instantiation<Variant<Config, Op::kT, Op::kT, 16>>()}},
    {{instantiation<Variant<typename Config::Unaligned, Op::kN, Op::kN, 4>>(),
      instantiation<Variant<typename Config::Unaligned, Op::kN, Op::kT, 4>>()},
     {instantiation<Variant<typename Config::Unaligned, Op::kT, Op::kN, 4>>(),
      instantiation<Variant<typename Config::Unaligned, Op::kT, Op::kT, 4>>()}},
    {{instantiation<Variant<typename Config::Unaligned, Op::kN, Op::kN, 2>>(),
      instantiation<Variant<typename Config::Unaligned, Op::kN, Op::kT, 2>>()},
     {instantiation<Variant<typename Config::Unaligned, Op::kT, Op::kN, 2>>(),
      instantiation<Variant<typename Config::Unaligned, Op::kT, Op::kT, 2>>()}},
};

// Index into kAlignments of the widest access that every column of every batch entry allows. Arrays of pointers lie in
// device memory, where the host cannot look.
inline int alignment_class(const Operand& operand, std::int64_t batch_count) {
  if (operand.pointers != nullptr) return 2;
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(operand.data) | static_cast<std::uint64_t>(operand.ld) * 2;
  if (batch_count > 1) bits |= static_cast<std::uint64_t>(operand.batch_stride) * 2;
  return bits % 16 == 0 ? 0 : bits % 4 == 0 ? 1 : 2;
}

inline int alignment_class(const GemmProblem& problem) {
  const int a = alignment_class(problem.a, problem.batch_count);
  const int b = alignment_class(problem.b, problem.batch_count);
  return a > b ? a : b;
}

inline bool supports(const GemmProblem& problem) { return problem.type_ab == DataType::kFloat16; }

template <class Config>
cudaError_t prepare() {
  for (const auto& aligned : kInstantiations<Config>) {
    for (const auto& of_op_a : aligned) {
      for (const Instantiation& entry : of_op_a) {
        const cudaError_t error = ptx::prepare_kernel(entry.kernel, entry.shared_bytes);
        if (error != cudaSuccess) return error;
      }
    }
  }
  return cudaSuccess;
}

// A grid holds at most 2^31 - 1 blocks; more tiles take several.
inline cudaError_t launch_tiles(const Instantiation& entry, const GemmProblem& problem, cudaStream_t stream) {
  constexpr std::int64_t kMaxBlocks = std::numeric_limits<std::int32_t>::max();
  GemmParams params;
  params.problem = problem;
  params.tiles_m = static_cast<int>((problem.m + entry.tile_m - 1) / entry.tile_m);
  params.tiles_n = static_cast<int>((problem.n + entry.tile_n - 1) / entry.tile_n);
  const std::int64_t tiles = std::int64_t{params.tiles_m} * params.tiles_n * problem.batch_count;
  while (params.first_tile < tiles) {
    const std::int64_t left = tiles - params.first_tile;
    const std::int64_t blocks = left < kMaxBlocks ? left : kMaxBlocks;
    const cudaError_t error =
        ptx::launch_grid(entry.kernel, {blocks, entry.threads, entry.shared_bytes}, stream, params);
    if (error != cudaSuccess) return error;
    params.first_tile += blocks;
  }
  return cudaSuccess;
}

template <class Config>
cudaError_t launch(const GemmProblem& problem, const LaunchContext& context) {
  const int op_a = problem.op_a == Op::kT;
  const int op_b = problem.op_b == Op::kT;
  return launch_tiles(kInstantiations<Config>[alignment_class(problem)][op_a][op_b], problem, context.stream);
}

}  // namespace fastgemm::hgemm_mma
