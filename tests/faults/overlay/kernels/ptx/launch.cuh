// The launches of the library itself, in front of tests/emulation's: here CUDA is what is replaced.
#pragma once

#include "../../../../../kernels/ptx/launch.cuh"
