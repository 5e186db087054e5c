// Host version of kernels/ptx/grid_dependency.cuh: the grids before this one have run.
#pragma once

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

FG_DEVICE void griddepcontrol_wait() { emulation::current("griddepcontrol_wait"); }
FG_DEVICE void griddepcontrol_launch_dependents() { emulation::current("griddepcontrol_launch_dependents"); }

}  // namespace fastgemm::ptx
