// The six rungs. Throughputs: TFLOP/s on one H200, CUDA 13.0, 8192 x 8192 x 8192, N(0,1), interleaved with each other
// and cuBLAS (765).
#include "kernels/hgemm_mma/ladder.h"
#include "kernels/hgemm_mma/launch.cuh"

namespace fastgemm {
namespace {

using namespace hgemm_mma;

struct HierarchicalTiling : AmpereDefaults {
  static constexpr int kTileM = 128, kTileN = 128, kTileK = 32, kWarpM = 64, kWarpN = 32, kStages = 1;
  static constexpr int kBlocksPerSm = 2;
  static constexpr Prefetch kPrefetch = Prefetch::kNone;
  static constexpr bool kWideCopies = false;
  static constexpr bool kUnrolledCopies = false;
  static constexpr bool kSwizzle = false;
  static constexpr bool kXorSteps = false;
  static constexpr bool kDoubleFragments = false;
};

struct WideCopies : HierarchicalTiling {
  static constexpr bool kWideCopies = true;
  static constexpr bool kUnrolledCopies = true;
};

struct Swizzled : WideCopies {
  static constexpr bool kSwizzle = true;
};

struct Prefetched : Swizzled {
  static constexpr Prefetch kPrefetch = Prefetch::kAsync;
  static constexpr int kStages = 2;
};

struct TunedTile : Prefetched {
  static constexpr int kTileM = 256, kTileN = 128, kTileK = 64, kWarpM = 64, kWarpN = 64;
  static constexpr int kBlocksPerSm = 1;
};

struct DeepBuffers : TunedTile {
  static constexpr int kStages = 3;
  static constexpr bool kXorSteps = true;
  static constexpr bool kDoubleFragments = true;
};

template <class Config>
using Rung = Variant<Config, Op::kN, Op::kN, 16>;

bool supports_rung(const GemmProblem& problem) {
  return supports(problem) && problem.op_a == Op::kN && problem.op_b == Op::kN && alignment_class(problem) == 0;
}

template <class Config>
cudaError_t prepare_rung() {
  constexpr Instantiation entry = instantiation<Rung<Config>>();
  return ptx::prepare_kernel(entry.kernel, entry.shared_bytes);
}

template <class Config>
cudaError_t launch_rung(const GemmProblem& problem, const LaunchContext& context) {
  return launch_tiles(instantiation<Rung<Config>>(), problem, context);
}

template <class Config>
constexpr KernelEntry rung(const char* name) {
  return {.name = name,
          .type_ab = DataType::kFloat16,
          .min_compute_capability = 80,
          .tile = {Config::kTileM, Config::kTileN, Config::kTileK},
          .stages = Rung<Config>::kStages,
          .threads = Rung<Config>::kThreads,
          .blocks_per_sm = Config::kBlocksPerSm,
          .shared_bytes = Rung<Config>::kSharedBytes,
          .supports = supports_rung,
          .prepare = prepare_rung<Config>,
          .launch = launch_rung<Config>};
}

constexpr LadderRung kRungs[] = {
    {1, "hierarchical tiling", rung<HierarchicalTiling>("ladder1_f16_128x128x32_s1")},  // 33
    {2, "16-byte unrolled copies", rung<WideCopies>("ladder2_f16_128x128x32_s1")},  // 81
    {3, "XOR swizzle", rung<Swizzled>("ladder3_f16_128x128x32_s1")},  // 224
    {4, "cp.async prefetch", rung<Prefetched>("ladder4_f16_128x128x32_s2")},  // 321
    {5, "tuned tile", rung<TunedTile>("ladder5_f16_256x128x64_s2")},  // 412
    {6, "one-XOR addresses, deeper buffers", rung<DeepBuffers>("ladder6_f16_256x128x64_s3")},  // 482
};

}  // namespace

std::span<const LadderRung> hgemm_ladder() { return kRungs; }

}  // namespace fastgemm
