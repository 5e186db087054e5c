// A bench run: what it is told, and its parts on a machine with a GPU and on one without.
#pragma once

#include <string>
#include <vector>

#include "src/cli/bench/report.h"
#include "src/cli/bench/timing.h"

namespace fastgemm::cli {

inline constexpr int kDefaultWorkspaceMb = 32;  // cuBLAS's own figure on Hopper, and ours

struct BenchOptions {
  std::vector<Shape> shapes;
  std::vector<std::string> kernels{""};  // forced ones, "" for the dispatcher's choice; a contender each
  bool all_kernels = false;              // and all others of the GPU, with k in 1, 2, 4 ... parts where they cut it
  MathMode math = MathMode::kDefault;
  TimingOptions timing;
  std::uint64_t seed = 1;
  int workspace_mb = 0;            // of each contender; 0: kDefaultWorkspaceMb, and ours what its handle has
  bool ladder = false;             // the six rungs instead of `kernels`
  std::string plan_gpu = "sm_90";  // planned for where there is no GPU
  int plan_sm_count = 0;           // 0: that of a usual card
  std::string csv_file;            // empty: none
  std::string json_file;
  std::string command_line;
};

// Runs and prints Markdown to stdout. 0: done; 1: a result was wrong, or the run could not be finished.
int run_bench(const BenchOptions& options);

// The rows, one by one, into `report` and `writer`. Throw std::runtime_error where the run cannot go on.
void bench_on_gpu(const BenchOptions& options, Report& report, MarkdownWriter& writer);
void bench_on_host(const BenchOptions& options, Report& report, MarkdownWriter& writer);

}  // namespace fastgemm::cli
