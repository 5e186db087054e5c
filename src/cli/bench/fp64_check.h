// Compares a result with the product in FP64: every element where that is affordable, else nine blocks that touch all
// edges and the middle.
#pragma once

#include <string>
#include <vector>

#include "src/cli/bench/operand_buffers.h"
#include "src/cli/device_ops.h"

namespace fastgemm::cli {

class Fp64Check {
 public:
  // m n k up to which every element is checked: 4096^3.
  static constexpr double kAffordable = 0x1p36;

  // Computes the reference. Throws CudaFailure.
  explicit Fp64Check(const OperandBuffers& buffers, double affordable = kAffordable);

  // The largest error of the C in the buffers, as a share of |alpha| |A||B| + |beta| |C0|; NaN and infinities count.
  Difference compare_c() const;
  const std::string& part() const { return part_; }  // "all elements", or what was sampled

 private:
  struct Block {
    std::int64_t row = 0, column = 0, rows = 0, columns = 0;
    std::int64_t offset = 0;  // into the reference, elements
  };
  GemmProblem problem(const Block& block) const;

  const OperandBuffers& buffers_;
  std::vector<Block> blocks_;
  std::string part_;
  DeviceBuffer reference_;
  DeviceBuffer magnitude_;
};

}  // namespace fastgemm::cli
