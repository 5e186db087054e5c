// What `fastgemm run` sets for the program that it becomes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fastgemm::cli {

struct RunOptions {
  bool blas = false;    // take host BLAS calls: what is done where neither is asked for
  bool cublas = false;  // take cuBLAS calls
  bool stats = false;
  bool verify = false;
  std::string log;                   // a level; empty: as it is
  std::string log_file;              // empty: as it is
  std::string host_blas;             // empty: as it is
  std::vector<std::string> command;  // program and arguments
};

using Variables = std::vector<std::pair<std::string, std::string>>;

// libfastgemm_cublas.so beside libfastgemm.so, under a name of the same form (both with or both without a version).
std::string cublas_library_beside(const std::string& library);

// The variables to set: `library`, the one beside it, or both, before whatever is preloaded already, and what the
// options ask for. A path that LD_PRELOAD cannot hold, or options that do not go together: ParseError.
Variables run_variables(const RunOptions& options, const std::string& library, const std::string& preloaded_already);

}  // namespace fastgemm::cli
