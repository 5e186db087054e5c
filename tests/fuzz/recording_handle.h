// A handle on a device that is not there, whose kernels take every product and only write down what they were given.
#pragma once

#include <memory>

#include "src/api/handle.h"

namespace fastgemm::test {

struct Recording {
  int launches = 0;
  GemmProblem problem;  // of the last launch
};

Recording& recording();

std::unique_ptr<fg_handle> make_recording_handle();

}  // namespace fastgemm::test
