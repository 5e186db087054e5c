// The library's own, in front of tests/emulation's: here CUDA is what is replaced.
#pragma once

#include "../../../../../kernels/ptx/tensor_map.h"
