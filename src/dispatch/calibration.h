// What was measured of single kernels on single chips: the figures that cost_model.h's formula takes in place of a
// row's own and of its general ones.
#pragma once

#include <array>
#include <string_view>

#include "kernels/contract.h"

namespace fastgemm {

struct Calibration {
  std::string_view name;             // of the row
  double start_us = 4.5;             // from the launch to the first multiplication, and from the last store to the end
  double flops_per_clock_sm = 0.0;   // 0: the row's, or a guess from its tile
  double unaligned_factor = 1.0;
  double store_bytes_per_clock = 32.0;  // of one SM
  double sum_us = 1.5;               // from a part's last store to its read by another SM
  double sum_bytes_per_clock = 48.0; // loads one SM sustains from L2
  double memory_share = 0.92;        // of the nominal bandwidth that the row reaches
  std::array<double, 4> ops_factor{1.0, 1.0, 1.0, 1.0};  // NN, NT, TN, TT
  double few_blocks_exponent = 0.5;  // r of B blocks that an SM could hold keep it at (r / B)^this of its rate
  double odd_store_factor = 1.0;  // share of store_bytes_per_clock where columns of D begin between multiples of 16 bytes
};

// The chip's own figures for that name where there are some, else general ones with what the row says of itself.
Calibration calibration_of(const KernelEntry& entry, const DeviceInfo& device);

}  // namespace fastgemm
