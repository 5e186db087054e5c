// CUDA errors as statuses and texts of this library.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "fastgemm/fastgemm.h"

namespace fastgemm {

fg_status_t status_from_cuda(cudaError_t error);

// `error` again. An error that a status tells of must not be found by the program's next cudaGetLastError as well.
inline cudaError_t answered(cudaError_t error) {
  if (error != cudaSuccess) cudaGetLastError();
  return error;
}

// "what: cudaErrorName (description)".
std::string cuda_error_text(std::string_view what, cudaError_t error);

}  // namespace fastgemm
