// FFMA SGEMM for Hopper: operands come by bulk tensor copies. Rows of 256x128 share the work equally over the SMs; the
// smaller ones fill SMs with several blocks and may cut k. For TN one operand is transposed into workspace first, as is
// every operand copied whose columns bulk copies cannot reach.
#include <array>

#include "kernels/families.h"
#include "kernels/sgemm_hopper/launch.cuh"

namespace fastgemm {

using namespace hopper;

namespace {

// The kernels of one tile. NN, NT and TN go to those with A wide; TT to those with B wide, since both A and B then lie
// as they can be read.
template <class Launch>
constexpr KernelEntry row(const char* name) {
  return {.name = name,
          .type_ab = DataType::kFloat32,
          .min_compute_capability = 90,
          .max_compute_capability = 90,
          .tile = Launch::kTile,
          .stages = Launch::kStages,
          .threads = Launch::kThreads,
          .blocks_per_sm = Launch::kBlocksPerSm,
          .shared_bytes = Launch::kSharedBytes,
          .sequential = true,
          .chained = Launch::kShares,
          .max_splits = Launch::kShares ? 1 : kMaxSplitsOfK,
          .supports = Launch::supports,
          .workspace = Launch::workspace,
          .prepare = Launch::prepare,
          .launch = Launch::launch};
}

template <class WideA, class WideB>
using BothWays = Launcher<Config<WideA, false, false>, Config<WideA, false, true>, Config<WideB, true, true>>;

}  // namespace

std::span<const KernelEntry> sgemm_hopper_f32_sm90() {
  using Large = Shape<4, 2, 32, 4>;
  static constexpr std::array kEntries = {
      // NT 58.0, NN 56.0 TFLOP/s; TT and TN after a transposition of A
      row<Launcher<Config<Large, false, false>, Config<Large, false, true>>>("hopper_f32_256x128x32_s4"),
      // TT 55.7 TFLOP/s; TN after a transposition of B
      row<Launcher<Config<Large, true, true>>>("hopper_f32_128x256x32_s4"),
      row<BothWays<Shape<2, 2, 32, 3>, Shape<2, 2, 32, 3>>>("hopper_f32_128x128x32_s3"),
      row<BothWays<Shape<2, 1, 16, 4>, Shape<1, 2, 16, 4>>>("hopper_f32_128x64x16_s4"),
      row<BothWays<Shape<1, 2, 16, 4>, Shape<2, 1, 16, 4>>>("hopper_f32_64x128x16_s4"),
  };
  return kEntries;
}

}  // namespace fastgemm
