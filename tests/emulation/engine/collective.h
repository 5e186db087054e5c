// What warp-wide operations hand to each other.
#pragma once

namespace fastgemm::emulation {

constexpr int kWarpSize = 32;

// The operands of a warp-wide operation, one set a lane.
template <class Operands>
using Lanes = Operands* const (&)[kWarpSize];

}  // namespace fastgemm::emulation
