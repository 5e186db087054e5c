// Where the matrices of a case lie in memory, and the call and reference problem that follow from it.
#pragma once

#include <cstddef>
#include <string>

#include "src/cli/verify_case.h"
#include "src/cli/verify_device.h"

namespace fastgemm::cli {

struct CaseLayout {
  CaseImage image;
  GemmProblem problem;      // for the reference; D is where the call puts it
  std::size_t bytes = 0;    // of arena
  std::size_t expected_bytes = 0;
};

// Lays the case out from `arena` on (256-byte aligned; null to learn the size).
CaseLayout lay_out(const Case& c, char* arena);

// Makes the call that the case describes on `layout`'s memory.
fg_status_t make_call(fg_handle_t handle, const Case& c, const CaseLayout& layout);

// Where element `index` of a stretch stands, in words.
std::string describe_place(const MatrixImage& image, std::int64_t index);

}  // namespace fastgemm::cli
