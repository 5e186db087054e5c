// The engine of the process, for tests.
#pragma once

#include "src/dropin/engine/gpu_runtime.h"

namespace fastgemm::dropin {

// Takes the place of CUDA. Before the first product.
void use_gpu_runtime(GpuRuntime& runtime);

}  // namespace fastgemm::dropin
