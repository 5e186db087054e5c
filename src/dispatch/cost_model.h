// Predicted time of a tiled kernel, from figures of its table row, its calibration and the device. Pure arithmetic; all
// performance estimates of the dispatcher live here and in cublas_model.h.
//
//   time    = start + prepass + max(blocks * block + fill + sum, bytes / memory bandwidth)
//   blocks  = what the busiest SM works through. With s = ceil(tiles * splits / SMs) blocks on it and B resident at
//             once: floor(s / B) * B + r / (r / B)^e, r = s mod B: a full set of B keeps the SM at its measured rate,
//             r < B at (r / B)^e of it, since fewer warps hide less latency; e is 1/2 but for rows that say otherwise
//             A chained row gives every SM the same share: max(tiles / SMs, 1) instead, B being 1; where it may cut the
//             tiles into up to s parts to be added, max(tiles / SMs, 1 / (s - 1)), since shares end anywhere in tiles
//   block   = ceil(ceil(k / tile k) / splits) * step + store; of a chained row k / tile k * step + store
//   step    = 2 * tile m * tile n * tile k / (flops_per_clock_sm * clock), longer by 1 / unaligned_factor when A or B
//             is aligned to less than fast_alignment
//   store   = bytes of C and D of one tile, or of its FP32 partial tile where k is split, / (store bytes per clock *
//             clock), longer by 1 / odd store factor where D's columns are not 16-byte aligned
//   fill    = pipeline latency of each set of resident blocks; of a chained row once, and once more where shares cut
//             tiles, for the accumulators handed on
//   sum     = where k is split: the wait for the last part, and its reads of the parts and its store of the tile
//   prepass = launch + what the row's pass over the operands writes and reads, where it needs one
// Rates, start, sum and the share of the bandwidth are the chip's figures for the row, see calibration.h.
// Whole tiles count even where they overhang the matrix: that is what makes small tiles win on small problems.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm {

// What a launch will have. Chained rows fall back to whole tiles without their workspace and flags.
struct LaunchResources {
  int sm_count = 0;
  std::size_t workspace_bytes = SIZE_MAX;
  int flag_count = INT_MAX;
};

struct CostEstimate {
  double total_us = 0.0;
  double launch_us = 0.0;
  double prepass_us = 0.0;
  double compute_us = 0.0;  // blocks * block + fill + sum
  double memory_us = 0.0;   // bytes / memory bandwidth
  double tiles = 0.0;
  double waves = 0.0;       // tiles * splits / (SMs * blocks_per_sm), not rounded
  int splits = 1;
  bool aligned = true;      // A and B meet the row's fast_alignment
};

// With k cut into `splits` parts.
CostEstimate estimate(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device,
                      const LaunchResources& resources, int splits = 1);

// The number of parts, of those that the row, the mode and the resources allow, with the least predicted time.
CostEstimate best_estimate(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device,
                           const LaunchResources& resources);

// Why k cannot be cut into `splits` parts; null when it can.
const char* split_refusal(const GemmProblem& problem, const KernelEntry& entry, const LaunchResources& resources,
                          int splits);

// Workspace without which a launch of `entry` takes longer: a parked FP32 tile for every SM of a chained row, partial
// tiles of a split one, and what the row asks for itself.
std::size_t kernel_workspace_bytes(const GemmProblem& problem, const KernelEntry& entry, int sm_count, int splits = 1);

// Bytes that any kernel must move: A, B and D once, C where beta may not be 0, bias.
double minimal_bytes(const GemmProblem& problem);

}  // namespace fastgemm
