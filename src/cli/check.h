// `fastgemm check`: is every kernel right on this GPU?
#pragma once

#include <string>

namespace fastgemm::cli {

struct CheckOptions {
  bool thorough = false;    // more sizes and all combinations: minutes instead of about ten seconds
  bool one_by_one = false;  // wait after every case, so that a crash names its case
  std::string kernel;       // --kernel NAME: this one only ("cublas" for the fallback); empty: all of them
  std::string only_case;    // --case TEXT: repeat one case as a failure spelled it; empty: all of them
  std::string json_file;    // --json FILE: the counts, machine-readable; empty: none
};

// Prints a line a kernel and a summary to stdout. 0: all right; 1: something failed, and the first failing case is
// spelled so that --case repeats it; 2: nothing could be checked (no GPU, unknown kernel, file not writable).
int run_check(const CheckOptions& options);

}  // namespace fastgemm::cli
