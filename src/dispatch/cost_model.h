// Predicted time of a tiled kernel, from the figures in its table row and the device's. Pure arithmetic; all
// performance estimates of the dispatcher live here.
//
//   time    = launch + max(blocks * block + fill, bytes / memory bandwidth)
//   blocks  = what the busiest SM works through. With s = ceil(tiles / SMs) tiles on it and B resident at once:
//             floor(s / B) * B + sqrt((s mod B) * B): a full set of B keeps the SM at its measured rate, r < B at
//             sqrt(r / B) of it, since fewer warps hide less latency
//             A chained row gives every SM the same share: max(tiles / SMs, 1) instead, B being 1
//   block   = ceil(k / tile k) * step + store
//   step    = 2 * tile m * tile n * tile k / (flops_per_clock_sm * clock), longer by 1 / unaligned_factor when A or B
//             is aligned to less than fast_alignment
//   store   = bytes of C and D of one tile / (store bytes per clock * clock)
//   fill    = pipeline latency of each set of resident blocks; of a chained row once, and once more where shares cut
//             tiles, for the accumulators handed on
// Whole tiles count even where they overhang the matrix: that is what makes small tiles win on small problems.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm {

struct CostEstimate {
  double total_us = 0.0;
  double launch_us = 0.0;
  double compute_us = 0.0;  // blocks * block + fill
  double memory_us = 0.0;   // bytes / memory bandwidth
  double tiles = 0.0;
  double waves = 0.0;       // tiles / (SMs * blocks_per_sm), not rounded
  bool aligned = true;      // A and B meet the row's fast_alignment
};

// `workspace_bytes`: what the launch will have; chained rows fall back to whole tiles without theirs.
CostEstimate estimate(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device, int sm_count,
                      std::size_t workspace_bytes = SIZE_MAX);

// Workspace without which a launch of `entry` takes longer: a parked FP32 tile for every SM of a chained row.
std::size_t kernel_workspace_bytes(const GemmProblem& problem, const KernelEntry& entry, int sm_count);

// Bytes that any kernel must move: A, B and D once, C where beta may not be 0, bias.
double minimal_bytes(const GemmProblem& problem);

}  // namespace fastgemm
