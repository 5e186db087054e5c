// FFMA SGEMM for Hopper: operands come by bulk tensor copies, and blocks share the work equally. For TN one operand is
// turned in shared memory, or transposed into workspace first, which is 4 to 8 % faster where there is room for it. Every
// operand is copied first whose columns bulk copies cannot reach.
#include "kernels/families.h"
#include "kernels/sgemm_hopper/launch.cuh"

namespace fastgemm {

using namespace hopper;

std::span<const KernelEntry> sgemm_hopper_f32_sm90() {
  using WideA = Launcher<Config<false, false>, Config<false, true>>;  // NT, NN; TT, TN: A transposed
  using TurnedA = Launcher<Config<false, true, true>>;                       // TN
  using WideB = Launcher<Config<true, true>>;                                // TT; TN: B transposed
  static constexpr KernelEntry kEntries[] = {
      {.name = "hopper_f32_256x128x32_s4",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 90,
       .max_compute_capability = 90,
       .tile = {256, 128, 32},
       .stages = WideA::kStages,
       .threads = kThreads,
       .blocks_per_sm = 1,
       .shared_bytes = WideA::kSharedBytes,
       .sequential = true,
       .chained = true,
       .max_splits = kMaxFlatSplits,
       .flops_per_clock_sm = 218.0,  // NT 58.0, NN 56.0 TFLOP/s
       .supports = WideA::supports,
       .workspace = WideA::workspace,
       .prepare = WideA::prepare,
       .launch = WideA::launch},
      {.name = "hopper_f32_128x256x32_s4",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 90,
       .max_compute_capability = 90,
       .tile = {128, 256, 32},
       .stages = WideB::kStages,
       .threads = kThreads,
       .blocks_per_sm = 1,
       .shared_bytes = WideB::kSharedBytes,
       .sequential = true,
       .chained = true,
       .max_splits = kMaxFlatSplits,
       .flops_per_clock_sm = 213.0,  // TT 55.7 TFLOP/s
       .supports = WideB::supports,
       .workspace = WideB::workspace,
       .prepare = WideB::prepare,
       .launch = WideB::launch},
      {.name = "hopper_turned_f32_256x128x32_s4",
       .type_ab = DataType::kFloat32,
       .min_compute_capability = 90,
       .max_compute_capability = 90,
       .tile = {256, 128, 32},
       .stages = TurnedA::kStages,
       .threads = kThreads,
       .blocks_per_sm = 1,
       .shared_bytes = TurnedA::kSharedBytes,
       .sequential = true,
       .chained = true,
       .max_splits = kMaxFlatSplits,
       .flops_per_clock_sm = 196.0,  // TN 51.2 TFLOP/s
       .supports = TurnedA::supports,
       .prepare = TurnedA::prepare,
       .launch = TurnedA::launch},
  };
  return kEntries;
}

}  // namespace fastgemm
