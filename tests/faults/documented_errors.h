// Which errors each CUDA and cuBLAS function may answer by its documentation, and the status that an fg_ call then
// owes.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>
#include <vector>

#include "fastgemm/fastgemm.h"

namespace fastgemm::test {

// Every error that `function` can fail with; none: the function is not known here.
std::vector<int> documented_errors(std::string_view function);

const char* error_name(cudaError_t error);

// The status that tells of `error`, which call `function` answered, by the meanings in fastgemm.h.
fg_status_t status_owed(std::string_view function, int error);

// Whether `text` tells a reader what went wrong: the error by name or number, or what it means.
bool text_tells(std::string_view text, std::string_view function, int error);

}  // namespace fastgemm::test
